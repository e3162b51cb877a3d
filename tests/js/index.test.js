"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const load = require("./load.js");
const { plain } = load;

const { columns, runRows, runColors, plots } = load(
  "table", "filter", "hash", "numbers", "run_colors", "columns", "run_rows", "plots",
);
const BUILT = [
  { id: "run", kind: "name", shown: true },
  { id: "status", kind: "status", shown: true },
  { id: "ema", kind: "ema", shown: true },
  { id: "gpu", kind: "number", shown: false },
];

test("an address names columns, values of metrics and settings", () => {
  const parse = (id) => plain(columns.parse(id, BUILT));
  assert.equal(parse("ema").type, "built");
  assert.deepEqual(parse("best.reward/a.b"), { type: "metric", id: "best.reward/a.b", key: "reward/a.b", stat: "best", step: 0 });
  assert.deepEqual(parse("step50.timing/step"), { type: "metric", id: "step50.timing/step", key: "timing/step", stat: "step", step: 50 });
  assert.equal(parse("set.trainer.lr").key, "trainer.lr");
  for (const wrong of ["", "emma", "step.x", "best.", "set.", "constructor"]) assert.equal(parse(wrong), null, wrong);
});

test("the usual columns are not written, others are, and come back", () => {
  assert.deepEqual(plain(columns.chosen("", BUILT)), ["run", "status", "ema"]);
  assert.equal(columns.write(["run", "status", "ema"], BUILT), "");
  const ids = ["run", "gpu", "last.a,b/c", "set.x"];
  const text = columns.write(ids, BUILT);
  assert.deepEqual(plain(columns.chosen(text, BUILT)), ids);
  assert.deepEqual(plain(columns.chosen("gpu,nonsense,gpu", BUILT)), ["run", "gpu"]);
  assert.deepEqual(plain(columns.chosen(columns.write(["run"], BUILT), BUILT)), ["run"]);
});

const RECORD = [0.9, 12, 0.5, 0.6, [10, 12, 20], [0.1, 0.9, 0.3]];

test("a metric's value: last, best, mean, at the checkpoint", () => {
  assert.deepEqual(plain(columns.value(RECORD, "last", 0)), { value: 0.3, step: 20 });
  assert.deepEqual(plain(columns.value(RECORD, "best", 0)), { value: 0.9, step: 12 });
  assert.deepEqual(plain(columns.value(RECORD, "mean", 0)), { value: 0.5, step: null });
  assert.deepEqual(plain(columns.value(RECORD, "ckpt", 0)), { value: 0.6, step: null });
});

test("at step N: the newest value up to it, and nothing for a run that did not get there", () => {
  const at = (step) => plain(columns.value(RECORD, "step", step));
  assert.deepEqual(at(12), { value: 0.9, step: 12 });
  assert.deepEqual(at(19), { value: 0.9, step: 12 });
  assert.deepEqual(at(9), { value: null, step: null });
  assert.deepEqual(at(21), { value: null, step: null });
  assert.deepEqual(plain(columns.value([null, null, null, null, 3, [1, 2]], "step", 4)), { value: 2, step: 4 });
});

test("a range has one end or two", () => {
  assert.deepEqual(plain(columns.range("0.2..0.6")), { low: "0.2", high: "0.6" });
  assert.deepEqual(plain(columns.range("-1e-3..")), { low: "-1e-3", high: "" });
  assert.deepEqual(plain(columns.range("..5")), { low: "", high: "5" });
  for (const wrong of ["..", "5", "", "1..2..3"]) assert.equal(columns.range(wrong), null, wrong);
});

const RUNS = {
  slugs: ["a", "b", "c"],
  titles: ["calendar", "运行 截断比例", "gsm8k"],
  reward: ["reward/avg", null, "critic/score"],
  facets: {
    framework: { names: ["skyrl", "verl"], en: ["SkyRL", "verl"], zh: ["SkyRL", "verl"], at: [[0], [0], [1]] },
    tag: { names: ["base", "constructor"], at: [[0, 1], [], [1]] },
  },
};
const CONFIGS = { "trainer.lr": [["8e-6", "2e-5"], [0, 1, -1]], fixed: [["7"], [0, 0, 0]] };
const model = runRows.model(RUNS);

test("text is searched in names, facts and settings, Chinese by part of a word", () => {
  const hits = (query, configs = null) => plain(runRows.matches(model, query, configs));
  assert.deepEqual(hits("断比"), [false, true, false]);
  assert.deepEqual(hits("SKYRL cal"), [true, false, false]);
  assert.deepEqual(hits("lr=8e-6"), [false, false, false], "settings are not there yet");
  assert.deepEqual(hits("lr=8e-6", CONFIGS), [true, false, false]);
  assert.deepEqual(hits("fixed=7 verl", CONFIGS), [false, false, true]);
  assert.deepEqual(hits("  "), [true, true, true]);
});

test("facets narrow each other, but not their own counts; ranges leave out what has no value", () => {
  const all = [true, true, true];
  const filtered = (chosen, ranges = []) => plain(runRows.filtered(model, all, chosen, ranges));
  assert.deepEqual(filtered({ framework: ["verl"] }), { rows: [2], counts: { framework: [2, 1], tag: [0, 1] } });
  assert.deepEqual(filtered({ framework: ["verl"], tag: ["base"] }), { rows: [], counts: { framework: [1, 0], tag: [0, 1] } });
  assert.deepEqual(filtered({ framework: ["no such"] }).rows, []);
  const cells = [0.5, null, 2];
  assert.deepEqual(filtered({}, [{ cells, low: 0.5, high: null }]).rows, [0, 2]);
  assert.deepEqual(filtered({}, [{ cells, low: null, high: 1 }]).rows, [0]);
});

test("CSV quotes what needs it and disarms formulas", () => {
  assert.equal(runRows.csv([["a,b", 'q"', "=SUM(A1)", -1.5, null]]), '"a,b","q""",\'=SUM(A1),-1.5,\r\n');
});

test("a run keeps its colour; who comes later gets a free one; beyond eight the dash is the other one", () => {
  const one = runColors.assign(["x"]).get("x");
  const slugs = Array.from({ length: 12 }, (_, n) => `run-${n}`);
  const many = runColors.assign(["x", ...slugs]);
  assert.deepEqual(plain(many.get("x")), plain(one));
  const first = [...many.values()].slice(0, 8).map((tone) => tone.tone);
  assert.equal(new Set(first).size, 8);
  const dashes = (tones) => tones.map((tone) => tone.dash === (tone.tone % 2 === 0));
  assert.deepEqual(dashes([...many.values()]), [...Array(8).fill(true), ...Array(5).fill(false)]);
  const pairs = [...many.values()].map((tone) => `${tone.tone}${tone.dash}`);
  assert.equal(new Set(pairs).size, pairs.length);
});

test("an axis is even, logarithmic or of names", () => {
  const even = plots.axis([0.21, 0.79, null], 5, 10);
  assert.equal(even.kind, "linear");
  assert.deepEqual(plain(even.ticks).map((tick) => tick.text), ["0.2", "0.4", "0.6", "0.8"]);
  assert.ok(Math.abs(even.place(0.5) - 0.5) < 1e-9);
  const log = plots.axis([1e-6, 1e-4], 5, 10);
  assert.equal(log.kind, "log");
  assert.ok(Math.abs(log.place(1e-5) - 0.5) < 1e-9);
  assert.equal(plots.axis([0, 100], 5, 10).kind, "linear", "0 has no logarithm");
  const names = plots.axis(["b", "a", "b", null], 5, 10);
  assert.deepEqual(plain(names.ticks), [{ at: 0.25, text: "b" }, { at: 0.75, text: "a" }]);
  assert.equal(names.place(null), null);
});

test("ticks share their decimals, and zero is 0", () => {
  const texts = (...values) => plain(plots.axis(values, 5, 1e9).ticks).map((tick) => tick.text);
  assert.deepEqual(texts(0, 1), ["0", "0.25", "0.50", "0.75", "1.00"]);
  assert.deepEqual(texts(1000, 3000), ["1,000", "1,500", "2,000", "2,500", "3,000"]);
  assert.deepEqual(texts(4, 5), ["4", "5"], "whole numbers have nothing in between");
  assert.deepEqual(texts(0, 1e-5), ["0", "2.5e-6", "5e-6", "7.5e-6", "1e-5"]);
});

test("one value alone still has an axis around it", () => {
  for (const value of [0, 5, -3, 1e-9]) {
    const axis = plots.axis([value, value], 5, 10);
    assert.ok(axis.low < value && axis.high > value, String(value));
    assert.ok(axis.place(value) > 0 && axis.place(value) < 1);
  }
});

test("names beyond twelve share the last place", () => {
  const axis = plots.axis(Array.from({ length: 20 }, (_, n) => `v${n}`), 5, 10);
  assert.equal(axis.ticks.length, 13);
  assert.equal(axis.place("v7"), axis.place("v8"));
});

test("bins hold every value", () => {
  assert.deepEqual(plain(plots.bins([0, 1, 2, 3, 4], 5)), [1, 1, 1, 1, 1]);
  assert.deepEqual(plain(plots.bins([2, 2], 3)), [2, 0, 0]);
  assert.deepEqual(plain(plots.bins([], 2)), [0, 0]);
});

test("settings that differ among the runs shown, those of most runs and fewest values first", () => {
  const configs = { same: [["1"], [0, 0, 0]], many: [["1", "2", "3"], [0, 1, 2]], two: [["a", "b"], [0, 1, 0]], part: [["x"], [0, -1, -1]] };
  assert.deepEqual(plain(plots.differing(configs, [0, 1, 2])).map((item) => item.key), ["two", "many", "part"]);
  assert.deepEqual(plain(plots.differing(configs, [0, 2])).map((item) => item.key), ["many", "part"]);
  assert.deepEqual(plain(plots.differing(configs, [0, 1, 2])).map((item) => item.some), [false, false, true], "set by one run only");
  const bare = { lr: [["1"], [0, 0, -1]], one: [["2"], [0, -1, -1]] };
  assert.deepEqual(plain(plots.differing(bare, [0, 1, 2])).map((item) => item.key), ["one"], "the third has no configuration");
});
