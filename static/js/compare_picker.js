/* What is compared: the cards of the chosen runs, the list to choose from, the list of metrics. */
(function () {
  "use strict";
  const own = sitegen.compare;
  const { make, mark, wrapped, english } = sitegen.index;
  const SHOWN = 60;
  const { MOST, letter } = sitegen.compareState;

  /** @param {string[]} slugs @param {string} base */
  const choose = (slugs, base) => sitegen.state.set(sitegen.compareState.runs(slugs, base), true);

  /** @param {number} run number in the archive */
  function facts(run) {
    const { numbers } = own.runs;
    const { fixed, date } = sitegen.numbers;
    const told = [own.say("n-steps", { n: fixed(numbers.steps[run], 0) })];
    if (numbers.guessed[run]) told.unshift(own.say("guess"));
    if (numbers.trials[run] !== null) told.push(own.say("n-trials", { n: fixed(numbers.trials[run], 0) }));
    if (numbers.started[run] !== null) told.push(date(numbers.started[run], own.lang));
    return ` · ${told.join(" · ")}`;
  }

  /** @param {number} run */
  function statusOf(run) {
    const { names, at } = own.runs.facets.status;
    return mark(names[at[run][0]]);
  }

  /** @param {CompareState} state @param {string} slug @param {number} at @param {RunTone} tone */
  function card(state, slug, at, tone) {
    const run = own.runs.slugs.indexOf(slug);
    const item = make("li", "side");
    const body = make("div");
    const name = make("a", "name");
    name.href = sitegen.pageLink(`runs/${slug}/index.html`);
    if (english(own.runs.titles[run])) name.lang = "en";
    name.append(wrapped(own.runs.titles[run]));
    const badge = make("span", "badge", slug === state.base ? own.say("letter-base", { letter: letter(at) }) : letter(at));
    const line = make("p");
    line.append(statusOf(run), facts(run));
    body.append(name, " ", badge, line);
    const remove = make("button", "icon-x");
    remove.type = "button";
    remove.append(mark("i-x"), make("span", "sr", own.say("remove", { name: own.runs.titles[run] })));
    remove.addEventListener("click", () => choose(state.runs.filter((other) => other !== slug), state.base));
    item.append(own.swatch(tone), body, remove);
    return item;
  }

  /** @param {string} tone @param {Node | string} text */
  function banner(tone, text) {
    const box = make("div", `banner is-${tone}`);
    const words = make("p");
    words.append(text);
    box.append(mark(tone === "warn" ? "v-warn" : "v-note"), words);
    return box;
  }
  own.banner = banner;

  /** @param {CompareState} state */
  own.heads = function (state) {
    const place = document.getElementById("cmp-runs");
    const said = document.getElementById("cmp-said");
    if (!place || !said) return;
    const tones = sitegen.runColors.assign(state.runs);
    const plain = { tone: 1, dash: false };
    place.replaceChildren(...state.runs.map((slug, at) => card(state, slug, at, tones.get(slug) || plain)));
    const told = [];
    const named = (/** @type {string[]} */ slugs) => slugs.map((slug) => own.runs.titles[own.runs.slugs.indexOf(slug)] || slug).join(", ");
    if (state.refused.length) told.push(banner("warn", own.say("refused", { most: MOST, names: named(state.refused) })));
    if (state.unknown.length) told.push(banner("warn", own.say("unknown", { names: named(state.unknown) })));
    if (state.runs.length === 1) told.push(banner("note", own.say("one-more")));
    said.replaceChildren(...told);
    const empty = document.getElementById("cmp-empty");
    if (empty) empty.hidden = state.runs.length > 0;
    if (!offered && details && !state.runs.length && !state.unknown.length) details.open = true; // the page begins here
    offered = true;
  };

  /* ------------------------------------------------------------ list of runs */

  const details = /** @type {HTMLDetailsElement | null} */ (document.getElementById("run-picker"));
  const panel = /** @type {HTMLElement | null} */ (document.querySelector("[data-run-panel]"));
  let query = "";
  let offered = false;
  let opened = false;
  /** @type {RunModel | null} */
  let model = null;
  /** @type {CompareState | null} */
  let now = null;

  /** @param {string} id @param {boolean} on @param {Node} words @param {(on: boolean) => void} change @param {boolean} [off] */
  function option(id, on, words, change, off) {
    const line = make("div", "opt");
    const label = make("label");
    const box = make("input", "cb");
    box.type = "checkbox";
    box.checked = on;
    box.disabled = Boolean(off);
    box.autocomplete = "off";
    box.dataset.option = id;
    box.addEventListener("change", () => change(box.checked));
    label.append(box, words);
    line.append(label);
    return line;
  }

  /** @param {number} run @param {CompareState} state */
  function runOption(run, state) {
    const slug = own.runs.slugs[run];
    const words = make("span");
    const name = make("span", "name");
    if (english(own.runs.titles[run])) name.lang = "en";
    name.append(wrapped(own.runs.titles[run]));
    const line = make("small", "quiet");
    line.append(statusOf(run), facts(run));
    words.append(name, line);
    const chosen = state.runs.includes(slug);
    const full = !chosen && state.runs.length >= MOST;
    return option(slug, chosen, words, (on) => {
      const rest = state.runs.filter((other) => other !== slug);
      choose(on ? [...rest, slug] : rest, state.base);
    }, full);
  }

  function list() {
    const place = panel && panel.querySelector("[data-list]");
    const state = now;
    if (!place || !state) return;
    model = model || sitegen.runRows.model(own.runs);
    const hit = sitegen.runRows.matches(model, query, null);
    const chosen = state.runs.map((slug) => own.runs.slugs.indexOf(slug));
    const rest = own.runs.slugs.map((_, run) => run).filter((run) => hit[run] && !chosen.includes(run));
    const found = [...chosen.filter((run) => hit[run]), ...rest];
    const lines = found.slice(0, SHOWN).map((run) => runOption(run, state));
    const more = make("p", "quiet");
    if (state.runs.length >= MOST) more.textContent = own.say("full", { most: MOST });
    else if (!found.length) more.textContent = own.say("no-run");
    else if (found.length > SHOWN) more.textContent = own.say("more-runs", { n: found.length - SHOWN });
    keepFocus(panel, () => place.replaceChildren(...lines, more));
  }

  /** Draws anew what holds the focus, and gives it back. @param {HTMLElement | null} box @param {() => void} draw */
  function keepFocus(box, draw) {
    const focused = document.activeElement;
    const id = box && focused instanceof HTMLInputElement && box.contains(focused) ? focused.dataset.option : "";
    draw();
    if (!id || !box) return;
    const again = [...box.querySelectorAll("input")].find((input) => input.dataset.option === id);
    if (again) again.focus();
  }

  /** A field that filters a list below it. @param {HTMLElement} place @param {string} words @param {(text: string) => void} typed @param {string} columns */
  function frame(place, words, typed, columns) {
    const search = make("label", "search");
    const field = make("input");
    field.type = "search";
    field.placeholder = words;
    field.setAttribute("aria-label", words);
    field.autocomplete = "off";
    field.spellcheck = false;
    field.addEventListener("input", () => typed(field.value));
    search.append(mark("i-search"), field);
    const below = make("div", columns);
    below.dataset.list = "";
    place.replaceChildren(search, below);
    return field;
  }

  /** Opens, closes and leaves a panel as the pickers of the index do. @param {HTMLDetailsElement | null} box @param {() => void} opened */
  function panelOf(box, opened) {
    if (!box) return;
    box.addEventListener("toggle", () => box.open && opened());
    document.addEventListener("click", (event) => {
      const target = event.target;
      const away = target instanceof Node && document.contains(target) && !box.contains(target);
      if (box.open && away) box.open = false;
    });
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      box.open = false;
      const summary = box.querySelector("summary");
      if (summary) summary.focus();
      event.stopPropagation();
    });
  }

  panelOf(details, () => {
    if (!panel) return;
    query = "";
    const field = frame(panel, own.say("find-run", { n: own.runs.slugs.length }), (text) => {
      query = text;
      list();
    }, "run-list");
    list();
    if (opened || (now && now.runs.length)) field.focus();
    opened = true;
  });

  /** @param {CompareState} state */
  own.picker = function (state) {
    now = state;
    if (details && details.open) list();
  };

  /* --------------------------------------------------------- list of metrics */

  const metricDetails = /** @type {HTMLDetailsElement | null} */ (document.getElementById("metric-picker"));
  const metricPanel = /** @type {HTMLElement | null} */ (document.querySelector("[data-metric-panel]"));
  let metricQuery = "";

  /** @param {string[]} ids */
  function chooseMetrics(ids) {
    sitegen.state.set({ metrics: sitegen.compareState.metrics(ids, own.config) }, true);
  }

  /** @param {CompareView} view @param {string} id @param {string} label */
  function metricOption(view, id, label) {
    const subject = sitegen.compareLines.subject(id, view.abouts);
    const have = subject.keys.map((key, run) => (key === null ? -1 : run)).filter((run) => run >= 0);
    const words = subject.role ? make("span", "", label) : own.code(id);
    const term = subject.terms.find((found) => found !== null);
    words.title = subject.role ? [...new Set(subject.keys.filter(Boolean))].join(", ") : own.termTitle(term);
    const shown = view.subjects.map((known) => known.id);
    const line = option(id, shown.includes(id), words, (on) => {
      const rest = shown.filter((other) => other !== id);
      chooseMetrics(on ? [...rest, id] : rest);
    });
    const count = make("span", "count", have.length === view.abouts.length ? own.say("all-runs") : own.letters(have));
    line.append(count);
    return line;
  }

  function metricLists() {
    const place = metricPanel && metricPanel.querySelector("[data-list]");
    const view = own.view;
    if (!place || !view) return;
    const keys = [...new Set(view.abouts.flatMap((about) => Object.keys(about.metrics)))];
    const names = new Map(keys.map((key) => [key, view.abouts.filter((about) => Object.hasOwn(about.metrics, key)).length]));
    /** @param {...string} words */
    const fits = (...words) => sitegen.filter.matches(sitegen.filter.fold(words.join(" ")), metricQuery);
    const roles = own.config.roles.filter(
      (role) => view.abouts.some((about) => Object.hasOwn(about.roles, role.id)) && fits(role.label, role.id),
    );
    const on = new Set(view.subjects.map((subject) => subject.id));
    /** @param {string} key */
    const termOf = (key) => (view.abouts.find((about) => Object.hasOwn(about.metrics, key)) || view.abouts[0]).metrics[key][2];
    const found = keys
      .filter((key) => fits(key, own.termTitle(termOf(key))))
      .sort((a, b) => Number(on.has(b)) - Number(on.has(a)) || (names.get(b) || 0) - (names.get(a) || 0));
    const usual = make("fieldset");
    usual.append(make("legend", "lg", own.say("roles")), ...roles.map((role) => metricOption(view, `@${role.id}`, role.label)));
    const all = make("fieldset");
    all.append(make("legend", "lg", own.say("all-metrics", { n: found.length })));
    all.append(...found.slice(0, SHOWN).map((key) => metricOption(view, key, key)));
    if (found.length > SHOWN) all.append(make("p", "quiet", own.say("more-metrics", { n: found.length - SHOWN })));
    if (!found.length) all.append(make("p", "quiet", own.say("no-metric")));
    const foot = make("div", "picker-foot");
    const reset = make("button", "btn", own.say("usual-metrics"));
    reset.type = "button";
    reset.addEventListener("click", () => chooseMetrics([]));
    foot.append(make("span", "", own.say("in-address")), reset);
    const old = metricPanel && metricPanel.querySelector(".picker-foot");
    if (old) old.remove();
    keepFocus(metricPanel, () => place.replaceChildren(usual, all));
    if (metricPanel) metricPanel.append(foot);
  }

  panelOf(metricDetails, () => {
    if (!metricPanel) return;
    metricQuery = "";
    const field = frame(metricPanel, own.say("find-metric"), (text) => {
      metricQuery = text;
      metricLists();
    }, "picker-cols metric-cols");
    metricLists();
    field.focus();
  });

  /** @param {CompareView} view */
  own.metricPicker = function (view) {
    const count = document.querySelector("[data-metric-count]");
    if (count) count.textContent = String(view.subjects.length);
    if (metricDetails && metricDetails.open) metricLists();
  };
})();
