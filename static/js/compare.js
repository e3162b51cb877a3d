/* Puts the comparison together: from the address to the runs' own scripts, of those only the ones that hold what is
   shown, to what every part draws. */
(function () {
  "use strict";
  const own = sitegen.compare;
  const { load } = sitegen.index;
  const given = document.getElementById("compare-config");
  if (!given) return;
  own.config = JSON.parse(given.textContent || "{}");
  own.lang = document.documentElement.dataset.lang === "zh" ? "zh" : "en";
  /** @type {any} */
  const held = sitegen.registered;
  let turn = 0;

  /** Loads what the runs say of themselves. @param {string[]} slugs */
  function loadRuns(slugs) {
    const missing = slugs.filter((slug) => !(held.compare && held.compare[slug]));
    const hash = (/** @type {string} */ slug) => held.compareFiles.hashes[own.runs.slugs.indexOf(slug)];
    return Promise.all(missing.map((slug) => load(`runs/${slug}/data/compare.${hash(slug)}.js`)));
  }

  /** Loads the curves of the metrics shown. @param {CompareView} view */
  function loadLines(view) {
    const files = view.subjects.flatMap((subject) =>
      view.abouts.map((about, run) => {
        const key = subject.keys[run];
        return key === null || own.line(view, run, key) ? "" : about.files[about.metrics[key][0]];
      }),
    );
    return Promise.all([...new Set(files)].filter(Boolean).map((file) => load(file)));
  }

  /** @param {CompareState} state @returns {CompareView} */
  function viewOf(state) {
    const abouts = state.runs.map((slug) => /** @type {CompareAbout} */ (held.compare[slug]));
    const tones = sitegen.runColors.assign(state.runs);
    const subjects = state.metrics
      .map((id) => sitegen.compareLines.subject(id, abouts))
      .filter((subject) => !state.usual || subject.keys.some((key) => key !== null));
    return {
      state,
      runs: state.runs.map((slug) => own.runs.slugs.indexOf(slug)),
      tones: state.runs.map((slug) => tones.get(slug) || { tone: 1, dash: false }),
      abouts,
      subjects,
      rules: sitegen.compareSettings.rules(abouts, subjects),
      common: sitegen.compareLines.common(abouts),
      furthest: sitegen.compareLines.furthest(abouts),
    };
  }

  /** @param {boolean} shown */
  function show(shown) {
    for (const id of ["cmp-body", "cmp-key"]) {
      const part = document.getElementById(id);
      if (part) part.hidden = !shown;
    }
  }

  /** @param {CompareView} view */
  function draw(view) {
    own.view = view;
    own.tables(view);
    own.charts(view);
    own.metricPicker(view);
  }

  async function refresh() {
    const mine = ++turn;
    const known = new Set(own.runs.slugs);
    const state = sitegen.compareState.read(sitegen.state.get(), known, own.config);
    own.heads(state);
    own.picker(state);
    if (!state.runs.length) {
      own.view = null;
      show(false);
      return;
    }
    try {
      await loadRuns(state.runs);
      if (mine !== turn) return;
      const view = viewOf(state);
      show(true);
      await loadLines(view);
      if (mine !== turn) return;
      draw(view);
    } catch (error) {
      const said = document.getElementById("cmp-said");
      if (said && mine === turn) said.append(own.banner("warn", own.say("not-loaded")));
      return;
    }
    explain();
  }

  /** Explanations of names come last: nothing waits for them. */
  function explain() {
    const file = held.compareFiles.terms[own.lang];
    if (held.terms) return;
    load(file).then(
      () => {
        sitegen.popovers.add(held.terms);
        if (own.view) own.tables(own.view);
      },
      () => undefined, // names still lead to their pages
    );
  }

  own.termTitle = (id) => {
    const found = id && held.terms && held.terms.terms[id];
    return found ? `${found.t} ${found.s}` : "";
  };

  own.middle = (name) => (name.length <= 32 ? name : `${name.slice(0, 17)}…${name.slice(-14)}`);

  /** Once the runs are there, whose scripts come after this one. */
  function start() {
    if (!held.runs || !held.compareFiles || own.runs) return;
    own.runs = held.runs;
    sitegen.state.watch(refresh);
    refresh();
  }

  document.addEventListener("sitegen:registered", start);
  start();
})();
