/* Rules of html-validate for the pages of the site: all recommended ones but these. */
export default {
  root: true,
  extends: ["html-validate:recommended"],
  elements: ["html5", { details: { sectioning: false } }], // a sectioning root of older HTML; the standard has none now
  rules: {
    "doctype-style": "off", // taste: `<!doctype html>` is as valid in lower case
    "no-trailing-whitespace": "off", // taste; nobody reads the source line by line
    "long-title": "off", // a title holds the name of a run or a setting, as long as that is
    "prefer-native-element": "off", // a box that scrolls is a group or a region, but no section of the document
    "wcag/h32": "off", // a technique, no requirement: filters act while one types, and there is nothing to submit
  },
};
