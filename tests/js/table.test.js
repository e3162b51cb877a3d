"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const load = require("./load.js");
const { plain } = load;

const { table } = load("table");

test("numbers sort by value, not by text", () => {
  assert.deepEqual(plain(table.order([10, 9, 100], false)), [1, 0, 2]);
  assert.deepEqual(plain(table.order([10, 9, 100], true)), [2, 0, 1]);
});

test("missing values come last in both directions", () => {
  assert.deepEqual(plain(table.order([null, 2, NaN, 1], false)), [3, 1, 0, 2]);
  assert.deepEqual(plain(table.order([null, 2, NaN, 1], true)), [1, 3, 0, 2]);
});

test("ties keep their order, descending too", () => {
  assert.deepEqual(plain(table.order([5, 5, 1, 5], true)), [0, 1, 3, 2]);
});

test("names sort as people read them", () => {
  assert.deepEqual(plain(table.order(["run-10", "Run-9", "run-1"], false)), [2, 1, 0]);
});

test("groups stay together whatever the values", () => {
  const order = table.order([1, 9, 5, 7], true, [0, 1, 0, 1]);
  assert.deepEqual(plain(order), [2, 0, 1, 3]);
});

test("a numeric cell without a value is missing, zero is not", () => {
  assert.equal(table.cell("number", undefined, "–"), null);
  assert.equal(table.cell("number", "", "–"), null);
  assert.equal(table.cell("number", "0", "0"), 0);
  assert.equal(table.cell("number", "8e-06", "8e-6"), 8e-6);
  assert.equal(table.cell("text", undefined, "  运行 一 "), "运行 一");
});
