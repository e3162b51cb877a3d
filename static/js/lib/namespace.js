/* The one global name. Everything the pages' scripts share hangs on it. */
(function () {
  "use strict";
  const root = /** @type {any} */ (globalThis);
  /** @type {Sitegen} */
  const sitegen = (root.sitegen = /** @type {Sitegen} */ (root.sitegen || {}));

  sitegen.text = function (key, values) {
    const lang = document.documentElement.dataset.lang || "en";
    const template = (sitegen.texts[lang] || {})[key] || key;
    return template.replace(/\{(\w+)\}/g, function (whole, name) {
      const value = values && values[name];
      return typeof value === "number" ? sitegen.numbers.fixed(value, 0) : value || whole;
    });
  };

  sitegen.pageLink = function (path) {
    const page = document.documentElement;
    const root = (page.dataset.root || ".").replace(/\/$/, "");
    return `${root}/${page.dataset.lang === "zh" ? "zh/" : ""}${path}`;
  };

  sitegen.ready = function (start) {
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
    else start();
  };
})();
