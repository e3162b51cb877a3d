"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const load = require("./load.js");
const { plain } = load;

const { trialRows } = load("table", "filter", "trial_rows");

const data = {
  total: 5,
  names: { task: ["alpha", "beta"], exception: ["AgentTimeoutError", "DaytonaError"] },
  columns: {
    task: [1, 0, 1, 0, 0],
    trial: ["x9", "x1", null, "x3", "y2"],
    outcome: [1, 0, -1, 1, 0],
    exception: [-1, 0, 1, -1, 0],
    turns: [3, 1, null, 2, 12],
  },
};

test("no filter keeps every row in table order", () => {
  assert.deepEqual(plain(trialRows.passing(data, {})), [0, 1, 2, 3, 4]);
});

test("text finds tasks and trial names, whatever their case", () => {
  assert.deepEqual(plain(trialRows.passing(data, { find: "BETA" })), [0, 2]);
  assert.deepEqual(plain(trialRows.passing(data, { find: "x3" })), [3]);
});

test("outcome and exception narrow down", () => {
  assert.deepEqual(plain(trialRows.passing(data, { outcome: "-1" })), [2]);
  assert.deepEqual(plain(trialRows.passing(data, { exception: "none" })), [0, 3]);
  assert.deepEqual(plain(trialRows.passing(data, { exception: "any" })), [1, 2, 4]);
  assert.deepEqual(plain(trialRows.passing(data, { exception: "=AgentTimeoutError" })), [1, 4]);
  assert.deepEqual(plain(trialRows.passing(data, { exception: "=never seen" })), []);
});

test("a range of turns leaves out trials that report none", () => {
  assert.deepEqual(plain(trialRows.passing(data, { from: "0" })), [0, 1, 3, 4]);
  assert.deepEqual(plain(trialRows.passing(data, { from: "2", to: "3" })), [0, 3]);
});

test("rows are sorted with missing values last in both directions", () => {
  const rows = [0, 1, 2, 3, 4];
  assert.deepEqual(plain(trialRows.sorted(data, rows, "turns", false)), [1, 3, 0, 4, 2]);
  assert.deepEqual(plain(trialRows.sorted(data, rows, "turns", true)), [4, 0, 3, 1, 2]);
  assert.deepEqual(plain(trialRows.sorted(data, rows, "trial", true)), [4, 0, 3, 1, 2]);
  assert.deepEqual(plain(trialRows.sorted(data, rows, "exception", false)), [1, 4, 2, 0, 3]);
});

test("a cell gives the name behind a code, nothing for none", () => {
  assert.equal(trialRows.value(data, "exception", 2), "DaytonaError");
  assert.equal(trialRows.value(data, "exception", 0), null);
  assert.equal(trialRows.value(data, "turns", 4), 12);
});
