"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const load = require("./load.js");

const { numbers } = load("numbers");
const file = path.join(__dirname, "..", "data", "number_cases.json");
const cases = JSON.parse(fs.readFileSync(file, "utf8"));
const PYTHON = `
import json, sys
from sitegen import format as fmt
cases = json.load(open(sys.argv[1]))
print(json.dumps({
    "number": [fmt.number(v, d) for v, d in cases["number"]],
    "fixed": [fmt.fixed(v, d) for v, d in cases["fixed"]],
    "en": [fmt.date(v, "en") for v in cases["date"]],
    "zh": [fmt.date(v, "zh") for v in cases["date"]],
    "iso": [fmt.iso(v) for v in cases["date"]],
}))
`;
const root = path.join(__dirname, "..", "..");
const ours = JSON.parse(execFileSync("python", ["-c", PYTHON, file], { cwd: root, encoding: "utf8" }));

test("numbers, fixed decimals and days are written as the pages' own code writes them", () => {
  assert.deepEqual(cases.number.map(([value, digits]) => numbers.number(value, digits)), ours.number);
  assert.deepEqual(cases.fixed.map(([value, places]) => numbers.fixed(value, places)), ours.fixed);
  assert.deepEqual(cases.date.map((unix) => numbers.date(unix, "en")), ours.en);
  assert.deepEqual(cases.date.map((unix) => numbers.date(unix, "zh")), ours.zh);
  assert.deepEqual(cases.date.map((unix) => numbers.iso(unix)), ours.iso);
});

test("what is missing is a dash, what is no number says so", () => {
  assert.equal(numbers.number(null), "–");
  assert.equal(numbers.fixed(null, 2), "–");
  assert.equal(numbers.number(NaN), "NaN");
  assert.equal(numbers.number(-Infinity), "\u2212∞");
  assert.equal(numbers.date(null, "en"), "–");
});
