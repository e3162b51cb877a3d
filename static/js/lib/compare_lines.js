/* Curves of several runs as one chart, and the figures that the table shows. Pure.
   A line is what `data/lines-*.js` holds: [steps, raw, EMA, mean of 5, steps not finite]. */
(function () {
  "use strict";
  const AGAIN = "abcdefgh";
  const RAW = 1;
  const EMA = 2;
  const MEAN = 3;
  const BAD = 4;
  /** As in `sitegen/charts/drawn.py`: fewer values than this are dots, joined by lines. */
  const FEWEST = 10;
  /** As in `sitegen/analyse/progress.py`, `smooth.py` and `sitegen/charts/thin.py`: weight of a new value in the EMA,
      records in the trailing mean, and points from which a line is thinned, so that not all of its values are here. */
  const ALPHA = 1 / 3;
  const WINDOW = 5;
  const THINNED = 500;
  /** As in `sitegen/charts/step_scale.py`: values beyond the first are drawn divided by the second. */
  const HUGE = 1e300;
  const GROWN = 4;
  /** Pixels: the plot on a phone, a letter's width and half its height, what a ring takes around its middle, and how
      far beside the end of a line its letter stands. */
  const NARROW = 250;
  const LETTER = 8;
  const HALF_LETTER = 5;
  const RING = 9;
  const BESIDE = 5;
  /** Where a letter may stand: beside the end or not, and how far down. */
  const PLACES = /** @type {Array<[boolean, number]>} */ ([
    ...[0, -5, 5, -11, 11, -17, 17].map((dy) => [true, dy]),
    ...[-10, 11, -20, 22, -31].map((dy) => [false, dy]),
  ]);

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

  /** The unbroken stretches of each line, in pixels of the narrowest plot.
      @param {ChartColumns} points @param {(step: number) => number} x @param {(value: number) => number} y
      @returns {Map<string, number[][][]>} */
  function stretches(points, x, y) {
    /** @type {Map<string, number[][][]>} */
    const found = new Map();
    points.step.forEach((step, at) => {
      const own = found.get(points.series[at]) || [[]];
      found.set(points.series[at], own);
      if (real(points.ema[at])) own[own.length - 1].push([x(step), y(points.ema[at])]);
      else if (own[own.length - 1].length) own.push([]);
    });
    return found;
  }

  /** Whether a stretch of a line passes through a box of left, right, top and bottom.
      @param {number[][]} stretch @param {number[]} box */
  function crosses(stretch, [left, right, top, bottom]) {
    return stretch.some(([x1, y1], at) => {
      const [x0, y0] = stretch[at - 1] || [x1, y1];
      if (x1 < left || x0 > right) return false;
      const slope = x1 > x0 ? (y1 - y0) / (x1 - x0) : 0;
      const ends = [y0 + slope * (Math.max(x0, left) - x0), x1 > x0 ? y0 + slope * (Math.min(x1, right) - x0) : y1];
      return Math.min(...ends) <= bottom && Math.max(...ends) >= top;
    });
  }

  /** The letters of the lines at their ends: beside the end, else over or under it, where no line, ring or letter is.
      @param {ChartColumns} points @param {ChartColumns} marks @param {Record<string, any>} axis
      @param {{names: ChartName[], height: number, log: boolean}} options */
  function labels(points, marks, axis, { names, height, log }) {
    const scale = log ? Math.log10 : (/** @type {number} */ value) => value;
    const [low, high] = [scale(axis.y0), scale(axis.y1)];
    const y = (/** @type {number} */ value) => height * ((high - scale(value)) / (high - low));
    const x = (/** @type {number} */ step) => (NARROW * (step - axis.x0)) / (axis.x1 - axis.x0);
    const lines = stretches(points, x, y);
    const rings = marks.step.flatMap((step, at) => (marks.kind[at] === "selected" ? [[x(step), y(marks.ema[at])]] : []));
    const ends = names.flatMap(({ key, en }) => {
      const last = (lines.get(key) || []).filter((stretch) => stretch.length).pop();
      return last ? [{ key, en, at: last[last.length - 1] }] : [];
    });
    const made = columnsOf(["series", "name", "dx", "dy"]);
    /** @type {number[][]} */
    const taken = [];
    for (const { key, en, at } of ends.sort((a, b) => a.at[1] - b.at[1])) {
      const ringed = rings.some((ring) => Math.hypot(ring[0] - at[0], ring[1] - at[1]) < RING);
      /** @param {number} dx @param {number} dy */
      const boxOf = (dx, dy) => {
        const left = dx > 0 ? at[0] + dx : at[0] - LETTER;
        return [left - 1, left + LETTER + 1, at[1] + dy - HALF_LETTER, at[1] + dy + HALF_LETTER];
      };
      const place = PLACES.map(([beside, dy]) => [beside ? (ringed ? RING + 1.5 : BESIDE) : 0, dy]).find(([dx, dy]) => {
        const [left, right, top, bottom] = boxOf(dx, dy);
        return (
          top >= -HALF_LETTER &&
          bottom <= height + HALF_LETTER &&
          !taken.some((other) => other[0] < right && other[1] > left && other[2] < bottom && other[3] > top) &&
          !rings.some(([rx, ry]) => rx + RING > left && rx - RING < right && ry + RING > top && ry - RING < bottom) &&
          ![...lines.values()].some((line) => line.some((stretch) => crosses(stretch, [left, right, top, bottom])))
        );
      });
      if (!place) continue;
      taken.push(boxOf(place[0], place[1]));
      add(made, { series: key, name: en, dx: place[0], dy: place[1] });
    }
    return made;
  }

  /** Both smoothings without the values that the axis does not hold, where the lines break: `drawn.smoothed`.
      @param {Array<number | null>} raw @param {number} top @returns {Array<Array<number | null>>} */
  function held(raw, top) {
    const kept = raw.map((value) => (real(value) && value <= top ? value : null));
    let average = NaN;
    const ema = kept.map((value) => {
      if (value === null) return null;
      average = Number.isNaN(average) ? value : ALPHA * value + (1 - ALPHA) * average;
      return average;
    });
    const mean = kept.map((value, at) => {
      if (value === null) return null;
      const near = kept.slice(Math.max(0, at - WINDOW + 1), at + 1).filter(real);
      return near.reduce((sum, each) => sum + each, 0) / near.length;
    });
    return [raw, ema, mean];
  }

  /** What of a line lies in the range: steps, and raw values with both smoothings.
      @param {CompareDrawn} drawn @param {[number, number]} range
      @param {number} [top] where the axis ends, when values lie beyond it @returns {ComparePart} */
  function partOf({ series, line, checkpoint }, [from, to], top = Infinity) {
    const steps = stepsOf(line);
    const kept = steps.flatMap((step, at) => (step >= from && step <= to ? [at] : []));
    const given = /** @type {Array<Array<number | null>>} */ ([line[RAW], line[EMA], line[MEAN]]);
    const smooth = line[EMA].some((value, at) => value !== line[RAW][at]);
    const over = line[RAW].length < THINNED && line[RAW].some((value) => real(value) && value > top);
    const columns = smooth && over ? held(given[0], top) : given;
    const bad = line[BAD].filter((step) => step >= from && step <= to);
    const few = columns[0].filter(real).length < FEWEST;
    return { series, checkpoint, bad, few, steps: kept.map((at) => steps[at]), columns: columns.map((all) => kept.map((at) => all[at])) };
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
    for (const { series, checkpoint, bad, steps, columns, few } of parts) {
      /** @param {string} kind @param {number} step @param {Array<number | null>} [at] */
      const mark = (kind, step, [raw, ema, mean5] = [null, null, null]) =>
        add(marks, { step, series, kind, raw, ema, mean5, label: "", clock: null });
      const shown = columns.map((all) => all.map((value) => (log && !above(value) ? null : value)));
      const there = shown[0].map(real);
      steps.forEach((step, at) => {
        const found = shown.map((all) => all[at]);
        const [raw, ema, mean5] = found;
        add(points, { step, series, raw, ema, mean5, lone: Number(there[at] && (few || (!there[at - 1] && !there[at + 1]))) });
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
      const whole = given.map((line) => partOf(line, range));
      const raw = whole.flatMap(({ columns }) => columns[0].filter(real));
      if (!raw.length) return null;
      const log = sitegen.compareAxis.wantsLog(raw);
      const { parts, grown } = log ? { parts: whole, grown: 1 } : shrunk(whole);
      const raws = parts.map(({ columns }) => columns[0].filter(real));
      const axis = axisOf(parts, raws, { log, ...options });
      const { yTop } = axis;
      const inside = yTop === undefined || grown !== 1 ? parts : given.map((line) => partOf(line, range, yTop));
      const { points, marks } = filled(inside, axis, { log, ...options });
      const margin = Math.max(0.5, 0.015 * (range[1] - range[0]));
      const ends = { x0: range[0] - margin, x1: range[1] + margin };
      const records = Math.max(...given.map(({ line }) => line[RAW].length));
      const scaled = grown === 1 ? axis : { ...axis, yDiv: axis.yDiv / grown, grown };
      return {
        form: log ? "lines-log" : "lines",
        datasets: {
          points,
          marks,
          band: columnsOf(["step", "low", "high"]),
          jobs: columnsOf(["step", "label"]),
          names: options.labels
            ? labels(points, marks, { ...axis, ...ends }, { ...options, log })
            : columnsOf(["series", "name", "dx", "dy"]),
        },
        params: { ...ends, records, names: options.names, ...scaled },
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
