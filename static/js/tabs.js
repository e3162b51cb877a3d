/* Tabs that do not fit scroll sideways: the current one is brought into view, clear of the fading edge. */
sitegen.ready(function () {
  "use strict";
  const EDGE = 40;
  const tabs = document.querySelector(".tabs");
  const current = tabs && tabs.querySelector("[aria-current]");
  if (!tabs || !(current instanceof HTMLElement)) return;
  tabs.scrollLeft = current.offsetLeft + current.offsetWidth + EDGE - tabs.clientWidth;
});
