/* Setting against outcome: a dot per run over one setting, and a line per run over the settings that differ. Made when
   the reader gets there, from the runs that pass the filters. */
(function () {
  "use strict";
  const own = sitegen.index;
  const LINES = 300;
  const AXES = 5;
  const LABELLED = 14;
  /** The cards, as addresses name them. */
  const CARDS = ["setting-outcome", "settings-that-differ"];
  /** Settings that differ by this factor are drawn on a logarithmic axis; outcomes only when by that one. */
  const LOG = 10;
  const LOG_OUTCOME = 1000;
  /** Milliseconds without a change after which the plots follow: the table answers first. */
  const PAUSE = 80;
  const section = /** @type {HTMLElement | null} */ (document.getElementById("outcome"));
  let near = false;
  let pause = 0;
  let soon = 0;
  /** @type {Record<string, ResizeObserver>} */
  const sizes = {};

  /** @param {string} id */
  const label = (id) => (own.column(id) || { label: id }).label;

  /** Outcomes to choose from: what every run has, the metrics of the table, then all metrics.
      @param {IndexView} view */
  function outcomes(view) {
    const numeric = own.numericIds().filter((id) => !["started", "problems", "steps", "jobs"].includes(id));
    const chosen = view.columns.filter((column) => column.kind === "metric").map((column) => column.id);
    const data = own.columnData();
    const all = (data ? data.metrics : []).flatMap((metric) => [
      `last.${metric.key}`,
      ...(metric.best ? [`best.${metric.key}`] : []),
    ]);
    return { numeric: [...new Set([...numeric, ...chosen])], all: all.filter((id) => !chosen.includes(id)) };
  }

  /** @param {string} id */
  function idLabel(id) {
    const parsed = sitegen.columns.parse(id, own.config.columns);
    if (!parsed || parsed.type !== "metric") return label(id);
    return own.say(`head-${parsed.stat}`, { name: parsed.key, step: String(parsed.step) });
  }

  /** What the plots show: setting, outcome, the axes, and the runs of the outcome's most frequent meaning.
      @param {IndexView} view */
  function subject(view) {
    const configs = own.configData() || {};
    const differing = sitegen.plots.differing(configs, view.rows);
    const keys = differing.map((item) => item.key);
    const { numeric } = outcomes(view);
    const usual = numeric.includes("ema") ? "ema" : numeric[0];
    const outcome = own.column(view.state.outcome || "") || own.column(usual || "");
    const given = (view.state.setting || "").replace(/^set\./, "");
    const setting = own.column(`set.${given in configs ? given : bestKey(differing) || ""}`);
    const wanted = sitegen.hash.list(view.state.axes).filter((key) => key in configs);
    const some = differing.filter((item) => item.some).length;
    return { keys, some, outcome, setting, axes: wanted.length ? wanted : axisKeys(differing), ...oneMeaning(view.rows, outcome) };
  }

  /** The setting to begin with: a number that differs, a learning rate before others.
      @param {Array<{key: string, values: number}>} differing */
  function bestKey(differing) {
    const numeric = differing.filter((item) => (own.column(`set.${item.key}`) || { numeric: false }).numeric);
    const rate = numeric.find((item) => /(^|[._])(lr|learning_rate)$/.test(item.key));
    return (rate || numeric.find((item) => item.values > 2) || numeric[0] || differing[0] || { key: "" }).key;
  }

  /** @param {Array<{key: string, values: number}>} differing */
  function axisKeys(differing) {
    const first = bestKey(differing);
    const rest = differing.filter((item) => item.key !== first && item.values <= 12).map((item) => item.key);
    return [first, ...rest].filter(Boolean).slice(0, AXES);
  }

  /** @param {number[]} rows @param {RunColumn | null} outcome */
  function oneMeaning(rows, outcome) {
    const groups = outcome && outcome.groups;
    if (!outcome || !groups) return { rows, meaning: "" };
    const counts = new Map();
    for (const run of rows) if (outcome.cells[run] !== null) counts.set(groups[run], (counts.get(groups[run]) || 0) + 1);
    if (counts.size < 2) return { rows, meaning: "" };
    const most = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a) || a - b)[0];
    return { rows: rows.filter((run) => groups[run] === most), meaning: outcome.groupNames[most] || "" };
  }

  /** @param {number} run @param {RunColumn} column */
  function words(run, column) {
    const value = column.cells[run];
    if (value === null) return own.say("not-set");
    return column.kind === "setting" && column.numeric ? sitegen.numbers.number(Number(value)) : own.shown(run, column);
  }

  /** Runs drawn in a row of links: one stop of the tab key, arrows from run to run, what each says below the drawing.
      @param {SVGElement} svg @param {HTMLElement} readout @param {(run: number) => string} tell */
  function walk(svg, readout, tell) {
    const links = /** @type {SVGElement[]} */ (/** @type {unknown} */ ([...svg.querySelectorAll("a")]));
    links.forEach((link, at) => {
      link.setAttribute("tabindex", at ? "-1" : "0");
      const show = () => {
        readout.textContent = tell(Number(link.dataset.run));
        links.forEach((other) => other.classList.toggle("at", other === link));
      };
      link.addEventListener("focus", show);
      link.addEventListener("pointerenter", show);
      link.addEventListener("keydown", (event) => {
        const move = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        const next = move && links[(at + move + links.length) % links.length];
        if (!next) return;
        event.preventDefault();
        link.setAttribute("tabindex", "-1");
        next.setAttribute("tabindex", "0");
        next.focus();
      });
    });
  }

  /** @param {number} run @param {string} css */
  function linked(run, css) {
    const slug = own.runs.slugs[run];
    const tone = own.view.tones.get(slug);
    const link = own.drawn("a", { href: own.runLink(run), class: `${css} r${tone ? tone.tone : 0}${tone ? " on" : ""}` });
    link.dataset.run = String(run);
    link.setAttribute("aria-label", own.runs.titles[run]);
    return link;
  }

  /** Ticked runs last, so that they lie on top. @param {number[]} rows */
  function onTop(rows) {
    const ticked = (/** @type {number} */ run) => Number(own.view.tones.has(own.runs.slugs[run]));
    return [...rows].sort((a, b) => ticked(a) - ticked(b));
  }

  /** A name that fits beside a dot. @param {string} name @param {number} most */
  function brief(name, most) {
    return name.length <= most ? name : `${name.slice(0, Math.ceil(most / 2) - 1)}…${name.slice(-Math.floor(most / 2))}`;
  }

  // ------------------------------------------------------------ scatter and strips

  /** @param {SVGElement} svg @param {PlotAxis} axis @param {{left: number, right: number, top: number, bottom: number}} box @param {boolean} upright */
  function drawAxis(svg, axis, box, upright) {
    let free = -Infinity;
    for (const tick of axis.ticks) {
      const x = box.left + tick.at * (box.right - box.left);
      const y = box.bottom - tick.at * (box.bottom - box.top);
      if (upright) svg.append(own.drawn("path", { class: "gr", d: `M${box.left} ${y}H${box.right}` }));
      else svg.append(own.drawn("path", { class: "tk", d: `M${x} ${box.bottom}v4` }));
      const most = axis.kind === "names" ? Math.max(4, Math.floor((box.right - box.left) / axis.ticks.length / 6.5)) : 12;
      const text = brief(tick.text, most);
      const half = text.length * 3.2;
      if (!upright && x - half < free) continue;
      free = x + half + 4;
      const place = upright ? { class: "ty", x: box.left - 8, y: y + 4 } : { class: "tx", x: Math.min(x, box.right - half + 8), y: box.bottom + 18 };
      const made = own.drawn("text", place);
      made.textContent = text;
      svg.append(made);
    }
  }

  /** @param {HTMLElement} plot @param {ReturnType<typeof subject>} about */
  function scatter(plot, about) {
    const { setting, outcome } = about;
    if (!setting || !outcome) return;
    const rows = about.rows.filter((run) => setting.cells[run] !== null && outcome.cells[run] !== null);
    const readout = own.make("p", "plot-says", own.say("points", { n: rows.length, all: about.rows.length }));
    readout.setAttribute("aria-live", "polite");
    if (!rows.length) return void plot.replaceChildren(own.make("p", "quiet", own.say("no-points")));
    const width = Math.max(280, plot.clientWidth);
    const height = 320;
    const box = { left: 48, right: width - 14, top: 12, bottom: height - 28 };
    const across = sitegen.plots.axis(rows.map((run) => setting.cells[run]), Math.floor(width / 90), LOG);
    const up = sitegen.plots.axis(rows.map((run) => Number(outcome.cells[run]) * outcome.scale), 6, LOG_OUTCOME);
    const says = own.say("scatter-label", { outcome: outcome.label, setting: setting.label, n: rows.length });
    const svg = own.drawn("svg", { class: "fluid scatter", width, height, role: "group", "aria-label": says });
    drawAxis(svg, up, box, true);
    drawAxis(svg, across, box, false);
    const band = across.kind === "names" ? Math.min(60, ((box.right - box.left) / across.ticks.length) * 0.6) : 0;
    /** @type {Array<[number, number, number]>} */
    const dots = onTop(rows).map((run, at) => {
      const share = across.place(setting.cells[run]) || 0;
      const x = box.left + share * (box.right - box.left) + band * sitegen.plots.spread(at);
      const y = box.bottom - (up.place(Number(outcome.cells[run]) * outcome.scale) || 0) * (box.bottom - box.top);
      return [run, x, y];
    });
    for (const [run, x, y] of dots) {
      const link = linked(run, "dot");
      const ended = own.status(run).id;
      const pt = own.drawn("circle", { class: `pt${ended === "finished" ? "" : " stop"}`, cx: x, cy: y, r: 5 });
      link.append(own.drawn("circle", { class: "hit", cx: x, cy: y, r: 12 }), pt);
      svg.append(link);
    }
    if (dots.length <= LABELLED) labels(svg, dots, box);
    plot.replaceChildren(svg, readout);
    walk(svg, readout, (run) => `${own.runs.titles[run]}: ${setting.label} ${words(run, setting)}, ${outcome.label} ${words(run, outcome)}`);
  }

  /** Names beside the dots, where there is room. @param {SVGElement} svg @param {Array<[number, number, number]>} dots
      @param {{left: number, right: number}} box */
  function labels(svg, dots, box) {
    /** @type {Array<[number, number, number]>} */
    const taken = dots.map(([, x, y]) => [x - 6, x + 6, y]);
    for (const [run, x, y] of dots) {
      const text = brief(own.runs.titles[run], 24);
      const size = text.length * 6.2;
      const right = x + 9 + size < box.right;
      const from = right ? x + 9 : x - 9 - size;
      const clash = taken.some(([a, b, other]) => Math.abs(other - y) < 13 && a < from + size && b > from);
      if (clash || from < box.left) continue;
      taken.push([from, from + size, y]);
      const on = own.view.tones.has(own.runs.slugs[run]);
      const made = own.drawn("text", { class: `lb halo${on ? " b" : " q"}${right ? "" : " e"}`, x: right ? x + 9 : x - 9, y: y + 4, "aria-hidden": "true" });
      made.textContent = text;
      svg.append(made);
    }
  }

  // ------------------------------------------------------------ parallel coordinates

  /** @param {HTMLElement} plot @param {ReturnType<typeof subject>} about */
  function parallel(plot, about) {
    const columns = [...about.axes.map((key) => own.column(`set.${key}`)), about.outcome].filter((column) => column !== null);
    if (columns.length < 2 || !about.rows.length) return void plot.replaceChildren(own.make("p", "quiet", own.say("no-settings")));
    const rows = about.rows.slice(0, LINES);
    const width = Math.max(110 * columns.length, plot.clientWidth);
    const height = 320;
    const box = { left: 44, right: width - 44, top: 44, bottom: height - 12 };
    const axes = columns.map((column) => sitegen.plots.axis(rows.map((run) => scaled(column, run)), 4, column.kind === "setting" ? LOG : LOG_OUTCOME));
    const names = columns.map((column) => column.label).join(", ");
    const says = own.say("parallel-label", { axes: names, n: rows.length });
    const svg = own.drawn("svg", { class: "fluid par", width, height, role: "group", "aria-label": says });
    /** @param {number} at */
    const x = (at) => box.left + (at / (columns.length - 1)) * (box.right - box.left);
    for (const run of onTop(rows)) {
      let d = "";
      let open = false;
      /** @type {Array<{cx: string, cy: string}>} */
      const spots = [];
      columns.forEach((column, at) => {
        const share = axes[at].place(scaled(column, run));
        const spot = { cx: x(at).toFixed(1), cy: (box.bottom - (share || 0) * (box.bottom - box.top)).toFixed(1) };
        if (share !== null) d += `${open ? "L" : "M"}${spot.cx} ${spot.cy}`;
        if (share !== null) spots.push(spot);
        open = share !== null;
      });
      d = d || "M0 0";
      const link = linked(run, "line");
      const tone = own.view.tones.get(own.runs.slugs[run]);
      link.append(own.drawn("path", { class: "hit", d }));
      if (tone) link.append(own.drawn("path", { class: "under", d }));
      link.append(own.drawn("path", { class: `ln${tone && tone.dash ? " dash-2" : ""}`, d }));
      // A ticked run is told from the others by its dots too, not by its colour alone.
      if (tone) link.append(...spots.map((spot) => own.drawn("circle", { class: "mk", r: 4, ...spot })));
      svg.append(link);
    }
    const room = (box.right - box.left) / (columns.length - 1);
    columns.forEach((column, at) => {
      const end = at === 0 ? " first" : at === columns.length - 1 ? " last" : "";
      drawUpright(svg, column, axes[at], x(at), { ...box, room, end });
    });
    const words_ = rows.length < about.rows.length ? own.say("lines-left", { n: rows.length }) : "\u00a0";
    const readout = own.make("p", "plot-says", words_);
    readout.setAttribute("aria-live", "polite");
    const scroller = own.make("div", "par-scroll");
    scroller.append(svg);
    plot.replaceChildren(scroller, readout);
    walk(svg, readout, (run) => `${own.runs.titles[run]}: ${columns.map((column) => `${shortKey(column)} ${words(run, column)}`).join(", ")}`);
  }

  /** @param {RunColumn} column @param {number} run @returns {Cell} */
  function scaled(column, run) {
    const value = column.cells[run];
    return typeof value === "number" ? value * column.scale : value;
  }

  /** @param {RunColumn} column */
  const shortKey = (column) => (column.kind === "setting" ? column.label.split(".").slice(-1)[0] : column.label);

  /** @param {SVGElement} svg @param {RunColumn} column @param {PlotAxis} axis @param {number} x
      @param {{top: number, bottom: number, room: number, end: string}} box */
  function drawUpright(svg, column, axis, x, box) {
    const { room } = box;
    svg.append(own.drawn("path", { class: "ax", d: `M${x} ${box.top}V${box.bottom}` }));
    const sideways = { "": 0, " first": -40, " last": 40 }[box.end] || 0;
    const head = own.drawn("text", { class: `tx h${box.end}`, x: x + sideways, y: 14 });
    head.textContent = brief(shortKey(column), Math.max(8, Math.floor(room / 7)));
    const title = own.drawn("title", {});
    title.textContent = column.label;
    head.append(title);
    svg.append(head);
    for (const tick of axis.ticks) {
      const made = own.drawn("text", { class: "ty halo", x: x - 5, y: box.bottom - tick.at * (box.bottom - box.top) + 4 });
      made.textContent = brief(tick.text, Math.max(5, Math.floor(room / 9)));
      svg.append(made);
    }
  }

  // ------------------------------------------------------------ the four actions of a card

  const LOOKS = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-family", "font-weight", "text-anchor", "paint-order"];
  const SHOWN_FOR = 2000;
  /** The card whose link was copied a moment ago, and the one that the address named last. */
  let copied = "";
  let followed = "";

  /** A drawing as a file: looks as they are on the page, no links, no wide targets. @param {SVGElement} svg */
  function alone(svg) {
    const copy = /** @type {SVGElement} */ (svg.cloneNode(true));
    const there = [...svg.querySelectorAll("*")];
    [...copy.querySelectorAll("*")].forEach((node, at) => {
      const look = window.getComputedStyle(there[at]);
      for (const name of LOOKS) node.setAttribute(name, look.getPropertyValue(name));
      for (const name of ["href", "tabindex", "data-run"]) node.removeAttribute(name);
    });
    copy.querySelectorAll(".hit").forEach((node) => node.remove());
    for (const node of [copy, ...copy.querySelectorAll("[class]")]) node.removeAttribute("class");
    return new XMLSerializer().serializeToString(copy);
  }

  /** The runs of a card, as its data table has them. @param {RunColumn[]} columns @param {number[]} rows */
  function rowsCsv(columns, rows) {
    /** @type {Cell[][]} */
    const lines = rows.map((run) => [own.runs.slugs[run], ...columns.map((column) => scaled(column, run))]);
    const plain = lines.map((line) => line.map((cell) => (typeof cell === "number" ? Number(cell.toPrecision(12)) : cell)));
    return sitegen.runRows.csv([["run", ...columns.map((column) => column.label)], ...plain]);
  }

  /** Copies the address of a card in its state, and goes there. @param {Record<string, string>} state */
  async function give(state) {
    const address = window.location.href.replace(/#.*/, "") + sitegen.hash.write({ ...sitegen.state.get(), ...state });
    const done = navigator.clipboard ? navigator.clipboard.writeText(address).then(() => true, () => false) : false;
    copied = (await done) ? state.card : "";
    followed = state.card;
    sitegen.state.set(state, true);
    build(own.view);
    window.setTimeout(() => {
      copied = "";
      for (const said of section ? section.querySelectorAll(".said") : []) said.remove();
    }, SHOWN_FOR);
  }

  /** @param {string} icon @param {string} act @param {string} title @param {"a" | "button"} tag */
  function action(icon, act, title, tag) {
    const node = own.make(tag);
    node.title = own.say(`act-${act}`);
    node.dataset.act = act;
    if (node instanceof HTMLButtonElement) node.type = "button";
    node.append(own.mark(icon), own.make("span", "sr", `${own.say(`act-${act}`)}: ${title}`));
    return node;
  }

  /** @param {{card: HTMLElement, id: string, title: string, about: ReturnType<typeof subject>, columns: RunColumn[]}} of */
  function acts({ card, id, title, about, columns }) {
    const box = own.make("div", "acts");
    const state = {
      setting: about.setting ? about.setting.label : "",
      outcome: about.outcome ? about.outcome.id : "",
      axes: sitegen.hash.join(about.axes),
      card: id,
    };
    const link = /** @type {HTMLAnchorElement} */ (action("i-link", "link", title, "a"));
    link.href = sitegen.hash.write({ ...sitegen.state.get(), ...state });
    link.addEventListener("click", (event) => {
      event.preventDefault();
      give(state);
    });
    const csv = action("i-csv", "csv", title, "button");
    csv.addEventListener("click", () => own.save(rowsCsv(columns, about.rows), `${id}.csv`));
    const svg = action("i-svg", "svg", title, "button");
    svg.addEventListener("click", () => {
      const drawing = card.querySelector("svg.fluid");
      if (drawing instanceof SVGElement) own.save(alone(drawing), `${id}.svg`, "image/svg+xml");
    });
    const table = action("i-table", "table", title, "button");
    const details = card.querySelector("details.data");
    if (details instanceof HTMLDetailsElement) {
      table.setAttribute("aria-expanded", "false");
      details.addEventListener("toggle", () => table.setAttribute("aria-expanded", String(details.open)));
      table.addEventListener("click", () => {
        details.open = !details.open;
        if (details.open) details.scrollIntoView({ block: "nearest" });
      });
    }
    box.append(link);
    if (copied === id) {
      const said = own.make("span", "said", sitegen.text("copy.done"));
      said.setAttribute("role", "status");
      box.append(said);
    }
    box.append(csv, svg, table);
    return box;
  }

  /** Brings the card that the address names into view, once. @param {string} id */
  function follow(id) {
    const card = section && section.querySelector(`[data-card="${CARDS.includes(id) ? id : ""}"]`);
    if (card && id !== followed) card.scrollIntoView({ block: "nearest", behavior: "instant" });
    followed = id;
  }

  // ------------------------------------------------------------ cards

  /** @param {string} id @param {string} css @param {string} state */
  function cardBox(id, css, state) {
    const card = own.make("div", `card ${css}${state === id ? " linked" : ""}`);
    card.dataset.card = id;
    return card;
  }

  /** @param {RunColumn[]} columns @param {number[]} rows */
  function dataTable(columns, rows) {
    const details = own.make("details", "data");
    details.append(own.make("summary", "", own.say("table")));
    details.addEventListener("toggle", () => {
      if (!details.open || details.querySelector("table")) return;
      const table = own.make("table", "t dense");
      const head = table.createTHead().insertRow();
      for (const text of [own.config.columns[0].label, ...columns.map((column) => column.label)]) {
        const cell = own.make("th", "", text);
        cell.scope = "col";
        head.append(cell);
      }
      const body = table.createTBody();
      for (const run of rows.slice(0, 500)) {
        const line = body.insertRow();
        const name = own.make("th");
        name.scope = "row";
        const link = own.make("a", "", own.runs.titles[run]);
        link.href = own.runLink(run);
        name.append(link);
        line.append(name);
        for (const column of columns) {
          const cell = line.insertCell();
          cell.textContent = words(run, column);
          if (column.numeric) cell.className = "n";
        }
      }
      const wrap = own.make("div", "t-wrap");
      wrap.append(table);
      details.append(wrap);
    });
    return details;
  }

  /** @param {string} name @param {string} words_ @param {Array<[string, string[]]>} groups @param {string} chosen */
  function select(name, words_, groups, chosen) {
    const box = own.make("label", "field");
    const made = own.make("select");
    for (const [title, ids] of groups) {
      const place = groups.length > 1 ? document.createElement("optgroup") : made;
      if (place instanceof HTMLOptGroupElement) place.label = title;
      for (const id of ids) {
        const option = own.make("option", "", name === "setting" ? id : idLabel(id));
        option.value = id;
        option.selected = id === chosen;
        place.append(option);
      }
      if (place !== made && ids.length) made.append(place);
    }
    made.dataset.choice = name;
    made.addEventListener("change", () => sitegen.state.set({ [name]: made.value }, true));
    box.append(own.make("small", "", words_), made);
    return box;
  }

  /** @param {ReturnType<typeof subject>} about */
  function axesChoice(about) {
    const details = own.make("details", "axes");
    details.append(own.make("summary", "", own.say("parallel-keys")));
    const list = own.make("div", "axes-list");
    for (const key of [...new Set([...about.axes, ...about.keys])].slice(0, 60)) {
      const line = own.make("label", "opt");
      const box = own.make("input", "cb");
      box.type = "checkbox";
      box.checked = about.axes.includes(key);
      box.dataset.axis = key;
      box.addEventListener("change", () => {
        const next = box.checked ? [...about.axes, key] : about.axes.filter((other) => other !== key);
        sitegen.state.set({ axes: sitegen.hash.join(next) }, true);
      });
      const code = own.make("code");
      code.lang = "en";
      code.append(own.wrapped(key));
      line.append(box, code);
      list.append(line);
    }
    details.append(list);
    return details;
  }

  /** A drawing that follows the width of its place. @param {string} name @param {(plot: HTMLElement) => void} paint */
  function fluid(name, paint) {
    const plot = own.make("div", "plot-box");
    if (sizes[name]) sizes[name].disconnect();
    let width = 0;
    sizes[name] = new ResizeObserver(() => {
      if (plot.clientWidth === width) return;
      width = plot.clientWidth;
      paint(plot);
    });
    sizes[name].observe(plot);
    return plot;
  }

  /** @param {IndexView} view */
  function build(view) {
    const grid = section && section.querySelector(".grid");
    const lede = section && section.querySelector("[data-lede]");
    if (!grid || !lede) return;
    const about = subject(view);
    const { setting, outcome } = about;
    const n = sitegen.numbers.fixed(view.rows.length, 0);
    const counts = { name: about.meaning, n: sitegen.numbers.fixed(about.rows.length, 0), all: n };
    lede.textContent = [own.say("lede", { n }), about.meaning ? own.say("lede-groups", counts) : ""].join(own.lang === "en" ? " " : "");
    if (!setting || !outcome) return void grid.replaceChildren(own.make("p", "quiet", own.say("no-settings")));
    const open = [...grid.querySelectorAll("details")].map((each) => each.open);
    const held = document.activeElement instanceof HTMLElement && grid.contains(document.activeElement) ? document.activeElement.dataset : {};
    const heldIn = document.activeElement ? (document.activeElement.closest("[data-card]")?.getAttribute("data-card") ?? "") : "";
    const { numeric, all } = outcomes(view);
    const left = cardBox(CARDS[0], "c5", view.state.card || "");
    const choices = own.make("div", "choices");
    const keys = about.keys.includes(setting.label) ? about.keys : [setting.label, ...about.keys];
    const ids = [...new Set([...numeric, outcome.id])];
    choices.append(
      select("setting", own.say("setting"), [["", keys]], setting.label),
      select("outcome", own.say("outcome"), [[own.say("summary"), ids], [own.say("metrics"), all.filter((id) => id !== outcome.id)]], outcome.id),
    );
    const pair = own.make("div", "card-head");
    const title = own.say("scatter");
    const named = own.make("div");
    named.append(own.make("h3", "", title));
    pair.append(named);
    left.append(pair, choices, fluid("scatter", (plot) => scatter(plot, about)), dataTable([setting, outcome], about.rows));
    pair.append(acts({ card: left, id: CARDS[0], title, about, columns: [setting, outcome] }));
    const right = cardBox(CARDS[1], "c7", view.state.card || "");
    const head = own.make("div", "card-head");
    const words_ = own.make("div");
    const numbers = { shown: about.axes.length, all: about.keys.length - about.some, some: about.some };
    const sub = own.say(about.some ? "parallel-sub-some" : "parallel-sub", numbers);
    words_.append(own.make("h3", "", own.say("parallel")), own.make("p", "sub", sub));
    head.append(words_);
    const columns = /** @type {RunColumn[]} */ ([...about.axes.map((key) => own.column(`set.${key}`)), outcome].filter(Boolean));
    right.append(head, axesChoice(about), fluid("parallel", (plot) => parallel(plot, about)), dataTable(columns, about.rows));
    head.append(acts({ card: right, id: CARDS[1], title: own.say("parallel"), about, columns }));
    grid.replaceChildren(left, right);
    [...grid.querySelectorAll("details")].forEach((each, at) => (each.open = Boolean(open[at])));
    follow(view.state.card || "");
    const acting = held.act && grid.querySelector(`[data-card="${heldIn}"] [data-act="${held.act}"]`);
    const again = acting ? acting : held.choice ? grid.querySelector(`[data-choice=${held.choice}]`) : held.axis ? [...grid.querySelectorAll("input")].find((box) => box.dataset.axis === held.axis) : null;
    if (again instanceof HTMLElement) again.focus();
  }

  /** @param {IndexView} view */
  function draw(view) {
    if (!section) return;
    section.hidden = own.runs.slugs.length < 2;
    near = near || CARDS.includes(view.state.card || "");
    if (!near || section.hidden) return;
    const chosen = view.state.outcome || "";
    own.want(chosen ? [chosen] : [], true).then(
      async () => {
        await own.load(own.config.data);
        window.clearTimeout(soon);
        soon = window.setTimeout(() => build(own.view), pause);
        pause = PAUSE;
      },
      () => {
        const lede = section.querySelector("[data-lede]");
        if (lede) lede.textContent = own.say("not-loaded");
      },
    );
  }

  if (section) {
    const watcher = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        watcher.disconnect();
        near = true;
        if (own.view) draw(own.view);
      },
      { rootMargin: "400px" },
    );
    watcher.observe(section);
    // what a reader changes in the plots themselves is answered at once
    section.addEventListener("change", () => (pause = 0), true);
  }
  own.parts.push(draw);
})();
