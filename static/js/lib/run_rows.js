/* Which runs pass the filters, how many each value of a facet would show, and the rows as CSV. Pure. */
(function () {
  "use strict";

  /** Settings as they are searched, `key=value` folded, once for a configuration.
      @type {WeakMap<ConfigData, Array<{texts: string[], codes: number[]}>>} */
  const folded = new WeakMap();

  /** @param {ConfigData} configs */
  function settings(configs) {
    let found = folded.get(configs);
    if (!found) {
      found = Object.keys(configs).map((key) => {
        const [names, codes] = configs[key];
        return { texts: names.map((name) => sitegen.filter.fold(`${key}=${name}`)), codes };
      });
      folded.set(configs, found);
    }
    return found;
  }

  /** What the field of text searches in a configuration: runs that have a setting `key=value` with the word in it.
      @param {ConfigData} configs @param {string} word @param {boolean[]} found */
  function inSettings(configs, word, found) {
    for (const { texts, codes } of settings(configs)) {
      const hit = texts.map((text) => text.includes(word));
      if (!hit.includes(true)) continue;
      for (let run = 0; run < codes.length; run += 1) if (codes[run] >= 0 && hit[codes[run]]) found[run] = true;
    }
  }

  sitegen.runRows = {
    model(runs) {
      const ids = Object.keys(runs.facets);
      const texts = runs.slugs.map((slug, run) => {
        const words = [runs.titles[run], slug, runs.reward[run] || ""];
        for (const id of ids) {
          const { names, en, zh, at } = runs.facets[id];
          for (const code of at[run]) words.push(names[code], en ? en[code] : "", zh ? zh[code] : "");
        }
        return sitegen.filter.fold(words.join(" "));
      });
      const facets = Object.fromEntries(
        ids.map((id) => {
          const { names, at } = runs.facets[id];
          return [id, { codes: new Map(names.map((name, code) => [name, code])), labels: names, at }];
        }),
      );
      return { n: runs.slugs.length, texts, facets };
    },

    /** Runs in which every word of the query occurs: in name, address, tags, facts, or in a setting. */
    matches(model, query, configs) {
      const words = sitegen.filter.fold(query).split(/\s+/).filter(Boolean);
      const all = model.texts.map(() => true);
      for (const word of words) {
        const found = model.texts.map((text) => text.includes(word));
        if (configs) inSettings(configs, word, found);
        found.forEach((hit, run) => (all[run] = all[run] && hit));
      }
      return all;
    },

    /** Runs that pass everything, and per facet how many runs each value would show if it were not filtered by. */
    filtered(model, matching, chosen, ranges) {
      const ids = Object.keys(model.facets);
      const facets = ids.map((id) => {
        const { labels, codes, at } = model.facets[id];
        const wanted = (chosen[id] || []).map((name) => codes.get(name) ?? -1);
        return { at, wanted: wanted.length ? new Set(wanted) : null, tally: labels.map(() => 0) };
      });
      /** @type {number[]} */
      const rows = [];
      for (let run = 0; run < model.n; run += 1) {
        if (!matching[run]) continue;
        const outside = ranges.some(({ cells, low, high }) => {
          const value = cells[run];
          return typeof value !== "number" || (low !== null && value < low) || (high !== null && value > high);
        });
        if (outside) continue;
        let failing = null;
        let failed = 0;
        for (const facet of facets) {
          const { wanted } = facet;
          if (!wanted || facet.at[run].some((code) => wanted.has(code))) continue;
          failing = facet;
          failed += 1;
        }
        if (failed > 1) continue;
        if (failed === 0) rows.push(run);
        for (const facet of failing ? [failing] : facets) for (const code of facet.at[run]) facet.tally[code] += 1;
      }
      return { rows, counts: Object.fromEntries(ids.map((id, at) => [id, facets[at].tally])) };
    },

    /** Rows as CSV. A text that a spreadsheet would take for a formula gets an apostrophe. */
    csv(rows) {
      /** @param {Cell} cell */
      const written = (cell) => {
        if (cell === null) return "";
        if (typeof cell === "number") return String(cell);
        const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
        return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
      };
      return rows.map((row) => `${row.map(written).join(",")}\r\n`).join("");
    },
  };
})();
