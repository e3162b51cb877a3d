/* Data of charts, for drawing and for the readout. Pure. */
(function () {
  "use strict";

  /** Data set, position and value that the readout of a form shows.
      @type {Record<string, [string, string, string]>} */
  const READ = {
    lines: ["points", "step", "raw"],
    "lines-log": ["points", "step", "raw"],
    time: ["areas", "step", "v"],
    errors: ["areas", "step", "v"],
    engine: ["means", "x", "v"],
    outcome: ["bars", "order", "v"],
  };

  /** @param {string} color */
  function plain(color) {
    const found = /^color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)/.exec(color);
    if (!found) return color;
    return `rgb(${found.slice(1, 4).map((part) => Math.round(Number(part) * 255)).join(",")})`;
  }

  /** Evaluations are marks, and read like values of a line of their own.
      @param {Map<number, ChartReading[]>} readings
      @param {ChartColumns | undefined} marks */
  function addEvaluations(readings, marks) {
    (marks ? marks.kind : []).forEach((/** @type {string} */ kind, /** @type {number} */ index) => {
      if (!marks || kind !== "evaluation") return;
      const list = readings.get(marks.step[index]) || [];
      readings.set(marks.step[index], list);
      list.push({ series: "evaluation", value: marks.raw[index], smooth: null });
    });
  }

  sitegen.chartData = {
    /** Columns as the rows that Vega takes. */
    rows(columns) {
      const keys = Object.keys(columns);
      return (columns[keys[0]] || []).map((_, at) => Object.fromEntries(keys.map((key) => [key, columns[key][at]])));
    },

    /** Positions that can be read, rising, and the values at each. */
    readable(form, datasets, smooth) {
      /** @type {Map<number, ChartReading[]>} */
      const readings = new Map();
      const [name, place, measure] = READ[form] || ["", "", ""];
      const columns = datasets[name];
      if (!columns) return { at: [], readings };
      const bold = name === "points" && smooth !== "off" ? columns[smooth] : null;
      const smoothed = bold && bold.some((value, index) => value !== columns[measure][index]) ? bold : null;
      columns[place].forEach((at, index) => {
        if (at === null) return;
        const list = readings.get(at) || [];
        readings.set(at, list);
        const value = columns[measure][index];
        list.push({ series: columns.series[index], value, smooth: smoothed ? smoothed[index] : null });
      });
      if (name === "points") addEvaluations(readings, datasets.marks);
      return { at: Array.from(readings.keys()).sort((a, b) => a - b), readings };
    },

    /** The position nearest to x among rising ones; null without any. */
    nearest(at, x) {
      let low = 0;
      let high = at.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (at[middle] < x) low = middle + 1;
        else high = middle;
      }
      if (at.length === 0) return null;
      if (low === 0) return at[0];
      if (low === at.length) return at[low - 1];
      return x - at[low - 1] <= at[low] - x ? at[low - 1] : at[low];
    },

    /** The position so many places on from the one nearest to x, not beyond the ends; null without any. */
    stepped(at, x, places) {
      const near = sitegen.chartData.nearest(at, x);
      if (near === null) return null;
      return at[Math.min(at.length - 1, Math.max(0, at.indexOf(near) + places))];
    },

    /** A value as text, with all seven digits that drawn values carry; a real minus sign, a dash where there is none. */
    text(value) {
      if (value === null || value === undefined) return "\u2013";
      if (value === 0) return "0";
      const size = Math.abs(value);
      let shown;
      if (size < 1e-4 || size >= 1e9) shown = size.toExponential(6).replace(/\.?0*e\+?/, "e");
      else {
        const [whole, part] = String(Number(size.toPrecision(7))).split(".");
        shown = whole.replace(/\B(?=(\d{3})+$)/g, ",") + (part ? `.${part}` : "");
      }
      return (value < 0 ? "\u2212" : "") + shown;
    },

    /** SVG text with the page's colours in it, for a file that has no style sheet. */
    withColors(svg, resolve) {
      return svg.replace(/var\((--[a-z0-9-]+)\)/g, (_, name) => plain(resolve(name)));
    },
  };
})();
