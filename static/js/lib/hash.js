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

  /** Kept readable: what may stand in a hash as it is. @param {string} text */
  function encoded(text) {
    return encodeURIComponent(text).replace(/%(2F|2C|3A|40)/g, (mark) => decodeURIComponent(mark));
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
        .map((key) => `${encoded(key)}=${encoded(state[key])}`);
      return parts.length ? `#${parts.join("&")}` : "";
    },

    /** A page of this site as an address names it, from the site's root; empty for anything else. */
    page(path) {
      const parts = path.split("/");
      const plain = parts.every((part) => /^[\w.-]+$/.test(part) && !/^\.+$/.test(part));
      return plain && path.endsWith(".html") ? path : "";
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
