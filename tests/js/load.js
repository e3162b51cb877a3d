/* Loads the pure scripts of static/js/lib as the page does: one global namespace, no modules. */
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

const LIB = path.join(__dirname, "..", "..", "static", "js", "lib");

/** The namespace after loading the named files. */
module.exports = function load(...names) {
  const context = vm.createContext({ Intl, console });
  for (const name of ["namespace", ...names]) {
    vm.runInContext(fs.readFileSync(path.join(LIB, `${name}.js`), "utf8"), context, { filename: `${name}.js` });
  }
  return context.sitegen;
};

/** A value of another context as a value of this one, so that deepEqual compares contents. */
module.exports.plain = (value) => JSON.parse(JSON.stringify(value));
