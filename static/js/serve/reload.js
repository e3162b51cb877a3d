/* Added by `sitegen serve` to its own responses only: loads the page again when the site has been built again. */
(function () {
  "use strict";
  /** @type {string | undefined} */
  var shown;
  var source = new EventSource("/_sitegen/events");
  source.onmessage = function (event) {
    if (shown !== undefined && shown !== event.data) window.location.reload();
    shown = event.data;
  };
})();
