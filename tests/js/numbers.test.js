"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const load = require("./load.js");

const { numbers } = load("numbers");
/* Worked out in decimal arithmetic, apart from both; tests/test_format.py holds the pages' own code to the same. */
const cases = JSON.parse(fs.readFileSync(path.join(__dirname, "..", "data", "number_cases.json"), "utf8"));

test("numbers, fixed decimals and days are written as the pages' own code writes them", () => {
  for (const [value, digits, text] of cases.number) assert.equal(numbers.number(value, digits), text, `${value}`);
  for (const [value, places, text] of cases.fixed) assert.equal(numbers.fixed(value, places), text, `${value}`);
  for (const [unix, en, zh, iso] of cases.date) {
    assert.deepEqual([numbers.date(unix, "en"), numbers.date(unix, "zh"), numbers.iso(unix)], [en, zh, iso]);
  }
});

test("what is missing is a dash, what is no number says so", () => {
  assert.equal(numbers.number(null), "–");
  assert.equal(numbers.fixed(null, 2), "–");
  assert.equal(numbers.number(NaN), "NaN");
  assert.equal(numbers.number(-Infinity), "\u2212∞");
  assert.equal(numbers.date(null, "en"), "–");
});
