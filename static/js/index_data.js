/* The index's data: what data scripts register, columns made of it, and the small parts that everything draws with. */
(function () {
  "use strict";
  sitegen.registered = sitegen.registered || {};
  sitegen.register =
    sitegen.register ||
    function (key, payload) {
      sitegen.registered[key] = Object.assign(sitegen.registered[key] || {}, payload);
      document.dispatchEvent(new CustomEvent("sitegen:registered", { detail: key }));
    };
  /** @type {any} */
  const held = sitegen.registered;
  const SVG = "http://www.w3.org/2000/svg";
  const TEXTS = ["name", "status", "text", "tags"];
  const SCALES = /** @type {Record<string, number>} */ ({ share: 100, bar: 100 });
  /** Characters after which a long name may break. */
  const BREAK = /(?<=[-_/.:,=])(?=[^\s-])/;

  /** @type {Map<string, Promise<void>>} */
  const loading = new Map();
  /** @type {Map<string, RunColumn>} */
  const made = new Map();
  /** @type {Map<string, Element>} */
  const marks = new Map();
  const own = /** @type {SitegenIndex} */ ({ parts: /** @type {any[]} */ ([]) });
  sitegen.index = own;

  Object.assign(own, {
    /** An interface string; numbers are written as counts. @param {string} key @param {Record<string, string | number>} [values] */
    say(key, values) {
      const template = own.config.texts[`runs.${key}`] || key;
      return template.replace(/\{(\w+)\}/g, function (whole, name) {
        const value = values && name in values ? values[name] : whole;
        return typeof value === "number" ? sitegen.numbers.fixed(value, 0) : value;
      });
    },

    /** @param {string} tag @param {string} [css] @param {string} [text] */
    make(tag, css, text) {
      const node = document.createElement(tag);
      if (css) node.className = css;
      if (text !== undefined) node.textContent = text;
      return node;
    },

    /** @param {string} tag @param {Record<string, string | number>} attributes */
    drawn(tag, attributes) {
      const node = document.createElementNS(SVG, tag);
      for (const name of Object.keys(attributes)) node.setAttribute(name, String(attributes[name]));
      return node;
    },

    /** A state, a severity or an icon as the page's own template draws it. @param {string} name */
    mark(name) {
      if (!marks.size) {
        const box = /** @type {HTMLTemplateElement} */ (document.getElementById("index-marks")).content;
        for (const found of /** @type {NodeListOf<HTMLElement>} */ (box.querySelectorAll("[data-mark]"))) {
          if (found.firstElementChild) marks.set(found.dataset.mark || "", found.firstElementChild);
        }
      }
      const known = marks.get(name);
      return known ? /** @type {Element} */ (known.cloneNode(true)) : document.createElement("span");
    },

    /** @param {string} name */
    wrapped(name) {
      const parts = document.createDocumentFragment();
      name.split(BREAK).forEach((part, at) => {
        if (at) parts.append(document.createElement("wbr"));
        parts.append(part);
      });
      return parts;
    },

    /** Whether a name is read as English: no letter of another script. @param {string} name */
    english: (name) => /^[\x00-\x7f]*$/.test(name),

    /** @param {number} run */
    runLink: (run) => sitegen.pageLink(`runs/${own.runs.slugs[run]}/index.html`),

    /** @param {string} path */
    load(path) {
      let found = loading.get(path);
      if (!found) {
        found = new Promise((done, failed) => {
          const script = document.createElement("script");
          script.src = `${(document.documentElement.dataset.root || ".").replace(/\/$/, "")}/${path}`;
          script.addEventListener("load", () => done());
          script.addEventListener("error", () => {
            loading.delete(path);
            failed(new Error(path));
          });
          document.head.append(script);
        });
        loading.set(path, found);
      }
      return found;
    },

    columnData: () => held.columns || null,
    configData: () => held.configs || null,

    /** @param {string[]} ids @param {boolean} configs */
    async want(ids, configs) {
      const parsed = ids.map((id) => sitegen.columns.parse(id, own.config.columns));
      const metrics = [...new Set(parsed.filter((id) => id && id.type === "metric").map((id) => id && id.key))];
      const settings = configs || parsed.some((id) => id && id.type === "setting");
      if (!metrics.length && !settings) return false;
      const missing = () => metrics.filter((key) => !(held.metric && held.metric[key || ""]));
      if (held.columns && !missing().length && (!settings || held.configs)) return false;
      await own.load(own.config.data);
      const files = missing().map((key) => held.columns.metrics.find((/** @type {MetricEntry} */ m) => m.key === key));
      if (settings) files.push({ file: held.columns.configs });
      const wanted = files.filter(Boolean).map((entry) => entry.file);
      await Promise.all(wanted.map((file) => own.load(file)));
      return wanted.length > 0;
    },

    /** @param {string} id */
    column(id) {
      const known = made.get(id);
      if (known) return known;
      const parsed = sitegen.columns.parse(id, own.config.columns);
      const found =
        parsed && { built: builtColumn, metric: metricColumn, setting: settingColumn }[parsed.type](parsed);
      if (found) made.set(id, found);
      return found;
    },

    numericIds() {
      const skipped = [...TEXTS, "spark"];
      return own.config.columns.filter((column) => !skipped.includes(column.kind)).map((column) => column.id);
    },

    /** @param {string} facet */
    facetTitle: (facet) => own.say(facet),

    explain() {
      if (held.terms || !own.config.terms) return;
      own.load(own.config.terms).then(
        () => sitegen.popovers.add(held.terms),
        () => undefined, // a heading still sorts
      );
    },

    /** @param {number} run */
    status(run) {
      const facet = own.runs.facets.status;
      const code = facet.at[run][0];
      return { id: facet.names[code], label: (facet[own.lang] || facet.names)[code] };
    },

    /** @param {number} run @param {number} width @param {number} height */
    spark(run, width, height) {
      const codes = own.runs.sparks[run];
      return codes === null ? null : sparkline(codes, run, width, height);
    },

    /** @param {number} run @param {RunColumn} column */
    shown(run, column) {
      const value = column.cells[run];
      if (value === null || typeof value === "string") return value === null ? "–" : value;
      if (column.kind === "date") return sitegen.numbers.date(value, own.lang);
      if (column.kind === "share" || column.kind === "bar") return sitegen.numbers.fixed(value * 100, 1);
      if (column.kind === "ema" || column.kind === "pass") return sitegen.numbers.fixed(value, 3);
      if (["count", "steps", "problems"].includes(column.kind)) return sitegen.numbers.fixed(value, 0);
      return sitegen.numbers.number(value, column.kind === "number" ? 3 : 4);
    },
  });

  /** @param {string} facet @param {number} run */
  function facetText(facet, run) {
    const coded = own.runs.facets[facet];
    const names = coded[own.lang] || coded.names;
    const shown = coded.at[run].map((code) => names[code]);
    return shown.length ? shown.join(", ") : null;
  }

  /** @param {ColumnId} parsed @returns {RunColumn | null} */
  function builtColumn(parsed) {
    const built = own.config.columns.find((column) => column.id === parsed.id);
    if (!built) return null;
    const { numbers, titles, meaning } = own.runs;
    const several = built.grouped && new Set(meaning.at).size > 1;
    const text = TEXTS.includes(built.kind);
    /** @type {Cell[]} */
    let cells = numbers[built.id];
    if (built.kind === "name") cells = titles;
    else if (text) cells = titles.map((_, run) => facetText(built.id, run));
    const names = [...meaning[own.lang], own.say("no-reward")];
    return {
      ...built,
      title: built.label,
      numeric: !text,
      scale: SCALES[built.kind] || 1,
      cells,
      steps: built.kind === "ema" ? numbers.checkpoint : built.kind === "pass" ? numbers.pass_step : null,
      groups: several ? meaning.at : null,
      groupNames: names,
      term: "",
      groupTerms: [],
    };
  }

  /** What a metric means by run: one number per glossary entry, and the rest. @param {MetricEntry} entry */
  function meanings(entry) {
    const { names, at, en, zh } = own.runs.facets.framework;
    const labels = (own.lang === "zh" ? zh : en) || names;
    const ids = [...new Set(Object.values(entry.means))];
    if (ids.length < 2) return { groups: null, groupNames: [], term: ids[0] || "", groupTerms: [] };
    const groupNames = ids.map((id) => {
      const framework = Object.keys(entry.means).find((name) => entry.means[name] === id) || "";
      const label = labels[names.indexOf(framework)] || own.say("unknown-framework");
      return `${label}, ${entry.key}`;
    });
    groupNames.push(own.say("no-metric"));
    const groups = at.map((codes) => {
      const id = entry.means[codes.length ? names[codes[0]] : ""];
      return id === undefined ? ids.length : ids.indexOf(id);
    });
    return { groups, groupNames, term: ids[0], groupTerms: ids };
  }

  /** @param {ColumnId} parsed @returns {RunColumn | null} */
  function metricColumn(parsed) {
    const data = /** @type {MetricData | undefined} */ (held.metric && held.metric[parsed.key]);
    const listed = /** @type {ColumnData | undefined} */ (held.columns);
    const entry = listed && listed.metrics.find((metric) => metric.key === parsed.key);
    if (!data || !entry) return null;
    const cells = /** @type {Cell[]} */ (new Array(own.runs.slugs.length).fill(null));
    const steps = /** @type {Array<number | null>} */ (new Array(cells.length).fill(null));
    data.at.forEach((run, index) => {
      const found = sitegen.columns.value(data.runs[index], parsed.stat, parsed.step);
      cells[run] = found.value;
      steps[run] = parsed.stat === "step" && found.step === parsed.step ? null : found.step;
    });
    return {
      id: parsed.id,
      kind: "metric",
      label: own.say(`head-${parsed.stat}`, { name: parsed.key, step: String(parsed.step) }),
      title: own.lang === "zh" ? entry.zh : entry.en,
      numeric: true,
      scale: 1,
      first: entry.best === "down" ? "ascending" : "descending",
      cells,
      steps: parsed.stat === "mean" || parsed.stat === "ckpt" ? null : steps,
      ...meanings(entry),
    };
  }

  /** @param {ColumnId} parsed @returns {RunColumn | null} */
  function settingColumn(parsed) {
    const configs = own.configData();
    const found = configs && configs[parsed.key];
    const listed = /** @type {ColumnData | undefined} */ (held.columns);
    const setting = listed && listed.settings.find((item) => item.key === parsed.key);
    if (!found) return null;
    const [names, codes] = found;
    const numeric = names.some((name) => name !== "null") && names.every((name) => name === "null" || isNumber(name));
    const values = names.map((name) => (numeric ? (name === "null" ? null : Number(name)) : name));
    return {
      id: parsed.id,
      kind: "setting",
      label: parsed.key,
      title: parsed.key,
      numeric,
      scale: 1,
      first: "ascending",
      cells: codes.map((code) => (code < 0 ? null : values[code])),
      steps: null,
      groups: null,
      groupNames: [],
      term: (setting && setting.term) || "",
      groupTerms: [],
    };
  }

  /** @param {string} text */
  function isNumber(text) {
    return /^-?\d+(\.\d+)?(e-?\d+)?$/.test(text) && Number.isFinite(Number(text));
  }

  /** @param {string} codes @param {number} run @param {number} width @param {number} height */
  function sparkline(codes, run, width, height) {
    const DOT = "m-1 0a1 1 0 1 0 2 0a1 1 0 1 0-2 0"; // a value between two gaps, as in `sitegen/pages/index.py`
    const levels = own.config.levels;
    const most = levels.length - 1;
    /** @param {number} value */
    const half = (value) => Math.round(value * 2) / 2;
    /** @param {number} at */
    const x = (at) => half(2 + ((width - 4) * levels.indexOf(codes[at])) / most);
    /** @param {number} at */
    const y = (at) => {
      const level = levels.indexOf(codes[at]);
      return level < 0 ? null : half(height - 2 - ((height - 4) * level) / most);
    };
    /** @param {number} offset */
    const path = (offset) => {
      let text = "";
      let open = false;
      for (let at = 2; at + 2 < codes.length; at += 3) {
        const height_ = y(at + offset);
        if (height_ === null) open = false;
        else {
          text += `${open ? "L" : "M"}${x(at)} ${height_}${open ? "" : "h0"}`;
          open = true;
        }
      }
      return text.replace(/h0(?!L)/g, DOT).replace(/h0/g, "");
    };
    const { number } = sitegen.numbers;
    const { last, reward } = own.runs.numbers;
    const label = own.say("spark", { last: number(last[run], 3), best: number(reward[run], 3) });
    const frame = { class: "spark r0", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label };
    const svg = own.drawn("svg", frame);
    svg.append(
      own.drawn("path", { class: "base", d: `M0 ${height - 1.5}H${width}` }),
      own.drawn("path", { class: "raw", d: path(1) }),
      own.drawn("path", { class: "ema", d: path(2) }),
    );
    const ring = y(1);
    if (ring !== null) svg.append(own.drawn("circle", { class: "ck", cx: x(0), cy: ring, r: 3.2 }));
    return svg;
  }
})();
