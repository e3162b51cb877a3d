/* Small settings kept in the browser; nothing breaks where storage is blocked. */
(function () {
  "use strict";
  const PREFIX = "sitegen-";

  sitegen.storage = {
    get(name) {
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
      } catch (error) {
        return; // blocked: the choice lasts as long as the page
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
