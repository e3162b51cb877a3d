/* The compare page's logic: what the address says, axes, lines, differences, settings that differ, rules. */
"use strict";
const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const test = require("node:test");
const load = require("./load.js");

const { compareState, compareAxis, compareLines, compareSettings, runColors } = load(
  "hash", "run_colors", "compare_state", "compare_axis", "compare_lines", "compare_settings",
);
const same = (actual, expected, why) => assert.deepEqual(load.plain(actual), expected, why);
const CONFIG = {
  roles: [
    { id: "reward", label: "Reward", shown: true },
    { id: "entropy", label: "Entropy", shown: true },
    { id: "loss", label: "Loss", shown: false },
  ],
  ignore: ["*run_name"],
};
const read = (keys, known = ["a", "b", "c/d"]) => compareState.read(keys, new Set(known), CONFIG);

/* ------------------------------------------------------------------ address */

test("an empty address compares nothing and shows the usual metrics", () => {
  const state = load.plain(read({}));
  assert.deepEqual(state.runs, []);
  assert.deepEqual(state.metrics, ["@reward", "@entropy"]);
  assert.deepEqual([state.base, state.stat, state.all, state.ignore], ["", "common", false, ["*run_name"]]);
});

test("the address says runs, baseline, metrics, value, range, ignored settings", () => {
  const state = load.plain(
    read({ runs: "b,c/d,a", base: "a", metrics: "@loss,x~.y", at: "best", steps: "all", ignore: "*.seed,port" }),
  );
  assert.deepEqual(state.runs, ["b", "c/d", "a"]);
  assert.deepEqual([state.base, state.stat, state.all], ["a", "best", true]);
  assert.deepEqual(state.metrics, ["@loss", "x,y"]);
  assert.deepEqual(state.ignore, ["*.seed", "port"]);
});

test("runs that are not there are named, the thirteenth is refused, a run twice is once", () => {
  const many = Array.from({ length: 14 }, (_, n) => `run-${n}`);
  const state = load.plain(read({ runs: [...many, "run-0", "gone"].join(",") }, many));
  assert.deepEqual(state.runs, many.slice(0, 12));
  assert.deepEqual(state.refused, ["run-12", "run-13"]);
  assert.deepEqual(state.unknown, ["gone"]);
});

test("a baseline that is not compared, a value that there is not: the defaults", () => {
  const state = read({ runs: "b,a", base: "c/d", at: "median" });
  assert.equal(state.base, "b");
  assert.equal(state.stat, "common");
});

test("the usual choice is not written, and a baseline that goes is not kept", () => {
  assert.equal(compareState.metrics(["@reward", "@entropy"], CONFIG), "");
  assert.equal(compareState.metrics(["@entropy", "a,b"], CONFIG), "@entropy,a~.b");
  same(compareState.runs(["a", "b"], "b"), { runs: "a,b", base: "b" });
  same(compareState.runs(["a", "b"], "a"), { runs: "a,b", base: "" });
  same(compareState.runs(["a"], "b"), { runs: "a", base: "" });
});

test("letters in a row are a range", () => {
  same(compareState.letters([0, 1, 2, 4, 5, 7]), ["A–C", "E", "F", "H"]);
  same(compareState.letters([0, 1]), ["A", "B"]);
  same(compareState.letters([]), []);
});

/* ------------------------------------------------------------------- colours */

test("twelve runs are twelve different lines: eight of the first round, the others with the other dash", () => {
  const slugs = Array.from({ length: 12 }, (_, n) => `team/run-${n}`);
  const codes = [...runColors.assign(slugs).values()].map(compareLines.code);
  assert.equal(new Set(codes).size, 12);
  assert.match(codes.slice(0, 8).join(""), /^[1-8]{8}$/);
  assert.match(codes.slice(8).join(""), /^[a-h]{4}$/);
});

test("a run's line does not depend on who else is there, but for clashes", () => {
  const alone = compareLines.code(runColors.assign(["x"]).get("x"));
  const first = compareLines.code(runColors.assign(["x", "y", "z"]).get("x"));
  assert.equal(first, alone);
});

/* --------------------------------------------------------------------- axes */

const CASES = [
  [[0.2, 0.9], true], [[0.2, 1.4], true], [[0.2, 0.9], false], [[5, 5, 5], false], [[0, 0], false], [[-3, 7], false],
  [[400, 16500], false], [[1.2e7, 9e7], false], [[1e-7, 4e-7], false], [[0.1413, 0.2371], false], [[1750, 2517], false],
  [[-0.0354, 0.031], false], [[3e11, 8e11], false], [[12, 13], false], [[0.03, 0.2353], false], [[99.5, 100.5], false],
];
const LOGS = [[1e-5, 3, 0.2], [0.5, 800], [7, 7], [1e-12, 1e9]];
const PYTHON = `
import json, sys
from sitegen.charts.scales import log_axis, value_axis
linear, logs = json.loads(sys.argv[1])
print(json.dumps([[value_axis(v, rate=r).params() for v, r in linear], [log_axis(v).params() for v in logs]]))
`;

test("axes are those of the pages' own charts", () => {
  const root = path.join(__dirname, "..", "..");
  const text = execFileSync("python", ["-c", PYTHON, JSON.stringify([CASES, LOGS])], { cwd: root, encoding: "utf8" });
  const [linear, logs] = JSON.parse(text);
  CASES.forEach(([values, rate], at) => near(compareAxis.linear(values, rate), linear[at], JSON.stringify(values)));
  LOGS.forEach((values, at) => near(compareAxis.log(values), logs[at], JSON.stringify(values)));
});

function near(actual, expected, name) {
  assert.deepEqual(Object.keys(actual).sort(), Object.keys(expected).sort());
  for (const key of ["yFormat", "ySuffix", "yDiv"]) assert.equal(actual[key], expected[key], `${name} ${key}`);
  const numbers = (axis) => [axis.y0, axis.y1, ...axis.yTicks];
  const [mine, theirs] = [numbers(actual), numbers(expected)];
  assert.equal(mine.length, theirs.length, name);
  mine.forEach((value, at) => assert.ok(Math.abs(value - theirs[at]) <= 1e-9 * Math.max(1e-9, Math.abs(theirs[at])), `${name} ${mine}`));
}

test("a few spikes a thousand times the rest want a logarithm; values of both signs do not", () => {
  assert.equal(compareAxis.wantsLog([1, 1, 1, 1, 5000]), true);
  assert.equal(compareAxis.wantsLog([1, 1, 1, 1, 500]), false);
  assert.equal(compareAxis.wantsLog([-1, 1, 1, 1, 5000]), false);
});

const BEYOND = JSON.parse(fs.readFileSync(path.join(__dirname, "..", "data", "beyond_cases.json"), "utf8"));

test("an axis that rare extremes do not flatten ends where the pages' own charts end it", () => {
  for (const { runs, top, why } of BEYOND) {
    const values = runs.flatMap(([count, value]) => Array(count).fill(value ?? NaN));
    assert.equal(compareAxis.top(values), top, why);
  }
});

test("of several lines none is cut but for its own rare extremes", () => {
  const cold = [16204, ...Array(39).fill(400)];
  const fast = Array(40).fill(100);
  const slow = [5000, 5100, 5200];
  same(compareAxis.fitting([cold, fast], [...cold, ...fast]).yTicks, [0, 200, 400, 600]);
  assert.equal(compareAxis.fitting([cold, fast], [...cold, ...fast]).yTop, 600);
  const whole = compareAxis.fitting([cold, slow], [...cold, ...slow]);
  assert.equal(whole.yTop, 6000, "a short run at 5000 is all there");
  assert.ok(!("yTop" in compareAxis.fitting([fast, slow], [...fast, ...slow])));
});

test("the largest and the smallest numbers there are have an axis that can be drawn", () => {
  const odd = [[1e300, -1e300], [4.4e307, -4.4e307], [3e307, 4e307], [5e-324], [0, 5e-324], [5e-324, -1e-320], [1e-150, 3e-150], [2e-300, 9e-290]];
  for (const values of odd) {
    const { y0, y1, yTicks } = compareAxis.linear(values, false);
    assert.ok(y0 < y1 && Number.isFinite(y1 - y0) && yTicks.every((tick) => tick >= y0 && tick <= y1), `${values}: ${[y0, y1, yTicks]}`);
  }
  for (const values of [[5e-324, 1e308], [5e-324], [1.7e308], [1e-310, 1e-308]]) {
    const { y0, y1, yTicks } = compareAxis.log(values);
    assert.ok(y0 > 0 && y0 < y1 && Number.isFinite(y1) && yTicks.every((tick) => tick >= y0 && tick <= y1), `${values}: ${[y0, y1, yTicks]}`);
  }
});

/* -------------------------------------------------------------------- lines */

const figures = (chunk, direction, term, last, lastStep) => [chunk, direction, term, 0.9, 2, 0.5, 0.4, last, lastStep];
const about = (changes) => ({
  framework: "skyrl", reward: "r", samples: 8, data: "d", batch: 64, gpus: 16, failed: false, last: 4, checkpoint: 2, assumed: false, files: [], config: {}, settings: {},
  roles: { reward: "r", pass_k: "pass_at_8" },
  metrics: { r: figures(0, "up", "skyrl-r", 0.7, 4), pass_at_8: figures(0, "up", "skyrl-pass pass_at_8", 1, 4) },
  ...changes,
});
const LINE = [1, [0.1, null, 0.3, 0.7], [0.1, null, 0.2, 0.4], [0.1, null, 0.2, 0.4], [2]];

test("the last common step is that of the shortest run; a run without steps does not count", () => {
  const runs = [about({ last: 80 }), about({ last: 22 }), about({ last: null })];
  assert.equal(compareLines.common(runs), 22);
  assert.equal(compareLines.furthest(runs), 80);
  assert.equal(compareLines.common([about({ last: null })]), null);
});

test("values: last, best, mean, at the checkpoint, and the newest up to the last common step", () => {
  const value = (stat, common) => load.plain(compareLines.value(about({}), "r", LINE, stat, common));
  assert.deepEqual(value("last", 3), { value: 0.7, step: 4 });
  assert.deepEqual(value("best", 3), { value: 0.9, step: 2 });
  assert.deepEqual(value("mean", 3), { value: 0.5, step: null });
  assert.deepEqual(value("ckpt", 3), { value: 0.4, step: 2 });
  assert.deepEqual(value("common", 3), { value: 0.3, step: 3 });
  assert.deepEqual(value("common", 2), { value: 0.1, step: 1 }, "step 2 has no value");
  assert.deepEqual(load.plain(compareLines.value(about({}), null, null, "last", 3)), { value: null, step: null });
});

test("a difference is better or worse in the metric's own direction, or neither", () => {
  const word = (value, base, direction) => compareLines.verdict(value, base, direction).word;
  assert.equal(word(0.6, 0.5, "up"), "better");
  assert.equal(word(0.4, 0.5, "up"), "worse");
  assert.equal(word(0.6, 0.5, "down"), "worse");
  assert.equal(word(0.4, 0.5, "down"), "better");
  assert.equal(word(1.1, 0.7, "near:1"), "better");
  assert.equal(word(1.5, 0.75, "near:1"), "worse");
  assert.equal(word(1.25, 0.75, "near:1"), "same");
  assert.equal(word(3, 2, ""), "none");
  assert.equal(word(2, 2, "up"), "same");
  assert.equal(compareLines.verdict(0.6, 0.5, "up").delta.toFixed(6), "0.100000");
  assert.equal(compareLines.verdict(null, 0.5, "up"), null);
  assert.equal(compareLines.verdict(0.5, null, "up"), null);
});

test("a role is each run's own metric; a name only counts where it is logged", () => {
  const other = about({ roles: { reward: "score" }, metrics: { score: figures(0, "up", "verl-score", 0.2, 4) } });
  same(compareLines.subject("@reward", [about({}), other]).keys, ["r", "score"]);
  same(compareLines.subject("r", [about({}), other]).keys, ["r", null]);
  same(compareLines.subject("constructor", [about({})]).keys, [null]);
});

const OPTIONS = { rate: false, checkpoints: true, labels: false, height: 220, names: [{ key: "1", en: "A", zh: "A" }] };

test("a chart holds what lies in the range, gaps as gaps, marks of what is not finite, a ring at the checkpoint", () => {
  const drawn = compareLines.chart([{ series: "1", line: LINE, checkpoint: 3 }], [1, 3], OPTIONS);
  same(drawn.datasets.points.step, [1, 2, 3]);
  same(drawn.datasets.points.raw, [0.1, null, 0.3]);
  same(drawn.datasets.points.ema, [0.1, null, 0.2]);
  same(drawn.datasets.points.lone, [1, 0, 1], "what the range parts from its neighbours stands alone too");
  same(drawn.datasets.marks.kind, ["nonfinite", "selected"].sort().reverse());
  same(drawn.params.x0, 0.5);
  same(drawn.params.x1, 3.5);
  assert.equal(compareLines.chart([{ series: "1", line: LINE, checkpoint: null }], [2, 2], OPTIONS), null);
});

test("on a logarithmic axis values of 0 or less are marked, not moved", () => {
  const line = [1, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 9000], Array(13).fill(2), Array(13).fill(2), []];
  const drawn = compareLines.chart([{ series: "2", line, checkpoint: null }], [1, 13], OPTIONS);
  assert.equal(drawn.form, "lines-log");
  assert.equal(drawn.datasets.points.raw[11], null);
  same(drawn.datasets.marks.kind, ["nonpositive"]);
  same(drawn.datasets.marks.step, [12]);
});

test("values far beyond the rest are triangles on the edge of the axis, but not where checkpoints stand on the line", () => {
  const values = Array(40).fill(400).map((value, at) => (at === 0 ? 16204 : value));
  const line = [1, values, values, values, []];
  const drawn = (changes) => compareLines.chart([{ series: "1", line, checkpoint: null }], [1, 40], { ...OPTIONS, ...changes });
  const cut = drawn({ checkpoints: false });
  same(cut.params.yTicks, [400, 425, 450, 475, 500]);
  same([cut.datasets.marks.kind, cut.datasets.marks.step, cut.datasets.marks.raw], [["beyond"], [1], [16204]]);
  same(cut.datasets.points.raw, values);
  same(drawn({ checkpoints: true }).datasets.marks.kind, []);
  assert.ok(drawn({ checkpoints: true }).params.y1 > 16204);
});

test("values far beyond the rest do not feed the smoothed lines, which break there", () => {
  const raw = Array(40).fill(400).map((value, at) => (at === 0 ? 16204 : at === 10 ? 460 : value));
  const sliding = raw.map((_, at) => 400 + 15804 * (2 / 3) ** at);
  const chart = (range) => compareLines.chart([{ series: "1", line: [1, raw, sliding, sliding, []], checkpoint: null }], range, { ...OPTIONS, checkpoints: false });
  const near = (found, wanted) => assert.ok(Math.abs(found - wanted) < 1e-9, `${found} is not ${wanted}`);
  const { raw: values, ema, mean5 } = chart([1, 40]).datasets.points;
  assert.equal(values[0], 16204);
  same([ema[0], mean5[0]], [null, null]);
  near(ema[1], 400);
  near(ema[10], 420); // 460 / 3 + 400 * 2 / 3
  near(mean5[10], 412); // (4 * 400 + 460) / 5
  const unsmoothed = compareLines.chart([{ series: "1", line: [1, raw, raw, raw, []], checkpoint: null }], [1, 40], { ...OPTIONS, checkpoints: false });
  same(unsmoothed.datasets.points.ema, raw, "what the run draws unsmoothed stays so");
});

test("values of both signs near the largest number are drawn at a quarter of their size, and read at the whole", () => {
  const values = [1.797e308, -1.797e308, 1.797e308];
  const drawn = compareLines.chart([{ series: "1", line: [1, values, values, values, []], checkpoint: null }], [1, 3], OPTIONS);
  const { y0, y1, yDiv, grown } = drawn.params;
  assert.ok(Number.isFinite(y1 - y0) && y0 <= -1.797e308 / 4 && y1 >= 1.797e308 / 4);
  same([grown, yDiv, drawn.datasets.points.raw[0]], [4, 0.25, 1.797e308 / 4]);
  const named = compareLines.chart([{ series: "1", line: [1, values, values, values, []], checkpoint: null }], [1, 3], { ...OPTIONS, labels: true });
  same([named.datasets.names.name, named.datasets.names.dy], [["A"], [0]]);
});

test("on a logarithmic axis the largest and the smallest number are drawn as they are", () => {
  const values = [5e-324, 1, 1, 1, 1.797e308];
  const drawn = compareLines.chart([{ series: "1", line: [1, values, values, values, []], checkpoint: null }], [1, 5], OPTIONS);
  same([drawn.form, drawn.params.yDiv, drawn.datasets.marks.kind], ["lines-log", 1, []]);
  same(drawn.datasets.points.raw, values);
});

test("letters at line ends keep off each other and off other lines", () => {
  const flat = (value) => [1, [value, value], [value, value], [value, value], []];
  const lines = [0.1, 0.105, 0.9].map((value, at) => ({ series: String(at + 1), line: flat(value), checkpoint: null }));
  const names = ["A", "B", "C"].map((en, at) => ({ key: String(at + 1), en, zh: en }));
  const { name, dx, dy } = compareLines.chart(lines, [1, 2], { ...OPTIONS, labels: true, names }).datasets.names;
  same(name, ["C", "B", "A"]);
  assert.ok(dx.every((beside) => beside > 0), `${dx}`);
  assert.ok(dy[0] === 0 && dy[1] === 0 && dy[2] >= 10, `${dy}`);
});

test("the letter of a line that ends early stands off the lines that go on, and off its ring", () => {
  const long = [1, [0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5], []];
  const short = [1, [0.9, 0.5], [0.9, 0.5], [0.9, 0.5], []];
  const names = ["A", "B"].map((en, at) => ({ key: String(at + 1), en, zh: en }));
  const lines = [{ series: "1", line: long, checkpoint: 4 }, { series: "2", line: short, checkpoint: null }];
  const drawn = compareLines.chart(lines, [1, 4], { ...OPTIONS, labels: true, names });
  const at = Object.fromEntries(drawn.datasets.names.name.map((name, place) => [name, place]));
  const { dx, dy } = drawn.datasets.names;
  assert.ok(Math.abs(dy[at.B]) >= 11, `beside the end of B the line of A passes: ${dy}`);
  assert.ok(dx[at.A] > 9 && dy[at.A] === 0, `outside of the ring at the end of A: ${dx}`);
});

test("a letter does not drop below the axis: two lines that end at its foot have theirs above", () => {
  const flat = (value) => [1, [value, value], [value, value], [value, value], []];
  const lines = [0, 0.02, 1].map((value, at) => ({ series: String(at + 1), line: flat(value), checkpoint: null }));
  const names = ["A", "B", "C"].map((en, at) => ({ key: String(at + 1), en, zh: en }));
  const { name, dy } = compareLines.chart(lines, [1, 2], { ...OPTIONS, labels: true, names }).datasets.names;
  assert.ok(name.includes("A") && dy[name.indexOf("A")] < 0, `${name} ${dy}`);
});

test("the data table has every step of any run, raw and smoothed", () => {
  const short = [3, [5], [6], [7], []];
  same(compareLines.table([{ line: LINE }, { line: short }]).slice(2), [
    [3, 0.3, 0.2, 0.2, 5, 6, 7],
    [4, 0.7, 0.4, 0.4, null, null, null],
  ]);
});

/* ----------------------------------------------------------------- settings */

test("settings that differ, or that only some set; runs without a configuration say nothing", () => {
  const configs = [{ lr: "1e-6", seed: "1", "a.run_name": "x" }, { lr: "2e-6", seed: "1", "a.run_name": "y", k: "3" }, {}];
  const found = load.plain(compareSettings.differing(configs, ["*run_name"]));
  assert.deepEqual(found.shown, [
    { key: "k", values: [null, "3", null] },
    { key: "lr", values: ["1e-6", "2e-6", null] },
  ]);
  assert.deepEqual(found.left, ["a.run_name"]);
  assert.equal(found.total, 4);
});

test("a pattern stands for a whole key or its end after a dot", () => {
  const ignored = (key, ...list) => compareSettings.ignored(key, list);
  assert.ok(ignored("trainer.run_name", "run_name"));
  assert.ok(ignored("Trainer.Run_Name", "run_name"));
  assert.ok(ignored("run_name", "run_name"));
  assert.ok(!ignored("trainer.rerun_name", "run_name"));
  assert.ok(ignored("trainer.rerun_name", "*run_name"));
  assert.ok(ignored("a.wandb.project", "*wandb*"));
  assert.ok(!ignored("axb", "a.b"), "a dot is a dot");
  assert.ok(!ignored("trainer.policy.model.path", "*ckpt_path", "*port"));
});

/* -------------------------------------------------------------------- rules */

const subjects = (ids, abouts) => ids.map((id) => compareLines.subject(id, abouts));
const rules = (abouts, ids = ["@reward", "@pass_k"]) => load.plain(compareSettings.rules(abouts, subjects(ids, abouts)));

test("runs of one kind are comparable", () => {
  assert.deepEqual(rules([about({}), about({})]), []);
});

test("another reward is said with who has what, and touches reward and checkpoint", () => {
  const other = about({ roles: { reward: "r2" }, reward: "r2", metrics: { r2: figures(0, "up", "skyrl-r2", 1, 4) } });
  const [rule, ...rest] = rules([about({}), other, about({})], ["@reward"]);
  assert.equal(rule.id, "reward");
  assert.deepEqual(rule.groups, [{ value: "skyrl\nr", runs: [0, 2] }, { value: "skyrl\nr2", runs: [1] }]);
  assert.deepEqual(rule.touches, ["@reward", "#ema"]);
  assert.deepEqual(rest, []);
});

test("other samples per prompt touch pass@k only, also under its own name; unknown numbers are said and mute it", () => {
  const [rule] = rules([about({}), about({ samples: 16 })], ["@reward", "@pass_k", "pass_at_8"]);
  assert.equal(rule.id, "samples");
  assert.deepEqual(rule.touches, ["#pass", "@pass_k", "pass_at_8"]);
  const [open] = rules([about({}), about({ samples: null })]);
  assert.deepEqual([open.id, open.unknown, open.touches, open.mutes], ["samples", [1], [], ["#pass", "@pass_k"]]);
  const none = { roles: { reward: "r" }, metrics: { r: figures(0, "up", "skyrl-r", 1, 4) } };
  assert.deepEqual(rules([about(none), about({ ...none, samples: 16 })]), [], "neither has pass@k");
});

test("another k is another pass@k", () => {
  const k16 = { roles: { reward: "r", pass_k: "pass_at_16" }, metrics: { r: figures(0, "up", "skyrl-r", 1, 4) } };
  const [rule] = rules([about({}), about(k16)]);
  assert.equal(rule.id, "pass");
  assert.deepEqual(rule.groups.map((group) => group.value), ["k = 8", "k = 16"]);
});

test("other or unknown data mute what the tasks decide, and forbid nothing", () => {
  const [rule, ...rest] = rules([about({ data: "a" }), about({ data: "b" })], ["@reward", "@pass_k", "r", "@entropy"]);
  assert.equal(rule.id, "data");
  assert.deepEqual(rule.groups, [{ value: "a", runs: [0] }, { value: "b", runs: [1] }]);
  assert.deepEqual(rule.touches, []);
  for (const id of ["@reward", "#ema", "#solved", "@pass_k", "#pass", "r", "@length_mean"]) assert.ok(rule.mutes.includes(id), id);
  assert.ok(!rule.mutes.includes("@entropy"));
  assert.deepEqual(rest, []);
  const [open] = rules([about({ data: "a" }), about({ data: null })]);
  assert.deepEqual([open.id, open.groups.length, open.unknown, open.touches], ["data", 1, [1], []]);
  for (const id of ["@reward", "#ema", "#solved", "@pass_k"]) assert.ok(open.mutes.includes(id), id);
  assert.deepEqual(rules([about({ data: null })]), [], "one run is compared with nothing");
  assert.deepEqual(rules([about({ data: "a" }), about({ data: "b" }), about({ data: null })])[0].unknown, [2]);
});

test("a reward of an unknown framework is not judged", () => {
  const [open] = rules([about({}), about({ framework: null })], ["@reward", "r"]);
  assert.deepEqual([open.id, open.unknown, open.touches, open.mutes], ["reward", [1], [], ["@reward", "#ema"]]);
  const [, named] = rules([about({}), about({ framework: null })], ["@reward", "r"]);
  assert.deepEqual([named.id, named.touches, named.mutes], ["framework", [], ["r"]]);
});

test("step times of other or unknown batches, GPUs or frameworks are not judged", () => {
  const timed = { metrics: { "timing/step": figures(0, "down", "t", 1, 4) }, roles: { step_s: "timing/step" } };
  for (const change of [{ batch: 32 }, { gpus: 8 }, { gpus: null }, { batch: null }]) {
    const [rule, ...rest] = rules([about(timed), about({ ...timed, ...change })], ["@step_s", "timing/step", "@entropy"]);
    assert.deepEqual([rule.id, rule.mutes], ["step", ["#step", "@step_s", "@wait_s", "timing/step"]]);
    assert.deepEqual(rest, []);
  }
  const [both] = rules([about({ gpus: null }), about({ gpus: null })]);
  assert.deepEqual(both.groups, [{ value: "skyrl\n64\n", runs: [0, 1] }], "unknown of both is not the same");
});

test("step times beside a failed run are not judged", () => {
  const [rule] = rules([about({}), about({ failed: true })]);
  assert.equal(rule.id, "failed");
  assert.deepEqual(rule.groups, [{ value: "1", runs: [1] }]);
  assert.deepEqual(rule.mutes, ["#step", "@step_s", "@wait_s"]);
  assert.deepEqual(rules([about({ failed: true }), about({ failed: true })]), []);
});

test("one name with another meaning in another framework is not judged; a role is", () => {
  const verl = about({ framework: "verl", reward: null, metrics: { r: figures(0, "up", "verl-r", 1, 4) } });
  const found = rules([about({}), verl], ["@reward", "r"]);
  assert.deepEqual(found.map((rule) => [rule.id, rule.touches]), [["framework", ["r"]], ["step", []]]);
});
