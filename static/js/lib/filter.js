/* Text filter: how texts are compared. */
(function () {
  "use strict";

  sitegen.filter = {
    /** Text as it is compared: width and case aside, so that full-width letters are found too. */
    fold(text) {
      return text.normalize("NFKC").toLowerCase();
    },

    /** Whether every word of the query occurs; the text is folded already. Substrings, so Chinese works. */
    matches(text, query) {
      return sitegen.filter
        .fold(query)
        .split(/\s+/)
        .every((word) => text.includes(word));
    },
  };
})();
