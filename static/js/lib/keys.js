/* Single keys and the two-key sequences that begin with g. */
(function () {
  "use strict";

  /** Milliseconds within which the second key of a sequence must come. */
  const PATIENCE = 1200;

  /** @type {Record<string, KeyAction>} */
  const SINGLE = { j: "next", k: "previous", "/": "search", f: "filter", l: "language", "?": "help" };
  /** @type {Record<string, KeyAction>} */
  const AFTER_G = { i: "index", g: "glossary" };

  sitegen.keys = {
    own: {},

    add(keys) {
      Object.assign(sitegen.keys.own, keys);
    },

    machine() {
      let since = -Infinity;
      return function (key, now) {
        const waiting = now - since <= PATIENCE;
        since = -Infinity;
        if (waiting && key in AFTER_G) return AFTER_G[key];
        if (key === "g") since = now;
        return SINGLE[key] || null;
      };
    },
  };
})();
