/* Which runs pass the filters, how many each value of a facet would show, and the rows as CSV. Pure. */
(function () {
  "use strict";

  /** What the field of text searches in a configuration: runs that have a setting `key=value` with the word in it.
      @param {ConfigData} configs @param {string} word @param {boolean[]} found */
  function inSettings(configs, word, found) {
    for (const key of Object.keys(configs)) {
      const [names, codes] = configs[key];
      const folded = sitegen.filter.fold(key);
      const hit = names.map((name) => `${folded}=${sitegen.filter.fold(name)}`.includes(word));
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
      const wanted = ids.map((id) => {
        const codes = (chosen[id] || []).map((name) => model.facets[id].codes.get(name) ?? -1);
        return codes.length ? new Set(codes) : null;
      });
      const tallies = ids.map((id) => model.facets[id].labels.map(() => 0));
      /** @type {number[]} */
      const rows = [];
      for (let run = 0; run < model.n; run += 1) {
        if (!matching[run]) continue;
        const outside = ranges.some(({ cells, low, high }) => {
          const value = cells[run];
          return typeof value !== "number" || (low !== null && value < low) || (high !== null && value > high);
        });
        if (outside) continue;
        const failing = ids.map((_, at) => at).filter((at) => {
          const codes = wanted[at];
          return codes && !model.facets[ids[at]].at[run].some((code) => codes.has(code));
        });
        if (failing.length > 1) continue;
        if (failing.length === 0) rows.push(run);
        ids.forEach((id, at) => {
          if (failing.length && failing[0] !== at) return;
          for (const code of model.facets[id].at[run]) tallies[at][code] += 1;
        });
      }
      return { rows, counts: Object.fromEntries(ids.map((id, at) => [id, tallies[at]])) };
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
