/* What may not be compared, the figures with their differences from the baseline, and the settings that differ. */
(function () {
  "use strict";
  const own = sitegen.compare;
  const { make, mark } = sitegen.index;
  const { letter } = sitegen.compareState;
  const lines = sitegen.compareLines;
  const SOME = 8;

  /** Facts of a run in the table: id, kind, better direction. The reward's direction is its metric's.
      @type {Array<[string, string, string]>} */
  const FACTS = [
    ["ema", "fixed", "reward"],
    ["pass", "fixed", "up"],
    ["solved", "share", "up"],
    ["exceptions", "share", "down"],
    ["step", "number", "down"],
    ["trials", "count", ""],
    ["steps", "count", ""],
    ["jobs", "count", ""],
    ["checkpoint", "count", ""],
  ];

  /* ---------------------------------------------------------------- rules */

  /** @param {CompareView} view @param {CompareRule} rule @param {string} value */
  function ruleValue(view, rule, value) {
    if (rule.id === "failed") return own.runs.titles[view.runs[Number(value)]];
    if (rule.id === "data") return own.code(value);
    if (rule.id === "framework") return frameworkName(value);
    if (rule.id === "step") return machineOf(value);
    if (rule.id !== "reward") return value;
    const [framework, metric] = value.split("\n");
    const parts = document.createDocumentFragment();
    parts.append(own.code(metric), ` ${frameworkName(framework)}`);
    return parts;
  }

  /** @param {string} id */
  const frameworkName = (id) => own.config.frameworks[id] || own.say("unknown-framework");

  /** Framework, batch and GPUs in words. @param {string} value */
  function machineOf(value) {
    const [framework, batch, gpus] = value.split("\n");
    const { fixed } = sitegen.numbers;
    const parts = [
      frameworkName(framework),
      batch ? own.say("batch", { n: fixed(Number(batch), 0) }) : own.say("batch-unknown"),
      gpus ? own.say("gpus", { n: fixed(Number(gpus), 0) }) : own.say("gpus-unknown"),
    ];
    return parts.join(own.say("comma"));
  }

  /** @param {CompareView} view @param {CompareRule} rule */
  function sentence(view, rule) {
    const who = document.createDocumentFragment();
    rule.groups.forEach(({ value, runs }, at) => {
      if (at) who.append(own.say("semicolon"));
      who.append(ruleValue(view, rule, value), ` (${own.letters(runs)})`);
    });
    const on = [...rule.touches, ...(rule.id === "framework" ? rule.mutes || [] : [])];
    const titles = view.subjects.filter((subject) => on.includes(subject.id)).map(own.title);
    if (!rule.unknown) return own.told(`rule-${rule.id}`, { who, metrics: titles.join(own.say("comma")) });
    if (rule.groups.length < 2) return own.told(`rule-${rule.id}-unknown`, { who: own.letters(rule.unknown) });
    who.append(own.say("semicolon"), own.say("rule-not-known"), ` (${own.letters(rule.unknown)})`);
    return own.told(`rule-${rule.id}`, { who });
  }

  /** @param {CompareView} view */
  function drawRules(view) {
    const place = document.querySelector("[data-rules]");
    if (!place) return;
    place.replaceChildren(...view.rules.map((rule) => own.banner("warn", sentence(view, rule))));
  }

  /* -------------------------------------------------------------- numbers */

  /** @param {CompareView} view @param {string} corner */
  function head(view, corner) {
    const table = make("table", "t");
    const row = table.createTHead().insertRow();
    const first = make("th", "", corner);
    first.scope = "col";
    row.append(first);
    view.runs.forEach((run, at) => {
      const cell = make("th", "n");
      cell.scope = "col";
      cell.append(own.tag(view, at));
      if (view.state.runs[at] === view.state.base) cell.append(make("small", "", own.say("base")));
      const name = make("span", "sr", own.runs.titles[run]);
      cell.append(name);
      row.append(cell);
    });
    return table;
  }

  /** How a value stands to the baseline's: sign, arrow, word. @param {CompareVerdict | null} verdict @param {string} kind */
  function deltaOf(verdict, kind) {
    if (!verdict) return null;
    const { delta, word } = verdict;
    if (word === "same") return make("small", "delta quiet", own.say("same"));
    const tone = word === "better" ? "is-good" : word === "worse" ? "is-bad" : "quiet";
    const box = make("small", `delta ${tone}`);
    const size = shown(Math.abs(delta), kind === "number" ? "delta" : kind);
    const sign = delta > 0 ? "+" : "\u2212";
    const arrow = make("i", "", delta > 0 ? "▲" : "▼");
    arrow.setAttribute("aria-hidden", "true");
    box.append(arrow, `${sign}${size}`);
    if (word !== "none") box.append(" ", make("span", "", own.say(word)));
    return box;
  }

  /** @param {number | null} value @param {string} kind */
  function shown(value, kind) {
    const { number, fixed } = sitegen.numbers;
    if (value === null) return "–";
    if (kind === "fixed") return fixed(value, 3);
    if (kind === "share") return fixed(value * 100, 1);
    if (kind === "count") return fixed(value, 0);
    return number(value, kind === "delta" ? 3 : 4);
  }

  /** @param {CompareView} view @param {string} id */
  const touched = (view, id) => view.rules.some((rule) => rule.touches.includes(id));

  /** @param {CompareView} view @param {string} id */
  const muted = (view, id) => view.rules.some((rule) => (rule.mutes || []).includes(id));

  /** One row: the values, and their differences from the baseline unless a rule forbids it.
      @param {CompareView} view @param {string} id @param {Node} title @param {string} kind @param {string} direction
      @param {Array<{value: number | null, step: number | null, note?: string}>} values */
  function row(view, id, title, kind, direction, values) {
    const line = make("tr");
    const name = make("th", "full");
    name.scope = "row";
    name.append(title);
    line.append(name);
    const base = values[view.state.runs.indexOf(view.state.base)];
    const forbidden = touched(view, id);
    const way = muted(view, id) ? "" : direction;
    values.forEach((item, at) => {
      const cell = make("td", "n");
      cell.dataset.l = letter(at);
      const value = make("span", "v", shown(item.value, kind));
      if (item.note) value.append(item.note);
      cell.append(value);
      if (item.step !== null && item.value !== null) cell.append(make("small", "at", own.say("at-step", { step: sitegen.numbers.fixed(item.step, 0) })));
      if (item !== base && item.value !== null && base && base.value !== null) {
        const found = forbidden ? forbiddenMark() : deltaOf(lines.verdict(item.value, base.value, way), kind);
        if (found) cell.append(found);
      }
      line.append(cell);
    });
    return line;
  }

  function forbiddenMark() {
    const box = make("small", "cmpb quiet");
    box.append(mark("k-no"), make("span", "", own.say("not-comparable")));
    return box;
  }

  /** @param {CompareView} view @param {string} id */
  function factValues(view, id) {
    const { numbers, told } = own.runs;
    const steps = id === "ema" ? numbers.checkpoint : id === "pass" ? numbers.pass_step : null;
    return view.runs.map((run) => ({
      value: numbers[id][run],
      step: steps ? steps[run] : null,
      note: told[id] && told[id].includes(run) ? "‡" : "",
    }));
  }

  /** @param {CompareView} view */
  function rewardDirection(view) {
    const found = view.abouts.find((about) => about.reward !== null && Object.hasOwn(about.metrics, about.reward));
    return found && found.reward !== null ? found.metrics[found.reward][1] : "";
  }

  /** @param {CompareView} view @param {CompareSubject} subject */
  function directionOf(view, subject) {
    const at = subject.keys.findIndex((key) => key !== null);
    return at < 0 ? "" : view.abouts[at].metrics[/** @type {string} */ (subject.keys[at])][1];
  }

  /** @param {CompareSubject} subject */
  function subjectTitle(subject) {
    const at = subject.terms.findIndex((term) => term !== null);
    const words = subject.role ? own.title(subject) : own.code(subject.id);
    const box = document.createDocumentFragment();
    box.append(own.term(at < 0 ? undefined : subject.terms[at] || undefined, words));
    const names = [...new Set(subject.keys.filter((key) => key !== null))];
    if (subject.role) for (const name of names) box.append(" ", own.code(/** @type {string} */ (name)));
    return box;
  }

  /** @param {CompareView} view @param {string} text */
  function group(view, text) {
    const line = make("tr", "group-row");
    const cell = make("th", "full", text);
    cell.scope = "rowgroup";
    cell.colSpan = view.runs.length + 1;
    line.append(cell);
    return line;
  }

  /** @param {CompareView} view */
  function drawNumbers(view) {
    const place = document.querySelector("[data-numbers]");
    const said = document.querySelector("[data-numbers-said]");
    const select = /** @type {HTMLSelectElement | null} */ (document.querySelector("[data-stat]"));
    if (!place || !said || !select) return;
    const { stat, base, runs } = view.state;
    select.value = stat === "common" ? "" : stat;
    const letters = { letter: letter(runs.indexOf(base)) };
    said.textContent = runs.length > 1 ? own.say("numbers-said", letters) : own.say("numbers-alone");
    const table = head(view, own.say("metric"));
    table.className = "t nums-t stack-s";
    table.dataset.runs = String(view.runs.length);
    table.createCaption().className = "sr";
    if (table.caption) table.caption.textContent = own.say("numbers-caption");
    const whole = table.createTBody();
    const facts = FACTS.filter(([id]) => view.runs.some((run) => own.runs.numbers[id][run] !== null));
    whole.append(group(view, own.say("of-run")));
    whole.append(statusRow(view));
    for (const [id, kind, direction] of facts) {
      const way = direction === "reward" ? rewardDirection(view) : direction;
      whole.append(row(view, `#${id}`, document.createTextNode(own.say(`fact-${id}`)), kind, way, factValues(view, id)));
    }
    const each = table.createTBody();
    const step = view.common === null ? "–" : sitegen.numbers.fixed(view.common, 0);
    each.append(group(view, own.say(`stat-${stat}`, { step })));
    for (const subject of view.subjects) {
      const values = view.abouts.map((about, at) => {
        const key = subject.keys[at];
        const found = lines.value(about, key, own.line(view, at, key), stat, view.common);
        return stat === "common" && found.step === view.common ? { ...found, step: null } : found;
      });
      each.append(row(view, subject.id, subjectTitle(subject), "number", directionOf(view, subject), values));
    }
    const notes = [];
    const told = FACTS.some(([id]) => factValues(view, id).some((item) => item.note));
    if (told) notes.push(make("p", "table-note", own.say("told")));
    place.replaceChildren(table, ...notes);
  }

  /** @param {CompareView} view */
  function statusRow(view) {
    const line = make("tr");
    const name = make("th", "full", own.say("fact-status"));
    name.scope = "row";
    line.append(name);
    const { names, at } = own.runs.facets.status;
    view.runs.forEach((run, index) => {
      const cell = make("td", "n");
      cell.dataset.l = letter(index);
      cell.append(mark(names[at[run][0]]));
      if (own.runs.numbers.guessed[run]) cell.append(" ", make("small", "quiet", own.say("guess")));
      line.append(cell);
    });
    return line;
  }

  /* ------------------------------------------------------------- settings */

  /** @param {CompareView} view @param {string} key */
  function settingTerm(view, key) {
    const about = view.abouts.find((known) => Object.hasOwn(known.settings, key));
    return about && about.settings[key];
  }

  /** @param {CompareView} view */
  function drawSettings(view) {
    const place = document.querySelector("[data-settings]");
    const said = document.querySelector("[data-settings-said]");
    if (!place || !said) return;
    const { query, ignore } = view.state;
    const { shown, left, total } = sitegen.compareSettings.differing(view.abouts.map((about) => about.config), ignore);
    const found = shown.filter(({ key, values }) => {
      const text = [key, ...values.map((value) => value || ""), own.termTitle(settingTerm(view, key))].join(" ");
      return sitegen.filter.matches(sitegen.filter.fold(text), query);
    });
    said.textContent = sentenceOf(view, shown, found.length, total);
    drawLeft(view, left);
    if (!found.length) {
      place.replaceChildren();
      return;
    }
    const table = head(view, own.say("setting"));
    table.className = "t cfg-t stack-s";
    table.dataset.runs = String(view.runs.length);
    table.createCaption().className = "sr";
    if (table.caption) table.caption.textContent = own.say("settings-caption");
    const told = view.abouts.map((about) => Object.keys(about.config).length > 0);
    const inAll = found.filter(({ values }) => values.every((value, at) => value !== null || !told[at]));
    const inSome = found.filter((setting) => !inAll.includes(setting));
    const body = table.createTBody();
    body.append(...inAll.map((setting) => settingRow(view, setting)));
    if (inSome.length) someRows(view, table.createTBody(), inSome);
    place.replaceChildren(table);
  }

  /** Settings that only some runs have come last, many of them folded: often one run recorded more than another.
      @param {CompareView} view @param {HTMLTableSectionElement} body @param {CompareSetting[]} settings */
  function someRows(view, body, settings) {
    body.append(group(view, own.say("in-some", { n: settings.length })));
    const first = view.state.rows || settings.length <= SOME + 3 ? settings.length : SOME;
    body.append(...settings.slice(0, first).map((setting) => settingRow(view, setting)));
    if (first === settings.length) return;
    const cell = body.insertRow().insertCell();
    cell.colSpan = view.runs.length + 1;
    const more = make("button", "linklike", own.say("more-settings", { n: settings.length - first }));
    more.type = "button";
    more.addEventListener("click", () => sitegen.state.set({ rows: "all" }, true));
    cell.append(more);
  }

  /** @param {CompareView} view @param {CompareSetting[]} shown @param {number} found @param {number} total */
  function sentenceOf(view, shown, found, total) {
    const differ = shown.length;
    const without = view.abouts.map((about, at) => (Object.keys(about.config).length ? -1 : at)).filter((at) => at >= 0);
    const some = shown.filter(({ values }) => values.some((value, at) => value === null && !without.includes(at))).length;
    const assumed = view.abouts.map((about, at) => (about.assumed ? at : -1)).filter((at) => at >= 0);
    const parts = [];
    if (view.abouts.length - without.length < 2) parts.push(own.say("settings-too-few"));
    else if (!differ) parts.push(own.say("settings-none", { all: total }));
    else parts.push(own.say("settings-said", { n: differ, all: total }));
    if (some && view.abouts.length - without.length > 1) parts.push(own.say("settings-some", { n: some }));
    if (differ && found < differ) parts.push(own.say("settings-found", { n: found }));
    if (without.length) parts.push(own.say("settings-without", { letters: own.letters(without) }));
    if (assumed.length) parts.push(own.say("settings-assumed", { letters: own.letters(assumed) }));
    return parts.join(own.lang === "zh" ? "" : " ");
  }

  /** @param {CompareView} view @param {CompareSetting} setting */
  function settingRow(view, setting) {
    const line = make("tr");
    const name = make("th", "full");
    name.scope = "row";
    name.append(own.term(settingTerm(view, setting.key), own.code(setting.key)));
    line.append(name);
    const base = setting.values[view.state.runs.indexOf(view.state.base)];
    setting.values.forEach((value, at) => {
      const cell = make("td", value === base && view.state.runs[at] !== view.state.base ? "same" : "");
      cell.dataset.l = letter(at);
      if (value === null) {
        const none = make("span", "abs", "–");
        none.title = own.say("not-set");
        cell.append(none, make("span", "sr", own.say("not-set")));
      } else cell.append(own.code(value));
      line.append(cell);
    });
    return line;
  }

  /** @param {CompareView} view @param {string[]} left */
  function drawLeft(view, left) {
    const title = document.querySelector("[data-left-out]");
    const keys = document.querySelector("[data-left-keys]");
    const field = /** @type {HTMLTextAreaElement | null} */ (document.querySelector("[data-ignore]"));
    if (!title || !keys || !field) return;
    title.textContent = left.length ? own.say("left-out", { n: left.length }) : own.say("none-left-out");
    const parts = left.flatMap((key, at) => (at ? [own.say("comma"), own.code(key)] : [own.code(key)]));
    keys.replaceChildren(...parts);
    if (document.activeElement !== field) field.value = view.state.ignore.join("\n");
  }

  /** @param {CompareView} view */
  own.tables = function (view) {
    drawRules(view);
    drawNumbers(view);
    drawSettings(view);
  };

  /** @param {string} selector @param {string} event @param {(element: any) => void} action */
  function on(selector, event, action) {
    const found = document.querySelector(selector);
    if (found) found.addEventListener(event, () => action(found));
  }

  on("[data-stat]", "change", (select) => sitegen.state.set({ at: select.value }, true));
  on("[data-baseline]", "change", (select) => {
    const { runs } = sitegen.compareState.runs(own.view ? own.view.state.runs : [], "");
    sitegen.state.set({ runs, base: select.value }, true);
  });
  on("[data-range]", "change", (select) => sitegen.state.set({ steps: select.value, x: "" }, true));
  on("[data-ignore-apply]", "click", () => {
    const field = /** @type {HTMLTextAreaElement} */ (document.querySelector("[data-ignore]"));
    const list = field.value.split(/\s+/).filter(Boolean);
    const same = list.join("\n") === own.config.ignore.join("\n");
    sitegen.state.set({ ignore: same ? "" : sitegen.hash.join(list.length ? list : ["-"]) }, true);
  });
  on("[data-ignore-reset]", "click", () => {
    const field = /** @type {HTMLTextAreaElement} */ (document.querySelector("[data-ignore]"));
    field.value = own.config.ignore.join("\n");
    sitegen.state.set({ ignore: "" }, true);
  });
})();
