/* Axes, places and bins of the plots of runs. Pure. */
(function () {
  "use strict";

  /** Round steps that make at most `most` ticks. @param {number} low @param {number} high @param {number} most */
  function linear(low, high, most) {
    const rough = (high - low) / Math.max(most - 1, 1);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough * 0.999) || 10) * power;
    const first = Math.floor(low / step + 1e-9);
    const last = Math.ceil(high / step - 1e-9);
    const ticks = [];
    for (let n = first; n <= last; n += 1) ticks.push(Number((n * step).toPrecision(12)));
    return ticks;
  }

  /** What the ticks of an even axis say: the same decimals at all, zero as 0. @param {number[]} ticks */
  function evenTexts(ticks) {
    const step = ticks.length > 1 ? ticks[1] - ticks[0] : 1;
    const largest = Math.max(...ticks.map(Math.abs));
    if (step < 1e-4 || largest >= 1e9) return ticks.map((value) => sitegen.numbers.number(value, 3));
    const places = [0, 1, 2, 3, 4, 5].find((n) => Math.abs(step * 10 ** n - Math.round(step * 10 ** n)) < 1e-6) || 0;
    return ticks.map((value) => (value === 0 ? "0" : sitegen.numbers.fixed(value, places)));
  }

  /** Powers of ten, and thirds between them where these are few. @param {number} low @param {number} high @param {number} most */
  function logarithmic(low, high, most) {
    const from = Math.floor(Math.log10(low) + 1e-9);
    const to = Math.ceil(Math.log10(high) - 1e-9);
    const every = Math.max(1, Math.ceil((to - from) / most));
    const ticks = [];
    for (let n = from; n <= to; n += every) {
      ticks.push(Number(`1e${n}`));
      if (to - from <= 2 && n < to) ticks.push(Number(`3e${n}`));
    }
    return ticks.filter((tick) => tick >= low * 0.5 && tick <= high * 2);
  }

  /** @param {string[]} found @returns {PlotAxis} */
  function named(found) {
    const names = found.slice(0, 12);
    const rest = found.length > names.length;
    const slots = names.length + Number(rest);
    /** @param {number} at */
    const centre = (at) => (at + 0.5) / slots;
    const ticks = names.map((text, at) => ({ at: centre(at), text }));
    if (rest) ticks.push({ at: centre(names.length), text: "…" });
    return {
      kind: "names",
      low: 0,
      high: slots,
      ticks,
      place(value) {
        if (value === null) return null;
        const at = names.indexOf(String(value));
        return centre(at < 0 ? names.length : at);
      },
    };
  }

  sitegen.plots = {
    /** Whether all values there are, are numbers. */
    numbers(cells) {
      const there = cells.filter((cell) => cell !== null);
      return there.length > 0 && there.every((cell) => typeof cell === "number");
    },

    /** The axis for some values: names, a logarithm where positive values differ by the factor or more, else even. */
    axis(cells, most, factor) {
      const there = cells.filter((cell) => cell !== null);
      if (!sitegen.plots.numbers(cells)) {
        const counts = new Map();
        for (const cell of there) counts.set(String(cell), (counts.get(String(cell)) || 0) + 1);
        return named([...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a) || (a < b ? -1 : 1)));
      }
      const values = /** @type {number[]} */ (there);
      let low = values.reduce((a, b) => Math.min(a, b));
      let high = values.reduce((a, b) => Math.max(a, b));
      const log = low > 0 && high / low >= factor;
      if (low === high) [low, high] = low === 0 ? [-1, 1] : [low - Math.abs(low) / 2, high + Math.abs(high) / 2];
      const whole = !log && Math.max(-low, high) > 1 && high - low >= 1 && values.every(Number.isInteger);
      const found = log ? logarithmic(low, high, most) : linear(low, high, most);
      const steps = whole ? found.filter(Number.isInteger) : found; // there is nothing between two counts
      const from = log ? low : Math.min(steps[0], low);
      const to = log ? high : Math.max(steps[steps.length - 1], high);
      const scale = log ? Math.log10 : /** @param {number} value */ (value) => value;
      /** @param {number} value */
      const share = (value) => (scale(value) - scale(from)) / (scale(to) - scale(from));
      const texts = log ? steps.map((value) => sitegen.numbers.number(value, 3)) : evenTexts(steps);
      return {
        kind: log ? "log" : "linear",
        low: from,
        high: to,
        ticks: steps
          .map((value, at) => ({ at: share(value), text: texts[at] }))
          .filter((tick) => tick.at > -1e-6 && tick.at < 1 + 1e-6),
        place: (value) => (typeof value === "number" ? share(value) : null),
      };
    },

    /** How many values lie in each of so many equal bins. */
    bins(values, count) {
      const low = values.reduce((a, b) => Math.min(a, b), Infinity);
      const high = values.reduce((a, b) => Math.max(a, b), -Infinity);
      const bins = new Array(count).fill(0);
      for (const value of values) {
        bins[high > low ? Math.min(count - 1, Math.floor((count * (value - low)) / (high - low))) : 0] += 1;
      }
      return bins;
    },

    /** Sideways place of the n-th dot of a strip, -0.5 to 0.5: spread evenly, the same every time. */
    spread(index) {
      return ((index * 0.618034 + 0.5) % 1) - 0.5;
    },

    /** Settings of which some runs differ, those set in most runs and with fewest values first; `some` for those that
        differ only in that some runs do not set them. Runs without any configuration say nothing. */
    differing(configs, rows) {
      const all = Object.values(configs);
      const told = rows.filter((run) => all.some(([, codes]) => codes[run] >= 0));
      return Object.keys(configs)
        .map((key) => {
          const codes = told.map((run) => configs[key][1][run]);
          const given = codes.filter((code) => code >= 0);
          return { key, values: new Set(codes).size, set: given.length, some: new Set(given).size < 2 };
        })
        .filter((item) => item.values > 1)
        .sort((a, b) => b.set - a.set || a.values - b.values || (a.key < b.key ? -1 : 1));
    },
  };
})();
