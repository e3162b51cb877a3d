/* State and data of charts: what the address says, what the readout shows. */
"use strict";
const assert = require("node:assert/strict");
const test = require("node:test");
const load = require("./load.js");

const { chartState, chartData, chartAxis, chartFit } = load(
  "chart_state", "chart_axis", "chart_data", "compare_axis", "chart_fit",
);
const same = (actual, expected) => assert.deepEqual(load.plain(actual), expected);

test("a state survives the address", () => {
  for (const state of [
    { smooth: "ema", x: null, step: null, axis: "step" },
    { smooth: "mean5", x: [10, 40.5], step: 12, axis: "clock" },
    { smooth: "off", x: [-3, 0], step: -1, axis: "trials" },
    { smooth: "ema", x: [0.123, 0.234], step: 0.171875, axis: "step" },
  ]) {
    const keys = Object.fromEntries(Object.entries(chartState.write(state)).filter(([, value]) => value !== ""));
    same(chartState.read(keys), state);
  }
});

test("what the address cannot mean is left at its default", () => {
  const plain = { smooth: "ema", x: null, step: null, axis: "step" };
  for (const keys of [{}, { smooth: "loess" }, { axis: "<b>" }, { x: "40-10" }, { x: "a-b" }, { x: "5-5" }, { step: "<b>" }, { step: "" }])
    same(chartState.read(keys), plain);
});

test("a drag means a range inside of what is shown, a short one nothing", () => {
  same(chartState.range(70, 20, [0, 80]), [20, 70]);
  same(chartState.range(-50, 90, [0, 80]), [0, 80]);
  assert.equal(chartState.range(20, 20.5, [0, 80]), null);
  assert.equal(chartState.range(20, 25, [0, 1000]), null);
});

test("a range has as many digits as its width needs", () => {
  assert.equal(chartState.write({ smooth: "ema", x: [1.23456, 5001.2], step: null, axis: "step" }).x, "1-5001");
  assert.equal(chartState.write({ smooth: "ema", x: [10.26, 40.04], step: null, axis: "step" }).x, "10.3-40");
});

test("zooming keeps the position under the mark where it is, and never leaves the whole", () => {
  same(chartState.zoom([0, 80], 20, 0.5, [0, 80]), [10, 50]);
  same(chartState.zoom([10, 50], 20, 0.5, [0, 80]), [15, 35]);
  same(chartState.zoom([60, 80], 70, 2, [0, 80]), [50, 80]);
  assert.equal(chartState.zoom([0, 60], 20, 2, [0, 80]), null);
  same(chartState.zoom([4, 5], 4, 0.5, [0, 80]), [4, 5]);
});

test("a range is said in whole steps, and the room beside them is the drawing's", () => {
  same(chartState.snapped([39.9, 60.2]), [40, 60]);
  same(chartState.snapped([39.5, 60.5]), [40, 60]);
  same(chartState.snapped([40, 60]), [40, 60]);
  same(chartState.snapped([40.2, 40.9]), [40, 41]);
  same(chartState.snapped([3.5, 5.5], true), [3, 6]);
  same(chartState.padded([40, 60]), [39.5, 60.5]);
  same(chartState.padded([0, 1000]), [-15, 1015]);
  for (const [first, last] of [[1, 1], [1, 2], [1, 80], [0, 1000], [-5, 12345]]) {
    same(chartState.ends(...chartState.padded([first, last])), [first, last]);
  }
});

const RATE = {
  form: "lines",
  params: { y0: -0.02, y1: 1.02, yTicks: [0, 0.25, 0.5, 0.75, 1] },
  datasets: {
    points: { step: [1, 2, 3, 4], series: ["1", "1", "1", "1"], raw: [0.1, 0.91, 0.97, null], ema: [0.1, 0.4, 0.6, null] },
    marks: { step: [3], kind: ["superseded"], raw: [0.93] },
  },
};

test("the value axis of a part fits what lies in view, smoothed values where they are drawn", () => {
  const off = chartFit.axis(RATE, "off", [1.5, 4.5]);
  same(off.yTicks, [0.9, 0.92, 0.94, 0.96, 0.98]);
  assert.ok(off.y0 < 0.9 && off.y1 > 0.98);
  same(chartFit.axis(RATE, "ema", [1.5, 4.5]).yTicks, [0, 0.25, 0.5, 0.75, 1]);
});

test("without two values to tell apart the axis of the whole stays", () => {
  assert.equal(chartFit.axis(RATE, "off", [3.5, 9]), null);
  assert.equal(chartFit.axis(RATE, "off", [1.5, 2.5]), null);
});

test("what lies beyond the axis of the whole stays beyond, and areas stand on zero", () => {
  const areas = { x: [0.5, 1.5, 2.5, 0.5, 1.5, 2.5], y0: [0, 0, 0, 300, 300, 300], y1: [300, 300, 300, 16204, 402, 404] };
  const axis = chartFit.axis({ form: "time", params: { yTop: 600 }, datasets: { areas } }, "ema", [0.5, 2.5]);
  same([axis.y0, axis.y1], [0, 600]);
  const high = { ...RATE, params: { ...RATE.params, yTop: 0.95 } };
  same(chartFit.axis(high, "off", [1.5, 4.5]).yTicks, [0.91, 0.915, 0.92, 0.925, 0.93]);
});

test("a range follows a mark that leaves it", () => {
  same(chartState.holding([10, 30], 20, [0, 80]), [10, 30]);
  same(chartState.holding([10, 30], 31, [0, 80]), [13, 33]);
  same(chartState.holding([10, 30], 5, [0, 80]), [3, 23]);
  same(chartState.holding([10, 30], 80, [0, 80]), [60, 80]);
  same(chartState.holding([3, 12], 2, [1, 12], true), [1, 10]);
  same(chartState.holding([1, 10], 11, [1, 40], true), [3, 12]);
});

const AXES = { step: [1, 2, 4], axes: [{ key: "clock", en: "hours", zh: "小时", at: [0, 10, 16] }] };

test("a step lies at its time, one between two records between theirs, and the margins go on", () => {
  const clock = chartAxis.of(AXES, "clock");
  for (const [step, place] of [[1, 0], [2, 10], [3, 13], [4, 16], [1.5, 5]]) {
    assert.equal(clock.to(step), place);
    assert.equal(clock.back(place), step);
  }
  assert.equal(clock.to(0), -16 / 3);
  assert.equal(clock.to(7), 32);
});

test("an axis that the run does not know is the steps", () => {
  for (const axis of [chartAxis.of(AXES, "trials"), chartAxis.of(null, "clock"), chartAxis.of(AXES, "step")]) {
    assert.equal(axis.key, "step");
    assert.equal(axis.to(3), 3);
  }
});

test("steps at which nothing passed share a place", () => {
  const flat = chartAxis.of({ step: [1, 2, 3], axes: [{ key: "clock", en: "", zh: "", at: [0, 0, 8] }] }, "clock");
  assert.equal(flat.to(2), 0);
  assert.equal(flat.back(0), 2);
  assert.equal(flat.back(4), 2.5);
});

test("marks with a moment of their own keep it", () => {
  const clock = chartAxis.of(AXES, "clock");
  const rows = [{ step: 2, clock: null }, { step: 2, clock: 3 }, { x: 1.5 }, { x: null }];
  same(chartAxis.placed(rows, clock), [{ step: 10, clock: null }, { step: 3, clock: 3 }, { x: 5 }, { x: null }]);
});

test("columns become rows", () => {
  same(chartData.rows({ step: [1, 2], raw: [0.5, null] }), [
    { step: 1, raw: 0.5 },
    { step: 2, raw: null },
  ]);
  same(chartData.rows({}), []);
});

test("the readout has every line at a step, missing values included", () => {
  const points = { step: [2, 1, 2], series: ["1", "1", "0"], raw: [4, 3, null], ema: [3.5, 3, null], mean5: [5, 3, null] };
  const read = chartData.readable("lines", { points }, "ema");
  same(read.at, [1, 2]);
  same(read.readings.get(2), [
    { series: "1", value: 4, smooth: 3.5 },
    { series: "0", value: null, smooth: null },
  ]);
  assert.equal(chartData.readable("lines", { points }, "off").readings.get(2)[0].smooth, null);
  assert.equal(chartData.readable("lines", { points }, "mean5").readings.get(2)[0].smooth, 5);
});

test("evaluations are read at their steps, other marks are not", () => {
  const points = { step: [1], series: ["1"], raw: [3], ema: [3], mean5: [3] };
  const marks = { kind: ["evaluation", "superseded"], step: [2, 1], raw: [0.5, 9] };
  const read = chartData.readable("lines", { points, marks }, "ema");
  same(read.at, [1, 2]);
  same(read.readings.get(2), [{ series: "evaluation", value: 0.5, smooth: null }]);
  assert.equal(read.readings.get(1).length, 1);
});

test("walking stops at the ends", () => {
  const at = [1, 5, 6, 10];
  for (const [x, places, expected] of [[5, 1, 6], [5, -1, 1], [1, -1, 1], [6, 10, 10], [5.4, 1, 6]])
    assert.equal(chartData.stepped(at, x, places), expected);
  assert.equal(chartData.stepped([], 3, 1), null);
});

test("edges that close an area are not read", () => {
  const areas = { x: [0.5, 1.5, 1.5], series: ["wait", "wait", "wait"], y0: [0, 0, null], y1: [9, 9, null], step: [1, null, null], v: [9, null, null] };
  same(chartData.readable("time", { areas }, "ema").at, [1]);
  same(chartData.readable("unknown", { areas }, "ema").at, []);
});

test("the nearest position", () => {
  const at = [1, 5, 6, 10];
  for (const [x, expected] of [[-9, 1], [1, 1], [3, 1], [3.1, 5], [5.6, 6], [8, 6], [99, 10]])
    assert.equal(chartData.nearest(at, x), expected);
  assert.equal(chartData.nearest([], 3), null);
});

test("values as text", () => {
  for (const [value, expected] of [
    [null, "–"],
    [undefined, "–"],
    [0, "0"],
    [0.52812, "0.52812"],
    [0.1234567, "0.1234567"],
    [-0.0354, "−0.0354"],
    [43795, "43,795"],
    [43795.25, "43,795.25"],
    [1234567.8, "1,234,568"],
    [-1.797693e308, "−1.797693e308"],
    [8e-6, "8e-6"],
    [2.5e12, "2.5e12"],
    [12, "12"],
  ])
    assert.equal(chartData.text(value), expected);
});

test("a saved drawing carries plain colours", () => {
  const svg = '<path stroke="var(--run-1)" fill="var(--ink-14)"/>';
  const colors = { "--run-1": "rgb(20, 107, 230)", "--ink-14": "color(srgb 0.86 0.5 0)" };
  assert.equal(
    chartData.withColors(svg, (name) => colors[name]),
    '<path stroke="rgb(20, 107, 230)" fill="rgb(219,128,0)"/>',
  );
});
