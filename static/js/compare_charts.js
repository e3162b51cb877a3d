/* The curves of the chosen runs over each other, one chart per metric, on the page's shared axis and readout. */
(function () {
  "use strict";
  const own = sitegen.compare;
  const { make, mark } = sitegen.index;
  const { letter } = sitegen.compareState;
  const lines = sitegen.compareLines;
  const RATES = ["reward", "pass_k"];
  const HEIGHT = 260; // of a box; 40 of it are around the plot
  const SAID = 3; // values beyond the axis that are named, the greatest first
  const LABELLED = 5; // lines that carry their letter themselves
  let signature = "";

  /** @param {CompareSubject} subject @param {number} at */
  const idOf = (subject, at) => `cmp-${at}-${subject.id.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "")}`;

  /** The lines of a subject: runs that log it and whose curve is there. @param {CompareView} view @param {CompareSubject} subject */
  function drawnOf(view, subject) {
    return view.abouts.flatMap((about, run) => {
      const line = own.line(view, run, subject.keys[run]);
      return line ? [{ run, series: lines.code(view.tones[run]), line, checkpoint: about.checkpoint }] : [];
    });
  }

  /** @param {CompareView} view @returns {[number, number]} */
  function rangeOf(view) {
    const starts = view.subjects.flatMap((subject) =>
      drawnOf(view, subject).map(({ line }) => (typeof line[0] === "number" ? line[0] : line[0][0])),
    );
    const first = starts.length ? Math.min(...starts) : 0;
    const last = (view.state.all ? view.furthest : view.common) ?? first + 1;
    return [first, Math.max(last, first)];
  }

  /** @param {CompareView} view @param {CompareSubject} subject @param {string} id */
  function payload(view, subject, id) {
    const drawn = drawnOf(view, subject);
    const names = drawn.map(({ run, series }) => ({ key: series, en: letter(run), zh: letter(run) }));
    const rate = subject.keys.some((key, run) => RATES.some((role) => key !== null && view.abouts[run].roles[role] === key));
    const checkpoints = subject.keys.some((key, run) => key !== null && view.abouts[run].reward === key);
    const options = { rate, checkpoints, names, labels: drawn.length > 1 && drawn.length <= LABELLED, height: HEIGHT - 40 };
    return { id, drawn, chart: lines.chart(drawn, rangeOf(view), options) };
  }

  /** The greatest values beyond a chart's axis, with step and run; empty without any. @param {ReturnType<typeof payload>} made */
  function beyond(made) {
    const { marks } = made.chart ? made.chart.datasets : { marks: { kind: [] } };
    const far = marks.kind.flatMap((kind, at) => (kind === "beyond" ? [at] : []));
    far.sort((a, b) => marks.raw[b] - marks.raw[a]);
    if (!made.chart || !far.length) return "";
    const { yTop, grown = 1 } = made.chart.params;
    const listed = far.slice(0, SAID).map((at) => {
      const line = made.drawn.find(({ series }) => series === marks.series[at]);
      const value = sitegen.numbers.number(marks.raw[at] * grown);
      return own.say("beyond-at", { value, step: sitegen.numbers.fixed(marks.step[at], 0), letter: line ? letter(line.run) : "" });
    });
    const more = far.length > SAID ? `${own.say("comma")}…` : "";
    return own.say("beyond", { top: sitegen.chartData.text(yTop * grown), listed: listed.join(own.say("comma")) + more });
  }

  /** What a chart says of itself: names, who lacks it, what it does not show. @param {CompareView} view @param {CompareSubject} subject
      @param {ReturnType<typeof payload>} made */
  function notes(view, subject, made) {
    const missing = subject.keys.map((key, run) => (key === null ? run : -1)).filter((run) => run >= 0);
    const names = sitegen.compareSettings.groups(subject.keys);
    const parts = [];
    if (subject.role || names.length > 1) {
      const sub = make("p", "sub");
      names.forEach(({ value, runs }, at) => {
        if (at) sub.append(own.say("semicolon"));
        sub.append(own.code(value));
        if (names.length > 1) sub.append(` ${own.letters(runs)}`);
      });
      parts.push(sub);
    }
    if (missing.length) parts.push(make("p", "sub", own.say("not-logged", { letters: own.letters(missing) })));
    const bad = view.abouts.flatMap((_, run) => {
      const line = own.line(view, run, subject.keys[run]);
      return line && line[4].length ? [`${line[4].length} (${letter(run)})`] : [];
    });
    if (bad.length) parts.push(make("p", "sub", own.say("not-finite", { who: bad.join(own.say("comma")) })));
    const far = beyond(made);
    if (far) parts.push(make("p", "sub", far));
    return parts;
  }

  /** @param {CompareView} view @param {CompareSubject} subject @param {ReturnType<typeof payload>} made */
  function summary(view, subject, made) {
    const values = view.abouts.flatMap((about, run) => {
      const key = subject.keys[run];
      if (key === null) return [];
      const [, , , best, , , , last] = about.metrics[key];
      const said = { letter: letter(run), last: sitegen.numbers.number(last), best: sitegen.numbers.number(best) };
      return [own.say(best === null ? "summary-last" : "summary", said)];
    });
    return [`${own.title(subject)}. ${values.join(own.say("semicolon"))}`, beyond(made)].filter(Boolean).join(own.say("semicolon"));
  }

  /** @param {string} icon @param {string} act @param {string} title @param {"a" | "button"} tag */
  function action(icon, act, title, tag) {
    const node = make(tag);
    node.title = own.say(act);
    if (node instanceof HTMLButtonElement) node.type = "button";
    node.append(mark(icon), make("span", "sr", `${own.say(act)}: ${title}`));
    return node;
  }

  /** @param {CompareView} view @param {CompareSubject} subject @param {ReturnType<typeof payload>} made */
  function acts(view, subject, made) {
    const title = own.title(subject);
    const box = make("div", "acts");
    const alone = /** @type {HTMLAnchorElement} */ (action("i-link", "act-link", title, "a"));
    alone.href = own.link({ metrics: sitegen.hash.join([subject.id]) });
    const csv = action("i-csv", "act-csv", title, "button");
    csv.addEventListener("click", () => save(csvOf(view, made), `${made.id}.csv`));
    const svg = action("i-svg", "act-svg", title, "button");
    svg.dataset.chartSvg = made.id;
    const table = action("i-table", "act-table", title, "button");
    table.setAttribute("aria-expanded", "false");
    table.addEventListener("click", () => {
      const card = table.closest(".chart-card");
      const old = card && card.querySelector(".card-data");
      if (old) old.remove();
      else if (card) card.append(tableOf(made));
      table.setAttribute("aria-expanded", String(!old));
    });
    box.append(alone, csv, svg, table);
    return box;
  }

  const COLUMNS = ["raw", "EMA", "mean5"];

  /** Hands a text to the reader as a file. @param {string} text @param {string} name */
  function save(text, name) {
    const link = make("a");
    link.href = URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv;charset=utf-8" }));
    link.download = name;
    link.click();
    window.setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  /** @param {CompareView} view @param {ReturnType<typeof payload>} made */
  function csvOf(view, made) {
    const heads = made.drawn.flatMap(({ run }) => COLUMNS.map((name) => `${view.state.runs[run]} ${name}`));
    return sitegen.runRows.csv([["step", ...heads], ...lines.table(made.drawn)]);
  }

  /** @param {ReturnType<typeof payload>} made */
  function tableOf(made) {
    const table = make("table", "t dense");
    const row = table.createTHead().insertRow();
    for (const text of [own.say("step"), ...made.drawn.flatMap(({ run }) => [letter(run), `${letter(run)} EMA`])]) {
      const cell = make("th", "n", text);
      cell.scope = "col";
      row.append(cell);
    }
    const body = table.createTBody();
    for (const cells of lines.table(made.drawn)) {
      const line = body.insertRow();
      cells.forEach((value, at) => {
        if (at && at % 3 === 0) return; // the trailing means are in the CSV
        const cell = line.insertCell();
        cell.className = "n";
        cell.textContent = at ? sitegen.numbers.number(/** @type {number | null} */ (value)) : String(value);
      });
    }
    const wrap = make("div", "t-wrap card-data");
    wrap.tabIndex = 0;
    wrap.append(table);
    return wrap;
  }

  /** @param {CompareView} view @param {CompareSubject} subject @param {ReturnType<typeof payload>} made */
  function card(view, subject, made) {
    const figure = make("figure", "c4 card chart-card small");
    const head = make("div", "card-head");
    const words = make("div");
    const title = make("h3");
    const at = subject.terms.findIndex((term) => term !== null);
    const name = subject.role ? own.title(subject) : own.code(subject.id);
    title.append(own.term(at < 0 ? undefined : subject.terms[at] || undefined, name));
    words.append(title, ...notes(view, subject, made));
    head.append(words, ...(made.chart ? [acts(view, subject, made)] : []));
    figure.append(head);
    if (!made.chart) {
      figure.append(make("p", "note", own.say("nobody-logs")));
      return figure;
    }
    const box = make("div", "chart");
    box.dataset.chart = made.id;
    box.dataset.form = made.chart.form;
    box.dataset.height = String(HEIGHT);
    box.setAttribute("role", "img");
    box.setAttribute("aria-label", summary(view, subject, made));
    figure.append(box);
    return figure;
  }

  /** @param {CompareView} view */
  function drawKey(view) {
    const key = document.querySelector("[data-key-runs]");
    const baseline = /** @type {HTMLSelectElement | null} */ (document.querySelector("[data-baseline]"));
    const range = /** @type {HTMLSelectElement | null} */ (document.querySelector("select[data-range]"));
    if (!key || !baseline || !range) return;
    key.classList.toggle("many", view.runs.length > 6);
    key.replaceChildren(
      ...view.runs.map((run, at) => {
        const item = make("li");
        const name = make("span", "key-name", own.middle(own.runs.titles[run]));
        name.title = own.runs.titles[run];
        item.append(own.tag(view, at), name);
        return item;
      }),
    );
    baseline.replaceChildren(
      ...view.state.runs.map((slug, at) => {
        const option = make("option", "", letter(at));
        option.value = slug;
        return option;
      }),
    );
    baseline.value = view.state.base;
    range.value = view.state.all ? "all" : "";
    const common = range.options[0];
    common.textContent = own.say("range-common", { step: sitegen.numbers.fixed(view.common, 0) });
    range.options[1].textContent = own.say("range-all", { step: sitegen.numbers.fixed(view.furthest, 0) });
    const label = range.closest("label");
    if (label) label.hidden = view.common === view.furthest;
  }

  /** @param {CompareView} view */
  own.charts = function (view) {
    drawKey(view);
    const place = document.querySelector("[data-charts]");
    const said = document.querySelector("[data-charts-said]");
    if (!place || !said) return;
    const short = view.common !== null && view.common !== view.furthest && !view.state.all;
    said.textContent = short ? own.say("charts-common", { step: sitegen.numbers.fixed(view.common, 0) }) : "";
    const there = view.subjects.map((subject) => drawnOf(view, subject).map(({ run }) => run).join("."));
    const now = JSON.stringify([view.state.runs, view.state.metrics, view.state.all, there]);
    if (now === signature) return;
    signature = now;
    for (const box of /** @type {NodeListOf<HTMLElement>} */ (place.querySelectorAll("[data-chart]"))) {
      sitegen.charts.release(box);
    }
    const made = view.subjects.map((subject, at) => payload(view, subject, idOf(subject, at)));
    const charts = made.flatMap(({ id, chart }) => (chart ? [[id, chart]] : []));
    place.replaceChildren(...view.subjects.map((subject, at) => card(view, subject, made[at])));
    sitegen.register("charts", Object.fromEntries(charts));
    for (const box of /** @type {NodeListOf<HTMLElement>} */ (place.querySelectorAll("[data-chart]"))) {
      sitegen.charts.adopt(box);
    }
  };
})();
