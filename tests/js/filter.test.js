"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const load = require("./load.js");
const { plain } = load;

const { filter } = load("filter");
const rows = [
  { text: "calendar skyrl lr=8e-6", facets: { framework: ["skyrl"], tag: ["baseline", "synthetic"] } },
  { text: "gsm8k verl", facets: { framework: ["verl"], tag: [] } },
  { text: "截断比例 skyrl", facets: { framework: ["skyrl"] } },
];
const shown = (query, chosen) => rows.map((row) => filter.passes(row, query, chosen));

test("every word must occur, in any order and case", () => {
  assert.deepEqual(shown("SKYRL Calendar", {}), [true, false, false]);
});

test("Chinese is found by part of a word, full-width letters by their plain form", () => {
  assert.deepEqual(shown("断比", {}), [false, false, true]);
  assert.deepEqual(shown("ｖｅｒｌ", {}), [false, true, false]);
});

test("an empty query passes everything", () => {
  assert.deepEqual(shown("  ", {}), [true, true, true]);
});

test("values of one facet add up, facets narrow each other", () => {
  assert.deepEqual(shown("", { framework: ["skyrl", "verl"] }), [true, true, true]);
  assert.deepEqual(shown("", { framework: ["skyrl"], tag: ["baseline"] }), [true, false, false]);
});

test("a facet's own choice does not change its counts, other facets do", () => {
  const counts = plain(filter.counts(rows, "", { framework: ["verl"], tag: [] }));
  assert.deepEqual(counts.framework, { skyrl: 2, verl: 1 });
  assert.deepEqual(counts.tag, {});
  assert.deepEqual(plain(filter.counts(rows, "lr=", {})).framework, { skyrl: 1 });
});

test("a value named like a property of objects is counted like any other", () => {
  const odd = [{ text: "", facets: { tag: ["constructor"] } }];
  assert.deepEqual(plain(filter.counts(odd, "", {})).tag, { constructor: 1 });
});
