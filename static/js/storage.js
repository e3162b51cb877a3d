/* Small settings kept in the browser; where storage is blocked they last as long as the page. */
(function () {
  "use strict";
  const PREFIX = "sitegen-";
  /** What could not be stored. @type {Map<string, string | null>} */
  const kept = new Map();

  sitegen.storage = {
    get(name) {
      if (kept.has(name)) return kept.get(name) ?? null;
      try {
        return window.localStorage.getItem(PREFIX + name);
      } catch (error) {
        return null; // blocked: as if nothing had been stored
      }
    },
    set(name, value) {
      try {
        if (value === null) window.localStorage.removeItem(PREFIX + name);
        else window.localStorage.setItem(PREFIX + name, value);
        kept.delete(name);
      } catch (error) {
        kept.set(name, value);
      }
    },
    pass(name, value) {
      try {
        window.sessionStorage.setItem(PREFIX + name, value);
        return true;
      } catch (error) {
        return false;
      }
    },
    take(name) {
      try {
        const value = window.sessionStorage.getItem(PREFIX + name);
        window.sessionStorage.removeItem(PREFIX + name);
        return value;
      } catch (error) {
        return null;
      }
    },
  };
})();

/* The state of the page, in the hash of its address. */
(function () {
  "use strict";
  /** @type {Array<(state: Record<string, string>) => void>} */
  const listeners = [];

  function announce() {
    const state = sitegen.state.get();
    for (const listener of listeners) listener(state);
  }

  sitegen.state = {
    get() {
      return sitegen.hash.read(window.location.hash);
    },
    set(changes, push) {
      const before = window.location.hash;
      const hash = sitegen.hash.write(Object.assign(sitegen.state.get(), changes));
      if (hash === before || (hash === "" && !before.includes("="))) return;
      const address = hash || window.location.pathname + window.location.search;
      if (push) window.history.pushState(null, "", address);
      else window.history.replaceState(null, "", address);
      announce();
    },
    watch(listener) {
      listeners.push(listener);
    },
  };

  window.addEventListener("hashchange", announce);
  window.addEventListener("popstate", announce);
})();

/* Inside a static Space of the model hub the address bar is the hub's page: it is told the page and the state, and
   gives them back to `index.html` when the address is opened again. Nobody else is told anything. */
(function () {
  "use strict";
  const HUB = "https://huggingface.co";
  const root = (document.documentElement.dataset.root || ".").replace(/\/$/, "");
  const base = new URL(`${root}/`, window.location.href).pathname;
  const page = window.location.pathname.slice(base.length) || "index.html";

  /** Goes to the page that the address asks for; only to a page of this site. */
  function follow() {
    const wanted = new URLSearchParams(window.location.search).get("page") || "";
    const path = sitegen.hash.page(wanted);
    if (page === "index.html" && path && path !== page) window.location.replace(`${root}/${path}${window.location.hash}`);
  }

  function tell() {
    const above = window.location.ancestorOrigins;
    if (above && above[0] !== HUB) return; // a browser that does not say who frames the page delivers to the hub only
    const queryString = page === "index.html" ? "" : `page=${page}`;
    window.parent.postMessage({ queryString, hash: window.location.hash }, HUB);
  }

  follow();
  if (window.parent === window) return;
  sitegen.state.watch(tell);
  if (page !== "index.html" && sitegen.hash.page(page)) tell();
})();
