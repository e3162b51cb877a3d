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
      const smoothed = name === "points" && smooth !== "off" ? columns[smooth] : null;
      columns[place].forEach((at, index) => {
        if (at === null) return;
        const list = readings.get(at) || [];
        readings.set(at, list);
        const value = columns[measure][index];
        list.push({ series: columns.series[index], value, smooth: smoothed ? smoothed[index] : null });
      });
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

    /** A value as text: four significant digits, a real minus sign, a dash where there is none. */
    text(value) {
      if (value === null || value === undefined) return "\u2013";
      if (value === 0) return "0";
      const size = Math.abs(value);
      let shown;
      if (size < 1e-4 || size >= 1e9) shown = size.toExponential(2).replace(/\.?0*e\+?/, "e");
      else if (size >= 1000 || Number.isInteger(size)) shown = Math.round(size).toString().replace(/\B(?=(\d{3})+$)/g, ",");
      else shown = size.toPrecision(4);
      return (value < 0 ? "\u2212" : "") + shown;
    },

    /** SVG text with the page's colours in it, for a file that has no style sheet. */
    withColors(svg, resolve) {
      return svg.replace(/var\((--[a-z0-9-]+)\)/g, (_, name) => plain(resolve(name)));
    },
  };
})();
