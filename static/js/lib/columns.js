/* Columns of the table of runs as the address names them: `ema`, `best.reward/avg_raw_reward`, `step50.timing/step`,
   `set.trainer.seed`. Pure. */
(function () {
  "use strict";
  const STAT = /^(last|best|mean|ckpt|step(\d+))\.(.+)$/s;

  sitegen.columns = {
    /** What an id means; null for one that cannot be meant. */
    parse(id, built) {
      if (built.some((column) => column.id === id)) return { type: "built", id, key: id, stat: "", step: 0 };
      if (id.startsWith("set.") && id.length > 4) return { type: "setting", id, key: id.slice(4), stat: "", step: 0 };
      const found = STAT.exec(id);
      if (!found) return null;
      const stat = /** @type {MetricStat} */ (found[2] === undefined ? found[1] : "step");
      return { type: "metric", id, key: found[3], stat, step: Number(found[2] || 0) };
    },

    /** The columns to show: those of the address, else the usual ones; the run's name always comes first. */
    chosen(text, built) {
      const usual = built.filter((column) => column.shown).map((column) => column.id);
      if (!text) return usual;
      const known = sitegen.hash.list(text).filter((id) => id !== "run" && sitegen.columns.parse(id, built));
      return ["run", ...new Set(known)];
    },

    /** The address's text for a choice; empty for the usual one. */
    write(ids, built) {
      const usual = built.filter((column) => column.shown).map((column) => column.id);
      if (ids.length === usual.length && ids.every((id, at) => id === usual[at])) return "";
      return sitegen.hash.join(ids.filter((id) => id !== "run")) || "run";
    },

    /** A run's value of a metric, and the step it was logged at. At step N: the newest value up to N of a run that
        got that far. */
    value(record, stat, step) {
      const [best, bestStep, mean, checkpoint, steps, values] = record;
      /** @param {number} at */
      const stepAt = (at) => (typeof steps === "number" ? steps + at : steps[at]);
      const last = values.length - 1;
      if (stat === "best") return { value: best, step: bestStep };
      if (stat === "mean") return { value: mean, step: null };
      if (stat === "ckpt") return { value: checkpoint, step: null };
      if (stat === "last") return { value: last < 0 ? null : values[last], step: last < 0 ? null : stepAt(last) };
      let at = last;
      while (at >= 0 && stepAt(at) > step) at -= 1;
      if (at < 0 || stepAt(last) < step) return { value: null, step: null };
      return { value: values[at], step: stepAt(at) };
    },

    /** The two ends of `0.2..0.6`, `..5`, `10..`; null for anything else. */
    range(text) {
      const ends = text.split("..");
      return ends.length !== 2 || (ends[0] === "" && ends[1] === "") ? null : { low: ends[0], high: ends[1] };
    },
  };
})();
