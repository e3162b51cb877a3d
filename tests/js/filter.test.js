"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const load = require("./load.js");

const { filter } = load("filter");
const TEXTS = ["calendar skyrl lr=8e-6", "gsm8k verl", "截断比例 skyrl"];
const shown = (query) => TEXTS.map((text) => filter.matches(text, query));

test("every word must occur, in any order and case", () => {
  assert.deepEqual(shown("SKYRL Calendar"), [true, false, false]);
});

test("Chinese is found by part of a word, full-width letters by their plain form", () => {
  assert.deepEqual(shown("断比"), [false, false, true]);
  assert.deepEqual(shown("ｖｅｒｌ"), [false, true, false]);
});

test("an empty query passes everything", () => {
  assert.deepEqual(shown("  "), [true, true, true]);
});
