/* The compare page's words and small parts: a run's swatch and letter, names with their explanations. */
(function () {
  "use strict";
  const { make, drawn, wrapped } = sitegen.index;
  const own = /** @type {SitegenCompare} */ ({ view: null });
  sitegen.compare = own;

  /** @param {string} key */
  const template = (key) => own.config.texts[`cmp.${key}`] || key;

  Object.assign(own, {
    /** Numbers are written as counts. @param {string} key @param {Record<string, string | number>} [values] */
    say(key, values) {
      return template(key).replace(/\{(\w+)\}/g, function (whole, name) {
        const value = values && name in values ? values[name] : whole;
        return typeof value === "number" ? sitegen.numbers.fixed(value, 0) : value;
      });
    },

    /** @param {string} key @param {Record<string, Node | string>} values */
    told(key, values) {
      const parts = document.createDocumentFragment();
      template(key)
        .split(/\{(\w+)\}/)
        .forEach((part, at) => parts.append(at % 2 ? (values[part] ?? "") : part));
      return parts;
    },

    /** @param {RunTone} tone */
    swatch(tone) {
      const svg = drawn("svg", { class: `sw r${tone.tone}`, viewBox: "0 0 22 12", "aria-hidden": "true" });
      svg.append(drawn("path", { class: `ema${tone.dash ? " dash-2" : ""}`, d: "M0 6H22" }));
      return svg;
    },

    /** A run's letter behind its line. @param {CompareView} view @param {number} run */
    tag(view, run) {
      const tag = make("span", "run-tag");
      const letter = make("b", "", sitegen.compareState.letter(run));
      letter.title = own.runs.titles[view.runs[run]];
      tag.append(own.swatch(view.tones[run]), letter);
      return tag;
    },

    /** @param {number[]} runs */
    letters: (runs) => sitegen.compareState.letters(runs).join(own.lang === "zh" ? "、" : ", "),

    /** @param {CompareSubject} subject */
    title(subject) {
      const role = own.config.roles.find((known) => known.id === subject.role);
      return role ? role.label : subject.id;
    },

    /** The address of this page with some keys changed. @param {Record<string, string>} keys */
    link: (keys) => sitegen.hash.write(Object.assign(sitegen.state.get(), keys)) || "#",

    /** A name that has an explanation; plain when it has none. @param {string | undefined} id @param {Node | string} content */
    term(id, content) {
      if (!id) {
        const plain = make("span");
        plain.append(content);
        return plain;
      }
      const link = make("a", "term");
      link.dataset.term = id;
      link.href = sitegen.pageLink(`glossary/${id.split(" ")[0]}.html`);
      link.append(content);
      return link;
    },

    /** @param {CompareView} view @param {number} run @param {string | null} key */
    line(view, run, key) {
      const held = /** @type {any} */ (sitegen.registered).lines || {};
      return (key !== null && held[`${view.state.runs[run]}:${key}`]) || null;
    },
  });

  /** A name in code type that may break. @param {string} name */
  own.code = (name) => {
    const code = make("code");
    code.lang = "en";
    code.append(wrapped(name));
    return code;
  };
})();
