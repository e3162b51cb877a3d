/* The value axis of lines that are put together in the browser, by the rules of the pages' own charts
   (`sitegen/charts/scales.py`); the same cases test both. Pure. */
(function () {
  "use strict";
  const STEPS = [1, 2, 2.5, 5];
  const FLAT = 1e-12;
  const LEAST = 1e-290; // of a range; a smaller one is drawn as none
  const LOG_RATIO = 1000;
  const LEAST_POWER = -323; // of a positive number that is not 0
  const GREATEST_POWER = 308;
  /** As in `sitegen/charts/beyond.py`: where a few greatest values lie far beyond the rest, the axis ends before. */
  const FEWEST = 20;
  const USUAL = 0.95;
  const FAR = 4;
  const ROOM = 1.25;

  /** @param {number} value @param {number} places */
  const rounded = (value, places) => Number(places > 100 ? value.toPrecision(15) : value.toFixed(Math.max(0, places)));

  /** The smallest round step that covers the range in at most four intervals.
      @param {number} low @param {number} high */
  function stepOf(low, high) {
    const rough = high / 4 - low / 4;
    const power = Math.floor(Math.log10(rough));
    if (!Number.isFinite(rough) || power > 300) return Infinity;
    for (const exponent of [power, power + 1]) {
      for (const factor of STEPS) {
        const step = factor * 10 ** exponent;
        if (Math.ceil(high / step) - Math.floor(low / step) <= 4) return step;
      }
    }
    return 10 ** (power + 2);
  }

  /** @param {number} size @returns {[number, string]} */
  function thousands(size) {
    if (size >= 1e4 && size < 1e7) return [1e3, " k"];
    return size >= 1e7 && size < 1e10 ? [1e6, " M"] : [1, ""];
  }

  /** Decimals that all ticks of a step need. @param {number} step @param {number} largest */
  function format(step, largest) {
    if (step < 1e-4 || largest >= 1e10) return ".2~e";
    let places = 0;
    while (places < 8 && Math.abs(step - rounded(step, places)) > 1e-6 * step) places += 1;
    return `,.${places}f`;
  }

  /** @param {number[]} ticks @param {number} step @returns {CompareAxis} */
  function even(ticks, step) {
    const [low, high] = [ticks[0], ticks[ticks.length - 1]];
    const largest = Math.max(Math.abs(low), Math.abs(high));
    const [yDiv, ySuffix] = thousands(largest);
    const room = 0.02 * (high - low);
    return { y0: low - room, y1: high + room, yTicks: ticks, yDiv, ySuffix, yFormat: format(step / yDiv, largest / yDiv) };
  }

  /** @param {number} value @returns {CompareAxis} */
  function constant(value) {
    const size = Math.abs(value);
    const [yDiv, ySuffix] = thousands(size);
    const [y0, y1] = value ? [value - size / 2, value + size / 2] : [-0.02, 1];
    return { y0, y1, yTicks: [value], yDiv, ySuffix, yFormat: size >= 1e-4 || value === 0 ? ".4~g" : ".3~e" };
  }

  /** Where an axis ends that the greatest values do not flatten; null where it holds all.
      @param {number[]} values */
  function topOf(values) {
    const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
    if (sorted.length < FEWEST || sorted[0] < 0) return null;
    const usual = sorted[Math.ceil(USUAL * sorted.length) - 1];
    return usual > 0 && sorted[sorted.length - 1] / FAR > usual ? ROOM * usual : null;
  }

  sitegen.compareAxis = {
    /** Whether a linear axis would flatten all but the spikes, and at most a tenth of the values is 0 or less. */
    wantsLog(values) {
      const sorted = [...values].sort((a, b) => a - b);
      if (sorted.length < 2 || sorted[Math.floor(sorted.length / 10)] <= 0) return false;
      return sorted[sorted.length - 1] >= LOG_RATIO * sorted[Math.floor(sorted.length / 2)];
    },

    /** The axis for finite values; of shares from 0 to 1 where none lies outside. */
    linear(values, rate) {
      let low = values.reduce((a, b) => Math.min(a, b), Infinity);
      let high = values.reduce((a, b) => Math.max(a, b), -Infinity);
      if (low > high) [low, high] = [0, 1];
      if (rate && low >= 0 && high <= 1) return even([0, 0.25, 0.5, 0.75, 1], 0.25);
      if (low >= 0 && low <= high / 2) low = 0;
      if (!Number.isFinite(high - low)) [low, high] = [low / 2, high / 2];
      if (high - low <= FLAT * Math.max(Math.abs(low), Math.abs(high)) || high - low < LEAST) {
        return constant(Math.abs(high) < LEAST ? 0 : high);
      }
      const step = stepOf(low, high);
      if (!Number.isFinite(step)) {
        const yTicks = low < 0 && high > 0 ? [low, 0, high] : [low, high];
        return { y0: low, y1: high, yTicks, yDiv: 1, ySuffix: "", yFormat: ".2~e" };
      }
      const places = 12 - Math.floor(Math.log10(step));
      const [first, last] = [Math.floor(low / step), Math.ceil(high / step)];
      const ticks = Array.from({ length: last - first + 1 }, (_, at) => rounded((first + at) * step, places));
      return even(ticks, step);
    },

    top: topOf,

    /** The axis for lines, each of its finite logged values, and everything drawn of them. `yTop` is there where some
        values lie beyond its end: it ends where no line is cut but for its own rare greatest values. */
    fitting(lines, values) {
      const greatest = (/** @type {number[]} */ line) => line.reduce((a, b) => Math.max(a, b), -Infinity);
      const top = lines.map((line) => topOf(line) ?? greatest(line)).reduce((a, b) => Math.max(a, b), -Infinity);
      if (lines.every((line) => greatest(line) <= top)) return sitegen.compareAxis.linear(values, false);
      const axis = sitegen.compareAxis.linear([...values.filter((value) => value <= top), top], false);
      const yTop = axis.yTicks[axis.yTicks.length - 1];
      return { ...axis, y1: yTop, yTop };
    },

    /** A logarithmic axis for positive values: whole powers of ten, at most five ticks. */
    log(values) {
      const positive = values.filter((value) => value > 0);
      const low = positive.reduce((a, b) => Math.min(a, b), Infinity);
      const high = positive.reduce((a, b) => Math.max(a, b), -Infinity);
      const first = Math.max(LEAST_POWER, Math.min(GREATEST_POWER - 1, Math.floor(Math.log10(low))));
      const last = Math.max(Math.min(GREATEST_POWER, Math.ceil(Math.log10(high))), first + 1);
      const stride = Math.ceil((last - first) / 4);
      const ticks = [];
      for (let power = first; power <= last; power += stride) ticks.push(Number(`1e${power}`));
      const ends = { y0: Number(`1e${first}`), y1: Number(`1e${last}`) };
      return { ...ends, yTicks: ticks, yDiv: 1, ySuffix: "", yFormat: "~g" };
    },
  };
})();
