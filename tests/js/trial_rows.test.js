"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const load = require("./load.js");
const { plain } = load;

const { trialRows } = load("filter", "trial_rows");

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

const index = () => trialRows.index(data);
const rows = (query) => plain(trialRows.passing(index(), query).rows);

test("no filter keeps every row in table order", () => {
  assert.deepEqual(rows({}), [0, 1, 2, 3, 4]);
});

test("text finds tasks and trial names, whatever their case", () => {
  assert.deepEqual(rows({ find: "BETA" }), [0, 2]);
  assert.deepEqual(rows({ find: "x3" }), [3]);
  assert.deepEqual(rows({ find: "alpha x" }), [1, 3]);
  assert.deepEqual(rows({ find: "alpha__y2" }), [4]);
  assert.deepEqual(rows({ find: "  " }), [0, 1, 2, 3, 4]);
});

test("one task by its whole name, none by a part of it", () => {
  assert.deepEqual(rows({ task: "beta" }), [0, 2]);
  assert.deepEqual(rows({ task: "bet" }), []);
});

test("outcome and exception narrow down", () => {
  assert.deepEqual(rows({ outcome: "-1" }), [2]);
  assert.deepEqual(rows({ exception: "none" }), [0, 3]);
  assert.deepEqual(rows({ exception: "any" }), [1, 2, 4]);
  assert.deepEqual(rows({ exception: "=AgentTimeoutError" }), [1, 4]);
  assert.deepEqual(rows({ exception: "=never seen" }), []);
});

test("a choice counts what the other filters leave", () => {
  const { counts } = trialRows.passing(index(), { outcome: "0", exception: "=AgentTimeoutError", find: "alpha" });
  assert.deepEqual(plain(counts), {
    outcome: { "-1": 0, 0: 2, 1: 0, 2: 0 },
    exception: { none: 0, any: 2 },
    names: [2, 0],
  });
  assert.deepEqual(plain(trialRows.passing(index(), { outcome: "1" }).counts.names), [0, 0]);
  assert.deepEqual(plain(trialRows.passing(index(), { exception: "none" }).counts.outcome), { "-1": 0, 0: 0, 1: 2, 2: 0 });
});

test("a range leaves out trials that report nothing; a column that is not there has no range", () => {
  assert.deepEqual(rows({ ranges: [["turns", "0", ""]] }), [0, 1, 3, 4]);
  assert.deepEqual(rows({ ranges: [["turns", "2", "3"]] }), [0, 3]);
  assert.deepEqual(rows({ ranges: [["turns", "", ""]] }), [0, 1, 2, 3, 4]);
  assert.deepEqual(rows({ ranges: [["turns", "x", ""]] }), [0, 1, 2, 3, 4]);
  assert.deepEqual(rows({ ranges: [["wall_s", "1", ""]] }), []);
});

test("rows are sorted with missing values last in both directions, ties in table order", () => {
  assert.deepEqual(rows({ sort: "turns" }), [1, 3, 0, 4, 2]);
  assert.deepEqual(rows({ sort: "-turns" }), [4, 0, 3, 1, 2]);
  assert.deepEqual(rows({ sort: "-trial" }), [4, 0, 3, 1, 2]);
  assert.deepEqual(rows({ sort: "exception" }), [1, 4, 2, 0, 3]);
  assert.deepEqual(rows({ sort: "-task" }), [0, 2, 1, 3, 4]);
  assert.deepEqual(rows({ sort: "-turns", exception: "any" }), [4, 1, 2]);
  assert.deepEqual(rows({ sort: "none such" }), [0, 1, 2, 3, 4]);
});

test("a cell gives the name behind a code, nothing for none", () => {
  assert.equal(trialRows.value(data, "exception", 2), "DaytonaError");
  assert.equal(trialRows.value(data, "exception", 0), null);
  assert.equal(trialRows.value(data, "turns", 4), 12);
});
