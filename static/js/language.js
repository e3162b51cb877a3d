/* The language switch keeps the place: anchor, filters and chart state go along in the address, and a page that has
   been scrolled opens at the same element. A reader whose browser prefers the other language is offered it on the
   first page, until it is declined or a language was chosen. */
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

  /** The link to this page in the language that the browser prefers; null when it is this one, or neither. */
  function preferred() {
    const known = window.navigator.languages.map((name) => name.slice(0, 2).toLowerCase());
    const wanted = known.find((name) => name === "zh" || name === "en");
    const link = document.querySelector(`.bar a[data-keep-hash][lang|="${wanted}"]:not([aria-current])`);
    return link instanceof HTMLAnchorElement ? link : null;
  }

  function offer() {
    const start = document.querySelector("a.brand");
    const here = window.location.pathname.replace(/\/$/, "/index.html");
    const link = preferred();
    if (window.parent !== window || !(start instanceof HTMLAnchorElement) || start.pathname !== here) return;
    if (!link || sitegen.storage.get("language") === "chosen") return;
    const words = sitegen.texts[link.lang.slice(0, 2)];
    const box = document.createElement("aside");
    const text = document.createElement("span");
    const close = document.createElement("button");
    const go = /** @type {HTMLAnchorElement} */ (link.cloneNode());
    box.className = "offer";
    box.lang = link.lang;
    box.setAttribute("aria-label", words["language.offer"]);
    text.textContent = words["language.offer"];
    go.textContent = words["language.go"];
    close.type = "button";
    close.textContent = "×";
    close.title = words["language.close"];
    close.setAttribute("aria-label", words["language.close"]);
    close.addEventListener("click", function () {
      sitegen.storage.set("language", "chosen");
      box.remove();
    });
    box.append(text, " ", go, close);
    document.body.append(box);
  }

  offer();
  for (const link of document.querySelectorAll("a[data-keep-hash]")) {
    const anchor = /** @type {HTMLAnchorElement} */ (link);
    const bare = anchor.getAttribute("href") || "";
    const keep = () => anchor.setAttribute("href", bare + window.location.hash);
    for (const moment of ["pointerdown", "focus", "mouseenter"]) anchor.addEventListener(moment, keep);
    anchor.addEventListener("click", function () {
      sitegen.storage.set("language", "chosen");
      keep();
      const here = place();
      if (!here) return;
      const passed = sitegen.storage.pass("place", JSON.stringify({ path: anchor.pathname, ...here }));
      if (!passed && window.location.hash === "") anchor.setAttribute("href", `${bare}#${here.id}`);
    });
  }
  restore();
});
