/* Settings that differ between runs, which of them are of no interest, and what makes figures incomparable. Pure. */
(function () {
  "use strict";

  /** @type {Map<string, RegExp>} */
  const patterns = new Map();

  /** A pattern with `*` over a whole dotted key, its last part, or the end of it after a dot.
      @param {string} pattern */
  function compiled(pattern) {
    const known = patterns.get(pattern);
    if (known) return known;
    const body = pattern.toLowerCase().replace(/[.+?^${}()|[\]\\]/g, "\\$&").replace(/\*+/g, ".*");
    const made = new RegExp(`^(.*\\.)?${body}$`, "s");
    patterns.set(pattern, made);
    return made;
  }

  /** Values with the letters of the runs that have them, in the order of the runs.
      @template T @param {Array<T | null>} values */
  function groups(values) {
    /** @type {Map<T, number[]>} */
    const found = new Map();
    values.forEach((value, run) => {
      if (value !== null && value !== undefined) found.set(value, [...(found.get(value) || []), run]);
    });
    return [...found].map(([value, runs]) => ({ value, runs }));
  }

  /** What a reward is: framework and logged name. @param {CompareAbout} about */
  const meaning = (about) => `${about.framework || ""}\n${about.reward}`;

  /** The k of a pass@k metric's name. @param {string | undefined} name */
  function passK(name) {
    const digits = name && /(\d+)\D*$/.exec(name);
    return digits ? `k = ${digits[1]}` : name || null;
  }

  sitegen.compareSettings = {
    groups,

    ignored(key, list) {
      const folded = key.toLowerCase();
      return list.some((pattern) => compiled(pattern).test(folded));
    },

    /** Keys whose values differ or that only some runs set: those of interest, and those left out. Runs without any
        configuration say nothing. */
    differing(configs, list) {
      const told = configs.filter((config) => Object.keys(config).length > 0);
      const keys = [...new Set(told.flatMap((config) => Object.keys(config)))].sort();
      /** @type {CompareSetting[]} */
      const shown = [];
      /** @type {string[]} */
      const left = [];
      for (const key of keys) {
        /** @param {Record<string, string>} config */
        const valueIn = (config) => (Object.prototype.hasOwnProperty.call(config, key) ? config[key] : null);
        if (new Set(told.map(valueIn)).size < 2) continue;
        if (sitegen.compareSettings.ignored(key, list)) left.push(key);
        else shown.push({ key, values: configs.map(valueIn) });
      }
      return { shown, left, total: keys.length };
    },

    /** What makes figures of these runs incomparable, who has what, and which subjects and facts (`#`) it touches:
        reward defined otherwise, pass@k of another k or from other numbers of samples, one name that means another
        thing in another framework. Names under one role measure the same thing, except for the reward. Other tasks
        and a failed run forbid nothing: differences are shown (`mutes`) without a word of better or worse. */
    rules(abouts, subjects) {
      const rewards = groups(abouts.map((about) => (about.reward === null ? null : meaning(about))));
      const ks = groups(abouts.map((about) => passK(about.roles.pass_k)));
      const samples = groups(abouts.map((about) => about.samples));
      const passes = new Set(abouts.map((about) => about.roles.pass_k));
      const onPass = subjects.filter(({ keys }) => keys.some((key) => key !== null && passes.has(key)));
      const others = subjects.filter(({ role, terms }) => !role && groups(terms).length > 1);
      /** @type {CompareRule[]} */
      const found = [];
      if (rewards.length > 1) found.push({ id: "reward", groups: rewards, touches: ["@reward", "#ema"] });
      const touched = ["#pass", ...onPass.map((subject) => subject.id)];
      if (ks.length > 1) found.push({ id: "pass", groups: ks, touches: touched });
      if (samples.length > 1 && passes.size > Number(passes.has(/** @type {any} */ (undefined)))) {
        const named = samples.map(({ value, runs }) => ({ value: String(value), runs }));
        found.push({ id: "samples", groups: named, touches: touched });
      }
      if (others.length) {
        const frameworks = groups(abouts.map((about) => about.framework || ""));
        found.push({ id: "framework", groups: frameworks, touches: others.map((subject) => subject.id) });
      }
      const data = groups(abouts.map((about) => about.data));
      if (data.length > 1) {
        const onReward = subjects.filter(({ keys }) => keys.some((key, run) => key !== null && key === abouts[run].reward));
        const mutes = ["#ema", "#solved", "#exceptions", "@reward", "@length_mean", "@turns_mean", ...touched, ...onReward.map(({ id }) => id)];
        found.push({ id: "data", groups: data, touches: [], mutes: [...new Set(mutes)] });
      }
      const failed = abouts.flatMap((about, run) => (about.failed ? [{ value: String(run), runs: [run] }] : []));
      if (failed.length && failed.length < abouts.length) {
        found.push({ id: "failed", groups: failed, touches: [], mutes: ["#step", "@step_s", "@wait_s"] });
      }
      return found;
    },
  };
})();
