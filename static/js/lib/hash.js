/* The state of a page in its address: `#q=calendar&status=failed&sort=-ema`. A hash without `=` is an anchor. */
(function () {
  "use strict";

  /** @param {string} text */
  function decoded(text) {
    try {
      return decodeURIComponent(text);
    } catch (error) {
      return text; // a stray % typed by hand
    }
  }

  sitegen.hash = {
    read(hash) {
      /** @type {Record<string, string>} */
      const state = {};
      for (const part of hash.replace(/^#/, "").split("&")) {
        const at = part.indexOf("=");
        if (at > 0) state[decoded(part.slice(0, at))] = decoded(part.slice(at + 1));
      }
      return state;
    },

    write(state) {
      const parts = Object.keys(state)
        .filter((key) => state[key] !== "")
        .sort()
        .map((key) => `${encodeURIComponent(key)}=${encodeURIComponent(state[key])}`);
      return parts.length ? `#${parts.join("&")}` : "";
    },

    /** Several values in one key, parted by commas; a comma inside a value is `~.`, a tilde `~~`. */
    list(value) {
      if (!value) return [];
      return value.split(",").map((item) => item.replace(/~[.~]/g, (mark) => (mark === "~." ? "," : "~")));
    },

    join(values) {
      return values.map((value) => value.replace(/~/g, "~~").replace(/,/g, "~.")).join(",");
    },
  };
})();
