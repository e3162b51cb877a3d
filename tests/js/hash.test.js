"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const load = require("./load.js");
const { plain } = load;

const { hash } = load("hash");

test("what is written is read back", () => {
  const state = { q: "a b&c=d", sort: "-ema", tag: "运行,一" };
  assert.deepEqual(plain(hash.read(hash.write(state))), state);
});

test("keys are in a fixed order and empty ones are left out", () => {
  assert.equal(hash.write({ sort: "-ema", q: "x", tag: "" }), "#q=x&sort=-ema");
  assert.equal(hash.write({ q: "" }), "");
});

test("an anchor is no state", () => {
  assert.deepEqual(plain(hash.read("#checkpoint")), {});
  assert.deepEqual(plain(hash.read("")), {});
});

test("a hash damaged by hand does not throw", () => {
  assert.deepEqual(plain(hash.read("#q=100%&=x&&sort")), { q: "100%" });
});

test("only a page of this site is one", () => {
  for (const path of ["index.html", "runs/a-b.c_d/metrics.html", "zh/glossary/x.html"]) assert.equal(hash.page(path), path);
  for (const path of [
    "",
    "runs/x",
    "//evil.example/a.html",
    "/a.html",
    "../a.html",
    "runs/../../a.html",
    "./a.html",
    "https://evil.example/a.html",
    "javascript:x.html",
    "a\\b.html",
    "a%2fb.html",
    "a.html?x",
  ])
    assert.equal(hash.page(path), "", path);
});

test("lists keep commas inside values", () => {
  const values = ["a,b", "c", ",", "d,,e", "~.", "~~,"];
  assert.deepEqual(plain(hash.list(hash.join(values))), values);
  assert.deepEqual(plain(hash.list("")), []);
  assert.deepEqual(plain(hash.list(undefined)), []);
});
