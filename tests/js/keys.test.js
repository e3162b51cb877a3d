"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const load = require("./load.js");

const { keys, place } = load("keys", "place");

test("single keys act at once", () => {
  const step = keys.machine();
  assert.equal(step("j", 0), "next");
  assert.equal(step("?", 1), "help");
  assert.equal(step("/", 2), "search");
  assert.equal(step("f", 2), "filter");
  assert.equal(step("l", 2), "language");
  assert.equal(step("x", 2), null);
});

test("g waits for its second key, but not for ever", () => {
  const step = keys.machine();
  assert.equal(step("g", 0), null);
  assert.equal(step("g", 100), "glossary");
  assert.equal(step("i", 200), null);
  assert.equal(step("g", 1000), null);
  assert.equal(step("i", 3000), null);
});

test("a key that ends no sequence still acts for itself", () => {
  const step = keys.machine();
  step("g", 0);
  assert.equal(step("j", 10), "next");
});

test("a popover opens below, above where there is more room, and stays in the window", () => {
  const view = { left: 0, top: 0, width: 1000, height: 800 };
  const size = { width: 320, height: 150 };
  const at = (left, top) => place.below({ left, top, width: 60, height: 20 }, size, view);
  assert.deepEqual({ ...at(100, 100) }, { left: 100, top: 128, above: false });
  assert.deepEqual({ ...at(100, 700) }, { left: 100, top: 542, above: true });
  const over = (top) => place.below({ left: 100, top, width: 60, height: 20 }, size, view, true);
  assert.deepEqual({ ...over(300) }, { left: 100, top: 142, above: true });
  assert.deepEqual({ ...over(100) }, { left: 100, top: 128, above: false });
  assert.equal(at(950, 100).left, 1000 - 16 - 320);
  assert.equal(at(0, 100).left, 16);
});
