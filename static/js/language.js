/* The language switch keeps the place: anchor, filters and chart state go along. */
sitegen.ready(function () {
  "use strict";
  for (const link of document.querySelectorAll("a[data-keep-hash]")) {
    const anchor = /** @type {HTMLAnchorElement} */ (link);
    const bare = anchor.getAttribute("href") || "";
    const keep = () => anchor.setAttribute("href", bare + window.location.hash);
    for (const moment of ["pointerdown", "focus", "mouseenter", "click"]) anchor.addEventListener(moment, keep);
  }
});
