/* What the address of the compare page says, and how a choice is said there. Pure.
   `#runs=a,b&base=b&metrics=@reward,timing/step&at=best&steps=all&ignore=*.name&q=lr`: runs by address, the baseline
   when it is not the first, roles (`@`) and metrics when they are not the usual ones, the value of the table when it is
   not the one at the last common step, `rows=all` when settings of some runs only are unfolded. `smooth`, `x` and
   `step` belong to the charts. */
(function () {
  "use strict";
  const MOST = 12;
  /** @type {CompareStat[]} */
  const STATS = ["common", "last", "best", "mean", "ckpt"];

  /** @param {string[]} items */
  const distinct = (items) => [...new Set(items.filter(Boolean))];

  sitegen.compareState = {
    MOST,
    STATS,

    /** The state that a hash says; what it cannot mean is left at its default, and runs that cannot be shown are
        named. */
    read(keys, known, config) {
      const asked = distinct(sitegen.hash.list(keys.runs));
      const found = asked.filter((slug) => known.has(slug));
      const runs = found.slice(0, MOST);
      const usual = config.roles.filter((role) => role.shown).map((role) => `@${role.id}`);
      const metrics = distinct(sitegen.hash.list(keys.metrics));
      return {
        runs,
        refused: found.slice(MOST),
        unknown: asked.filter((slug) => !known.has(slug)),
        base: runs.includes(keys.base) ? keys.base : runs[0] || "",
        metrics: metrics.length ? metrics : usual,
        usual: metrics.length === 0,
        stat: STATS.find((stat) => stat === keys.at) || "common",
        all: keys.steps === "all",
        ignore: "ignore" in keys ? distinct(sitegen.hash.list(keys.ignore).map((item) => item.trim())) : config.ignore,
        query: keys.q || "",
        rows: keys.rows === "all",
      };
    },

    /** The keys that say a choice of metrics; empty for the usual one. */
    metrics(ids, config) {
      const usual = config.roles.filter((role) => role.shown).map((role) => `@${role.id}`);
      const same = ids.length === usual.length && ids.every((id, at) => id === usual[at]);
      return same || !ids.length ? "" : sitegen.hash.join(ids);
    },

    /** The keys that say a choice of runs. A baseline that goes makes the first run the baseline. */
    runs(slugs, base) {
      return { runs: sitegen.hash.join(slugs), base: slugs.includes(base) && base !== slugs[0] ? base : "" };
    },

    /** Letters by which runs are named on the page: A, B, … */
    letter: (at) => String.fromCharCode(65 + at),

    /** The letters of runs that rise, three or more in a row as a range: A–C, E. */
    letters(runs) {
      /** @type {number[][]} */
      const rows = [];
      for (const run of runs) {
        const last = rows[rows.length - 1];
        if (last && last[last.length - 1] === run - 1) last.push(run);
        else rows.push([run]);
      }
      const { letter } = sitegen.compareState;
      return rows.flatMap((row) =>
        row.length < 3 ? row.map(letter) : [`${letter(row[0])}–${letter(row[row.length - 1])}`],
      );
    },
  };
})();
