/* State and data of charts: what the address says, what the readout shows. */
"use strict";
const assert = require("node:assert/strict");
const test = require("node:test");
const load = require("./load.js");

const { chartState, chartData } = load("chart_state", "chart_data");
const same = (actual, expected) => assert.deepEqual(load.plain(actual), expected);

test("a state survives the address", () => {
  for (const state of [
    { smooth: "ema", x: null, step: null },
    { smooth: "mean5", x: [10, 40.5], step: 12 },
    { smooth: "off", x: [-3, 0], step: -1 },
  ]) {
    const keys = Object.fromEntries(Object.entries(chartState.write(state)).filter(([, value]) => value !== ""));
    same(chartState.read(keys), state);
  }
});

test("what the address cannot mean is left at its default", () => {
  const plain = { smooth: "ema", x: null, step: null };
  for (const keys of [{}, { smooth: "loess" }, { x: "40-10" }, { x: "a-b" }, { x: "5-5" }, { step: "<b>" }, { step: "" }])
    same(chartState.read(keys), plain);
});

test("a drag means a range inside of what is shown, a short one nothing", () => {
  same(chartState.range(70, 20, [0, 80]), [20, 70]);
  same(chartState.range(-50, 90, [0, 80]), [0, 80]);
  assert.equal(chartState.range(20, 20.5, [0, 80]), null);
  assert.equal(chartState.range(20, 25, [0, 1000]), null);
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
    [0.52812, "0.5281"],
    [-0.0354, "−0.03540"],
    [43795, "43,795"],
    [1234567.8, "1,234,568"],
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
