/* The language switch keeps the place: anchor, filters and chart state go along in the address, and a page that has
   been scrolled opens at the same element. */
sitegen.ready(function () {
  "use strict";

  /** The element that the top of the window shows, and the share of it that lies above. */
  function place() {
    const top = 72; // under the sticky key
    /** @type {{ id: string, share: number } | null} */
    let found = null;
    if (window.scrollY < 8) return found;
    for (const element of document.querySelectorAll("main [id]")) {
      const box = element.getBoundingClientRect();
      if (box.height === 0 || box.top > top) continue;
      found = { id: element.id, share: (top - box.top) / box.height };
    }
    return found;
  }

  function restore() {
    const text = sitegen.storage.take("place");
    if (!text) return;
    const { path, id, share } = JSON.parse(text);
    const element = document.getElementById(id);
    if (path !== window.location.pathname || !element) return;
    const go = () => {
      const box = element.getBoundingClientRect();
      window.scrollTo({ top: window.scrollY + box.top + share * box.height - 72, behavior: "instant" });
    };
    go();
    if (document.readyState !== "complete") window.addEventListener("load", go, { once: true });
  }

  for (const link of document.querySelectorAll("a[data-keep-hash]")) {
    const anchor = /** @type {HTMLAnchorElement} */ (link);
    const bare = anchor.getAttribute("href") || "";
    const keep = () => anchor.setAttribute("href", bare + window.location.hash);
    for (const moment of ["pointerdown", "focus", "mouseenter"]) anchor.addEventListener(moment, keep);
    anchor.addEventListener("click", function () {
      keep();
      const here = place();
      if (!here) return;
      const passed = sitegen.storage.pass("place", JSON.stringify({ path: anchor.pathname, ...here }));
      if (!passed && window.location.hash === "") anchor.setAttribute("href", `${bare}#${here.id}`);
    });
  }
  restore();
});
