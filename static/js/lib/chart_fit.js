/* The value axis of a part of a chart: of what lies in view, by the rules of the whole (`compare_axis.js`). Pure. */
(function () {
  "use strict";

  /** Places, edges and values of the data sets of a form that decide its value axis.
      @param {ChartData} data
      @param {ChartSmooth} smooth
      @returns {Array<[any[], any[]]>} */
  function columns({ form, datasets }, smooth) {
    const { points, band, areas, dots } = datasets;
    if (form === "engine") return [[dots.x, dots.v]];
    if (!form.startsWith("lines")) return [[areas.x, areas.y1]];
    const lines = smooth === "off" ? [points.raw] : [points.raw, points[smooth]];
    const ends = band ? [band.low, band.high] : [];
    return [
      ...lines.map((values) => /** @type {[any[], any[]]} */ ([points.step, values])),
      ...ends.map((values) => /** @type {[any[], any[]]} */ ([band.step, values])),
    ];
  }

  sitegen.chartFit = {
    /** Values of the axis' parameters for the positions shown; null where the axis of the whole is as good: nothing
        lies there, or all of it is one value. What lies beyond the axis of the whole (`yTop`) stays beyond. */
    axis(data, smooth, [from, to]) {
      const { params, datasets } = data;
      const top = params.yTop ?? Infinity;
      /** @type {number[]} */
      const values = [];
      const all = columns(data, smooth);
      if (datasets.marks) all.push([datasets.marks.step, datasets.marks.raw]);
      for (const [at, heights] of all) {
        at.forEach((/** @type {any} */ place, /** @type {number} */ index) => {
          const value = heights[index];
          if (typeof value === "number" && place >= from && place <= to && value <= top) values.push(value);
        });
      }
      if (!values.length) return null;
      const stacked = Boolean(datasets.areas);
      const log = data.form === "lines-log";
      const axis = log ? sitegen.compareAxis.log(values) : sitegen.compareAxis.linear(stacked ? [0, ...values] : values, false);
      const ticks = axis.yTicks;
      if (ticks.length < 2 || !Number.isFinite(axis.y1 - axis.y0)) return null;
      const ends = stacked ? { y0: ticks[0], y1: ticks[ticks.length - 1] } : {};
      return { ...axis, ...ends, yDiv: axis.yDiv / (params.grown || 1) };
    },
  };
})();
