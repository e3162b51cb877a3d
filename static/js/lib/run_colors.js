/* The colour and dash of each run of a selection. A run's address prefers one of eight colours, so that it looks the
   same on every page; who comes later takes the next free one. Every second colour is dashed, as in the charts of a
   run; beyond eight runs the colours come again with the other dash. Pure. */
(function () {
  "use strict";
  const TONES = 8;

  /** FNV-1a over UTF-16 units. @param {string} text */
  function hash(text) {
    let value = 0x811c9dc5;
    for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0;
    return value;
  }

  sitegen.runColors = {
    assign(slugs) {
      /** @type {Map<string, RunTone>} */
      const found = new Map();
      /** @type {Set<number>} */
      const taken = new Set();
      slugs.forEach((slug, index) => {
        if (index % TONES === 0) taken.clear();
        let tone = (hash(slug) % TONES) + 1;
        while (taken.has(tone)) tone = (tone % TONES) + 1;
        taken.add(tone);
        found.set(slug, { tone, dash: (tone % 2 === 0) !== index >= TONES });
      });
      return found;
    },
  };
})();
