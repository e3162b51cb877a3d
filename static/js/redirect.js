/* An old address leads to the new one with its query and hash, which the page's own refresh would drop. Not deferred:
   it must run before that. */
(function () {
  "use strict";
  const target = document.documentElement.dataset.target;
  if (target) window.location.replace(target + window.location.search + window.location.hash);
})();
