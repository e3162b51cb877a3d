/* A chart in a frame is as high as `#height=` says, in pixels of its drawing, else as the frame leaves room for. Before
   the charts' own script, which measures the box. */
(function () {
  "use strict";
  const LEAST = 120;
  const MOST = 2000;
  const box = document.querySelector("[data-chart]");
  if (!(box instanceof HTMLElement)) return;

  /** Pixels of the drawing; null to leave it as it is. */
  function wanted() {
    const asked = Number(sitegen.state.get().height);
    if (asked > 0) return Math.min(Math.max(asked, LEAST), MOST);
    if (window.parent === window || !(box instanceof HTMLElement)) return null;
    const rest = document.body.scrollHeight - box.offsetHeight;
    return Math.max(Math.min(window.innerHeight - rest, MOST), LEAST);
  }

  const height = wanted();
  if (height !== null) box.style.height = `${height}px`;
})();
