/* Text filter and facets: which rows pass, and how many would. */
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

    /** Whether a row passes the query and every facet (any of the chosen values), `except` one facet. */
    passes(row, query, chosen, except) {
      for (const facet of Object.keys(chosen)) {
        if (facet === except || chosen[facet].length === 0) continue;
        const values = row.facets[facet] || [];
        if (!chosen[facet].some((value) => values.includes(value))) return false;
      }
      return sitegen.filter.matches(row.text, query);
    },

    /** Rows per value of each facet if that facet were not filtered: what choosing a value would show. */
    counts(rows, query, chosen) {
      /** @type {Record<string, Record<string, number>>} */
      const counts = {};
      const facets = new Set(rows.flatMap((row) => Object.keys(row.facets)));
      for (const facet of facets) {
        /** @type {Record<string, number>} */
        const values = (counts[facet] = Object.create(null));
        for (const row of rows) {
          if (!sitegen.filter.passes(row, query, chosen, facet)) continue;
          for (const value of row.facets[facet] || []) values[value] = (values[value] || 0) + 1;
        }
      }
      return counts;
    },
  };
})();
