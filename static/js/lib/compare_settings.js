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

  /** What a reward is: framework and logged name; null where the framework is not known. @param {CompareAbout} about */
  const meaning = (about) => (about.reward === null || about.framework === null ? null : `${about.framework}\n${about.reward}`);

  /** Runs of which something is true. @param {CompareAbout[]} abouts @param {(about: CompareAbout) => boolean} test */
  const those = (abouts, test) => abouts.flatMap((about, run) => (test(about) ? [run] : []));

  /** A rule where the values of runs differ or are not all known; null where all are one and known.
      @param {CompareRule["id"]} id @param {CompareRule["groups"]} found @param {number[]} unknown
      @param {{touches?: string[], mutes?: string[]}} what touches: where values differ; mutes: in any case
      @returns {CompareRule | null} */
  function rule(id, found, unknown, { touches = [], mutes = touches }) {
    if (found.length < 2 && !unknown.length) return null;
    const said = { id, groups: found, ...(unknown.length ? { unknown } : {}) };
    if (found.length > 1 && touches.length) return { ...said, touches };
    return { ...said, touches: [], mutes: [...new Set(mutes)] };
  }

  /** What a step's time depends on before anything else; an empty part is not known. @param {CompareAbout} about */
  const machine = (about) => [about.framework, about.batch, about.gpus].map((part) => part ?? "").join("\n");

  /** Subjects that are a duration, by role or by logged name. @param {CompareSubject} subject */
  const isTime = ({ role, keys }) =>
    ["step_s", "wait_s"].includes(role) || (!role && keys.some((key) => key !== null && /^tim(e|ing)/i.test(key)));

  /** The k of a pass@k metric's name. @param {string | undefined} name */
  function passK(name) {
    const digits = name && /(\d+)\D*$/.exec(name);
    return digits ? `k = ${digits[1]}` : name || null;
  }

  /** Samples per prompt of the runs that have a pass@k. @param {CompareAbout[]} abouts @param {string[]} pass */
  function samples(abouts, pass) {
    const named = groups(abouts.map((about) => about.samples)).map(({ value, runs }) => ({ value: String(value), runs }));
    return rule("samples", named, those(abouts, (about) => about.samples === null && about.roles.pass_k !== undefined), { touches: pass });
  }

  /** Logged names that mean another thing in another framework, or whose framework is not known.
      @param {CompareAbout[]} abouts @param {CompareSubject[]} subjects @returns {CompareRule | null} */
  function frameworks(abouts, subjects) {
    const byName = subjects.filter(({ role }) => !role);
    const others = byName.filter(({ terms }) => groups(terms).length > 1).map(({ id }) => id);
    const doubtful = byName.filter(({ id, keys }) => !others.includes(id) && keys.some((key, run) => key !== null && !abouts[run].framework));
    if (!others.length && !doubtful.length) return null;
    const mutes = doubtful.map(({ id }) => id);
    return { id: "framework", groups: groups(abouts.map((about) => about.framework || "")), touches: others, ...(mutes.length ? { mutes } : {}) };
  }

  /** Step times of runs with other or unknown framework, batch or number of GPUs.
      @param {CompareAbout[]} abouts @param {CompareSubject[]} subjects @returns {CompareRule | null} */
  function step(abouts, subjects) {
    const machines = groups(abouts.map(machine));
    const known = machines.every(({ value }) => !value.split("\n").includes(""));
    if (machines.length < 2 && known) return null;
    const mutes = ["#step", "@step_s", "@wait_s", ...subjects.filter(isTime).map(({ id }) => id)];
    return { id: "step", groups: machines, touches: [], mutes: [...new Set(mutes)] };
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
        thing in another framework. Names under one role measure the same thing, except for the reward. Other tasks,
        a failed run, other batches and machines, and whatever is not known of a run forbid nothing: differences are
        shown (`mutes`) without a word of better or worse. */
    rules(abouts, subjects) {
      if (abouts.length < 2) return [];
      const passes = new Set(abouts.map((about) => about.roles.pass_k));
      const onPass = subjects.filter(({ keys }) => keys.some((key) => key !== null && passes.has(key)));
      const onReward = subjects.filter(({ keys }) => keys.some((key, run) => key !== null && key === abouts[run].reward));
      const pass = ["#pass", ...onPass.map((subject) => subject.id)];
      const ks = groups(abouts.map((about) => passK(about.roles.pass_k)));
      const found = [
        rule("reward", groups(abouts.map(meaning)), those(abouts, (about) => about.reward !== null && !about.framework), { touches: ["@reward", "#ema"] }),
        rule("pass", ks, [], { touches: pass }),
        ks.length ? samples(abouts, pass) : null,
        frameworks(abouts, subjects),
        rule("data", groups(abouts.map((about) => about.data)), those(abouts, (about) => about.data === null), {
          mutes: ["#ema", "#solved", "#exceptions", "@reward", "@length_mean", "@turns_mean", ...pass, ...onReward.map(({ id }) => id)],
        }),
        step(abouts, subjects),
      ];
      const failed = those(abouts, (about) => about.failed).map((run) => ({ value: String(run), runs: [run] }));
      if (failed.length && failed.length < abouts.length) {
        found.push({ id: "failed", groups: failed, touches: [], mutes: ["#step", "@step_s", "@wait_s"] });
      }
      return /** @type {CompareRule[]} */ (found.filter(Boolean));
    },
  };
})();
