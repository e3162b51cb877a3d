/* Curves of several runs as one chart, and the figures that the table shows. Pure.
   A line is what `data/lines-*.js` holds: [steps, raw, EMA, mean of 5, steps not finite]. */
(function () {
  "use strict";
  const AGAIN = "abcdefgh";
  const RAW = 1;
  const EMA = 2;
  const MEAN = 3;
  const BAD = 4;
  /** As in `sitegen/charts/step_scale.py`: values beyond the first are drawn divided by the second. */
  const HUGE = 1e300;
  const GROWN = 4;
  /** Pixels that the middle of a letter at the end of a line keeps from the other lines and letters. */
  const FROM_LINES = 7;
  const FROM_LETTERS = 11;
  const HALF_LETTER = 5;

  /** @param {CompareLine} line */
  function stepsOf(line) {
    const [steps, raw] = line;
    return typeof steps === "number" ? raw.map((_, at) => steps + at) : steps;
  }

  /** @param {number | null | undefined} value @returns {value is number} */
  const real = (value) => typeof value === "number" && Number.isFinite(value);

  /** @param {CompareAbout[]} abouts */
  function lasts(abouts) {
    return abouts.map((about) => about.last).filter(real);
  }

  /** @param {number | null} value */
  const above = (value) => real(value) && value > 0;

  /** @param {string[]} names @returns {ChartColumns} */
  const columnsOf = (names) => Object.fromEntries(names.map((name) => [name, []]));

  /** @param {ChartColumns} columns @param {Record<string, any>} row */
  function add(columns, row) {
    for (const name of Object.keys(row)) columns[name].push(row[name]);
  }

  /** The letters of the lines at their ends, above or below, where there is room.
      @param {ChartColumns} points @param {CompareAxis} axis @param {boolean} log
      @param {{names: ChartName[], height: number}} options */
  function labels(points, axis, log, { names, height }) {
    const scale = log ? Math.log10 : (/** @type {number} */ value) => value;
    const [low, high] = [scale(axis.y0), scale(axis.y1)];
    const ends = names.flatMap(({ key, en }) => {
      const last = points.series.reduce((found, series, at) => (series === key && real(points.ema[at]) ? at : found), -1);
      return last < 0 ? [] : [{ key, en, y: (height * (high - scale(points.ema[last]))) / (high - low) }];
    });
    const made = columnsOf(["series", "name", "dy"]);
    /** @type {number[]} */
    const taken = [];
    for (const end of ends.sort((a, b) => a.y - b.y)) {
      const others = ends.filter((other) => other !== end).map((other) => other.y);
      /** @param {number} offset */
      const free = (offset) =>
        end.y + offset >= 0 &&
        end.y + offset <= height - HALF_LETTER &&
        others.every((y) => Math.abs(y - end.y - offset) >= FROM_LINES) &&
        taken.every((y) => Math.abs(y - end.y - offset) >= FROM_LETTERS);
      const dy = [-9, 11, -20, 22, -31].find(free);
      if (dy === undefined) continue;
      taken.push(end.y + dy);
      add(made, { series: end.key, name: end.en, dy });
    }
    return made;
  }

  /** What of a line lies in the range: steps, and raw values with both smoothings.
      @param {CompareDrawn} drawn @param {[number, number]} range @returns {ComparePart} */
  function partOf({ series, line, checkpoint }, [from, to]) {
    const steps = stepsOf(line);
    const kept = steps.flatMap((step, at) => (step >= from && step <= to ? [at] : []));
    const columns = /** @type {Array<Array<number | null>>} */ ([line[RAW], line[EMA], line[MEAN]]);
    const bad = line[BAD].filter((step) => step >= from && step <= to);
    return { series, checkpoint, bad, steps: kept.map((at) => steps[at]), columns: columns.map((all) => kept.map((at) => all[at])) };
  }

  /** The parts with values whose range is a number, and how many times larger what they stand for is.
      @param {ComparePart[]} parts */
  function shrunk(parts) {
    const huge = parts.some(({ columns }) => columns.some((all) => all.some((value) => real(value) && Math.abs(value) > HUGE)));
    if (!huge) return { parts, grown: 1 };
    /** @param {number | null} value */
    const less = (value) => (real(value) ? value / GROWN : value);
    return { parts: parts.map((part) => ({ ...part, columns: part.columns.map((all) => all.map(less)) })), grown: GROWN };
  }

  /** @param {ComparePart[]} parts @param {number[][]} raws @param {{log: boolean, rate: boolean, checkpoints: boolean}} how
      @returns {CompareAxis} */
  function axisOf(parts, raws, { log, rate, checkpoints }) {
    if (log) return sitegen.compareAxis.log(raws.flat());
    const values = parts.flatMap(({ columns }) => columns.flat().filter(real));
    const whole = checkpoints || (rate && values.every((value) => value >= 0 && value <= 1));
    return whole ? sitegen.compareAxis.linear(values, rate) : sitegen.compareAxis.fitting(raws, values);
  }

  /** The points of the lines, and what is marked on them.
      @param {ComparePart[]} parts @param {CompareAxis} axis @param {{log: boolean, checkpoints: boolean}} how */
  function filled(parts, axis, { log, checkpoints }) {
    const points = columnsOf(["step", "series", "raw", "ema", "mean5", "lone"]);
    const marks = columnsOf(["step", "series", "kind", "raw", "ema", "mean5", "label", "clock"]);
    for (const { series, checkpoint, bad, steps, columns } of parts) {
      /** @param {string} kind @param {number} step @param {Array<number | null>} [at] */
      const mark = (kind, step, [raw, ema, mean5] = [null, null, null]) =>
        add(marks, { step, series, kind, raw, ema, mean5, label: "", clock: null });
      const shown = columns.map((all) => all.map((value) => (log && !above(value) ? null : value)));
      const there = shown[0].map(real);
      steps.forEach((step, at) => {
        const found = shown.map((all) => all[at]);
        const [raw, ema, mean5] = found;
        add(points, { step, series, raw, ema, mean5, lone: Number(there[at] && !there[at - 1] && !there[at + 1]) });
        if (real(columns[0][at]) && !there[at]) mark("nonpositive", step);
        if (checkpoints && step === checkpoint && there[at]) mark("selected", step, found);
        if (real(raw) && raw > (axis.yTop ?? Infinity)) mark("beyond", step, found);
      });
      for (const step of bad) mark("nonfinite", step);
    }
    return { points, marks };
  }

  sitegen.compareLines = {
    /** The code of a run's colour and dash in the charts. */
    code: (tone) => (tone.dash === (tone.tone % 2 === 0) ? String(tone.tone) : AGAIN[tone.tone - 1]),

    stepsOf,

    /** The last step that every run with steps reached; null without any. */
    common(abouts) {
      const found = lasts(abouts);
      return found.length ? Math.min(...found) : null;
    },

    /** The last step of the run that went furthest; null without any. */
    furthest(abouts) {
      const found = lasts(abouts);
      return found.length ? Math.max(...found) : null;
    },

    /** What an id of a metric means for each run: the metric under a role, or the metric of that name. */
    subject(id, abouts) {
      const role = id.startsWith("@") ? id.slice(1) : "";
      const keys = abouts.map((about) => {
        const key = role ? about.roles[role] : id;
        return key !== undefined && Object.prototype.hasOwnProperty.call(about.metrics, key) ? key : null;
      });
      const terms = abouts.map((about, at) => {
        const key = keys[at];
        return key === null ? null : about.metrics[key][2];
      });
      return { id, role, keys, terms };
    },

    /** A run's value, and its step where that is worth saying. At the last common step: the newest value up to it. */
    value(about, key, line, stat, common) {
      const nothing = { value: null, step: null };
      if (key === null) return nothing;
      const [, , , best, bestStep, mean, checkpoint, last, lastStep] = about.metrics[key];
      if (stat === "last") return { value: last, step: lastStep };
      if (stat === "best") return { value: best, step: bestStep };
      if (stat === "mean") return { value: mean, step: null };
      if (stat === "ckpt") return { value: checkpoint, step: checkpoint === null ? null : about.checkpoint };
      if (common === null || !line) return nothing;
      const steps = stepsOf(line);
      for (let at = steps.length - 1; at >= 0; at -= 1) {
        if (steps[at] <= common && real(line[1][at])) return { value: line[1][at], step: steps[at] };
      }
      return nothing;
    },

    /** How a value stands to the baseline's in the metric's own direction. */
    verdict(value, base, direction) {
      if (!real(value) || !real(base)) return null;
      const delta = value - base;
      const near = /^near:(.+)$/.exec(direction);
      if (delta === 0) return { delta, word: "same" };
      if (near) {
        const [mine, other] = [Math.abs(value - Number(near[1])), Math.abs(base - Number(near[1]))];
        return { delta, word: mine === other ? "same" : mine < other ? "better" : "worse" };
      }
      if (direction !== "up" && direction !== "down") return { delta, word: "none" };
      return { delta, word: delta > 0 === (direction === "up") ? "better" : "worse" };
    },

    /** One chart of several lines as the page's charts take it: what lies in the range, raw values and both smoothings
        as they were made with the run. Null without a finite value. */
    chart(given, range, options) {
      const { parts, grown } = shrunk(given.map((line) => partOf(line, range)));
      const raws = parts.map(({ columns }) => columns[0].filter(real));
      const raw = raws.flat();
      if (!raw.length) return null;
      const log = sitegen.compareAxis.wantsLog(raw);
      const axis = axisOf(parts, raws, { log, ...options });
      const { points, marks } = filled(parts, axis, { log, ...options });
      const margin = Math.max(0.5, 0.015 * (range[1] - range[0]));
      const records = Math.max(...given.map(({ line }) => line[RAW].length));
      const scaled = grown === 1 ? axis : { ...axis, yDiv: axis.yDiv / grown, grown };
      return {
        form: log ? "lines-log" : "lines",
        datasets: {
          points,
          marks,
          band: columnsOf(["step", "low", "high"]),
          jobs: columnsOf(["step", "label"]),
          names: options.labels ? labels(points, axis, log, options) : columnsOf(["series", "name", "dy"]),
        },
        params: { x0: range[0] - margin, x1: range[1] + margin, records, names: options.names, ...scaled },
      };
    },

    /** Steps against runs, raw and with both smoothings, as rows of cells. */
    table(lines) {
      const at = lines.map(({ line }) => new Map(stepsOf(line).map((step, index) => [step, index])));
      const steps = [...new Set(at.flatMap((places) => [...places.keys()]))].sort((a, b) => a - b);
      return steps.map((step) => [
        step,
        ...lines.flatMap(({ line }, run) => {
          const index = at[run].get(step);
          return [1, 2, 3].map((column) => (index === undefined ? null : /** @type {any} */ (line[column])[index]));
        }),
      ]);
    },
  };
})();
