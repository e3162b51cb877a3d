/* Draws the charts of a page with Vega, over the static drawing or the empty box that is there without scripts.

   Markup of a chart (the box has a fixed height, so nothing moves when it draws):
     <div class="chart" data-chart="reward" data-form="lines" data-height="400" role="img" aria-label="(summary)">
       (static SVG, where there is one)
     </div>
   Data, in a classic script after this one:
     sitegen.register("charts", {"reward": {datasets: {points: {step: […], …}}, params: {…}}})
   or in the page: <script type="application/json" data-charts>{"reward": {…}}</script>
   Controls, where the page has them:
     <select data-chart-smooth> with the values ema, mean5, off
     <button data-chart-reset hidden> shows all steps again; visible while a part is shown
     <button data-chart-svg="reward"> saves the drawing
   A box says data-drawn="true" when Vega has drawn it. When it cannot, what was there stays.

   All charts of steps share the range of steps (drag; double-click resets), the marked step (hover; click keeps it)
   and the smoothing; the three are in the address. At most ALIVE charts are drawn at once. */
(function () {
  "use strict";
  const ALIVE = 12;
  const PAD = { left: 54, right: 14, top: 16, bottom: 24 }; // as in sitegen/charts/theme.py
  const NARROWEST = 120;
  const SHORTEST = 4; // pixels of a drag; less is a click
  const OPTIONS = {
    mode: "vega",
    renderer: "svg",
    actions: false,
    ast: true,
    defaultStyle: false,
    tooltip: { disableDefaultStyle: true },
  };

  /** @typedef {{id: string, form: string, payload: ChartPayload, result: VegaResult, host: HTMLElement,
                 readable: ChartReadable, whole: [number, number], width: number, seen: number}} Live */

  sitegen.registered = sitegen.registered || {};
  sitegen.register =
    sitegen.register ||
    function (key, payload) {
      sitegen.registered[key] = Object.assign(sitegen.registered[key] || {}, payload);
      document.dispatchEvent(new CustomEvent("sitegen:registered", { detail: key }));
    };

  /** @type {Map<HTMLElement, Live>} */
  const live = new Map();
  /** @type {Set<HTMLElement>} */
  const near = new Set();
  /** @type {ChartState} */
  let state = { smooth: "ema", x: null, step: null };
  /** @type {number | null} */
  let hovered = null;
  let drawing = false;
  let clock = 0;

  /** Forms whose x axis is the trainer's step, and which therefore share range and marked step.
      @param {string} form */
  function overSteps(form) {
    return form !== "engine" && form !== "outcome";
  }

  /** @param {string} id
      @returns {ChartPayload | null} */
  function payloadOf(id) {
    const all = sitegen.registered.charts;
    return (all && Object.prototype.hasOwnProperty.call(all, id) && all[id]) || null;
  }

  function readInline() {
    for (const script of document.querySelectorAll('script[type="application/json"][data-charts]'))
      sitegen.register("charts", JSON.parse(script.textContent || "{}"));
  }

  /* ------------------------------------------------------------- drawing */

  /** The form with its data and the page's state.
      @param {string} form
      @param {ChartPayload} payload
      @param {number} width
      @param {number} height
      @returns {VegaForm} */
  function filled(form, payload, width, height) {
    const base = sitegen.chartForms[form];
    const values = Object.assign({}, payload.params, { smooth: state.smooth });
    if (state.x && overSteps(form)) [values.x0, values.x1] = state.x;
    const data = base.data.map((entry) =>
      payload.datasets[entry.name]
        ? Object.assign({}, entry, { values: sitegen.chartData.rows(payload.datasets[entry.name]) })
        : entry,
    );
    const signals = base.signals.map((entry) =>
      entry.name in values ? Object.assign({}, entry, { value: values[entry.name] }) : entry,
    );
    return Object.assign({}, base, { data, signals, width, height });
  }

  /** @param {HTMLElement} box */
  function plotWidth(box) {
    return Math.max(NARROWEST, box.clientWidth - PAD.left - PAD.right);
  }

  /** Draws a box; what was in it stays until the drawing is there, and for good when there is none.
      @param {HTMLElement} box */
  async function draw(box) {
    const id = box.dataset.chart || "";
    const form = box.dataset.form || "";
    const payload = payloadOf(id);
    if (!payload || !sitegen.chartForms[form] || !sitegen.vegaEmbed) return;
    const host = document.createElement("div");
    host.className = "chart-live";
    box.append(host);
    const width = plotWidth(box);
    const height = box.clientHeight - PAD.top - PAD.bottom;
    try {
      const result = await sitegen.vegaEmbed(host, filled(form, payload, width, height), OPTIONS);
      const whole = /** @type {[number, number]} */ ([payload.params.x0, payload.params.x1]);
      const readable = sitegen.chartData.readable(form, payload.datasets, state.smooth);
      live.set(box, { id, form, payload, result, host, readable, whole, width, seen: ++clock });
      sizes.observe(box);
      box.dataset.drawn = "true";
      mark(box);
    } catch (error) {
      host.remove();
      box.dataset.failed = "true";
      console.warn(`chart ${id} was not drawn`, error);
    }
  }

  /** Gives a drawing's memory back; the static drawing shows again.
      @param {HTMLElement} box */
  function finalise(box) {
    const chart = live.get(box);
    if (!chart) return;
    live.delete(box);
    sizes.unobserve(box);
    chart.result.finalize();
    chart.host.remove();
    delete box.dataset.drawn;
  }

  /** Makes room for one more: the chart out of sight that was seen longest ago goes. */
  function makeRoom() {
    const away = Array.from(live).filter(([box]) => !near.has(box));
    away.sort((a, b) => a[1].seen - b[1].seen);
    while (live.size >= ALIVE && away.length) finalise(/** @type {[HTMLElement, Live]} */ (away.shift())[0]);
  }

  /** Draws what is near the window, one chart at a time, top of the page first. */
  async function drawNear() {
    if (drawing) return;
    drawing = true;
    for (let box = next(); box; box = next()) {
      makeRoom();
      await draw(box);
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    drawing = false;
  }

  /** @returns {HTMLElement | undefined} */
  function next() {
    const waiting = Array.from(near).filter(
      (box) => !live.has(box) && !box.dataset.failed && payloadOf(box.dataset.chart || "") !== null,
    );
    if (live.size >= ALIVE && Array.from(live.keys()).every((box) => near.has(box))) return undefined;
    return waiting.sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)[0];
  }

  const sizes = new ResizeObserver((entries) => {
    for (const entry of entries) {
      const box = /** @type {HTMLElement} */ (entry.target);
      const chart = live.get(box);
      const width = plotWidth(box);
      if (!chart || box.clientWidth === 0 || width === chart.width) continue;
      chart.width = width;
      chart.result.view.width(width).runAsync().then(() => mark(box));
    }
  });

  /* ------------------------------------------------- shared range, smoothing */

  /** @param {ChartState} wanted */
  function apply(wanted) {
    const smoothed = wanted.smooth !== state.smooth;
    const moved = String(wanted.x) !== String(state.x);
    state = wanted;
    for (const [box, chart] of live) {
      if (!overSteps(chart.form) || !(smoothed || moved)) continue;
      const [x0, x1] = state.x || chart.whole;
      chart.result.view.signal("x0", x0).signal("x1", x1).signal("smooth", state.smooth);
      chart.readable = sitegen.chartData.readable(chart.form, chart.payload.datasets, state.smooth);
      chart.result.view.runAsync().then(() => mark(box));
    }
    for (const select of document.querySelectorAll("select[data-chart-smooth]"))
      /** @type {HTMLSelectElement} */ (select).value = state.smooth;
    for (const button of document.querySelectorAll("[data-chart-reset]"))
      /** @type {HTMLElement} */ (button).hidden = state.x === null;
    markAll();
  }

  /** @param {Partial<ChartState>} changes */
  function change(changes) {
    const wanted = Object.assign({}, state, changes);
    apply(wanted);
    sitegen.state.set(sitegen.chartState.write(wanted));
  }

  function reset() {
    change({ x: null });
  }

  /* ------------------------------------------------------ marked step, readout */

  /** @param {HTMLElement} box
      @param {string} name */
  function part(box, name) {
    const found = /** @type {HTMLElement | null} */ (box.querySelector(`:scope > .${name}`));
    if (found) return found;
    const made = document.createElement("div");
    made.className = name;
    made.hidden = true;
    made.setAttribute("aria-hidden", "true");
    box.append(made);
    return made;
  }

  /** Pixels from the left edge of the box to a position; null when it is not in view.
      @param {Live} chart
      @param {number} at */
  function pixel(chart, at) {
    const scale = chart.result.view.scale("x");
    if (scale.bandwidth) {
      const place = scale.domain()[at];
      return place === undefined ? null : PAD.left + scale(place) + scale.bandwidth() / 2;
    }
    const x = scale(at);
    return x < -1 || x > chart.width + 1 ? null : PAD.left + x;
  }

  /** The readable position under a pixel of the box.
      @param {Live} chart
      @param {number} x */
  function position(chart, x) {
    const scale = chart.result.view.scale("x");
    const inside = x - PAD.left;
    const band = scale.bandwidth ? (inside / chart.width) * scale.domain().length - 0.5 : null;
    return sitegen.chartData.nearest(chart.readable.at, band ?? (scale.invert ? scale.invert(inside) : inside));
  }

  function markAll() {
    for (const box of live.keys()) mark(box);
  }

  /** Shows the rule and the readout of a box at the hovered or kept step.
      @param {HTMLElement} box
      @param {number | null} [own] position in a chart that does not share its axis */
  function mark(box, own) {
    const chart = live.get(box);
    const rule = part(box, "chart-rule");
    const readout = part(box, "chart-readout");
    const at = chart && !overSteps(chart.form) ? (own ?? null) : (hovered ?? state.step);
    const x = chart && at !== null ? pixel(chart, at) : null;
    rule.hidden = readout.hidden = x === null;
    if (!chart || at === null || x === null) return;
    rule.style.transform = `translateX(${Math.round(x)}px)`;
    fill(readout, chart, at);
    const right = x < box.clientWidth / 2;
    readout.style.left = right ? `${Math.round(x) + 8}px` : "auto";
    readout.style.right = right ? "auto" : `${box.clientWidth - Math.round(x) + 8}px`;
  }

  /** @param {HTMLElement} readout
      @param {Live} chart
      @param {number} at */
  function fill(readout, chart, at) {
    const lang = document.documentElement.lang.startsWith("zh") ? "zh" : "en";
    const head = document.createElement("b");
    const title = chart.payload.params.position || { en: "step {at}", zh: "第 {at} 步" };
    const labels = chart.payload.params.positions;
    head.textContent = title[lang].replace("{at}", labels ? labels[at] : sitegen.chartData.text(at));
    readout.replaceChildren(head);
    const names = /** @type {ChartName[]} */ (chart.payload.params.names || []);
    for (const reading of chart.readable.readings.get(at) || []) {
      const line = document.createElement("span");
      const name = names.find((known) => known.key === reading.series);
      const smooth = reading.smooth === null ? "" : ` (${sitegen.chartData.text(reading.smooth)})`;
      line.className = `sw-${reading.series}`;
      line.textContent = `${sitegen.chartData.text(reading.value)}${smooth} ${name && names.length > 1 ? name[lang] : ""}`;
      readout.append(line);
    }
  }

  /* ------------------------------------------------------------- pointer */

  /** @param {HTMLElement} box */
  function listen(box) {
    /** @type {number | null} */
    let from = null;
    const brush = () => part(box, "chart-brush");
    /** @param {PointerEvent} event */
    const at = (event) => event.clientX - box.getBoundingClientRect().left;

    /** @param {PointerEvent} event */
    const follow = (event) => {
      const chart = live.get(box);
      if (!chart) return;
      const found = position(chart, at(event));
      if (!overSteps(chart.form)) mark(box, found);
      else if (found !== hovered) {
        hovered = found;
        markAll();
      }
    };

    box.addEventListener("pointermove", (event) => {
      follow(event);
      if (from === null) return;
      const to = at(event);
      brush().hidden = Math.abs(to - from) < SHORTEST;
      brush().style.left = `${Math.min(from, to)}px`;
      brush().style.width = `${Math.abs(to - from)}px`;
    });
    box.addEventListener("pointerleave", () => {
      hovered = null;
      markAll();
    });
    box.addEventListener("pointerdown", (event) => {
      const chart = live.get(box);
      follow(event); // a finger does not hover before it touches
      if (!chart || event.button !== 0 || event.pointerType === "touch" || !overSteps(chart.form)) return;
      from = at(event);
      box.setPointerCapture(event.pointerId);
    });
    box.addEventListener("pointerup", (event) => {
      const chart = live.get(box);
      const start = from;
      from = null;
      brush().hidden = true;
      if (!chart || start === null) return;
      if (Math.abs(at(event) - start) >= SHORTEST) zoom(chart, start, at(event));
      else if (hovered !== null) change({ step: hovered === state.step ? null : hovered });
    });
    box.addEventListener("pointercancel", () => {
      from = null;
      brush().hidden = true;
    });
    box.addEventListener("dblclick", reset);
  }

  /** @param {Live} chart
      @param {number} from
      @param {number} to pixels of the box */
  function zoom(chart, from, to) {
    const scale = chart.result.view.scale("x");
    if (!scale.invert) return;
    const whole = state.x || chart.whole;
    const range = sitegen.chartState.range(scale.invert(from - PAD.left), scale.invert(to - PAD.left), whole);
    if (range) change({ x: range });
  }

  /* -------------------------------------------------------------- saving */

  /** @param {string} id */
  async function svg(id) {
    const box = boxes().find((candidate) => candidate.dataset.chart === id);
    if (!box) return null;
    if (!live.has(box)) {
      makeRoom();
      await draw(box);
    }
    const chart = live.get(box);
    if (!chart) return null;
    const probe = document.createElement("span");
    box.append(probe);
    const text = sitegen.chartData.withColors(await chart.result.view.toSVG(), (name) => {
      probe.style.color = `var(${name})`;
      return window.getComputedStyle(probe).color;
    });
    probe.remove();
    return text;
  }

  /** @param {string} id */
  async function save(id) {
    const text = await svg(id);
    if (text === null) return;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
    link.download = `${id}.svg`;
    link.click();
    window.setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  /* --------------------------------------------------------------- start */

  /** Patterns of the treatments' textures; colours are in the style sheet. */
  function addPatterns() {
    const namespace = "http://www.w3.org/2000/svg";
    /** @param {string} name
        @param {Record<string, string>} attributes */
    const make = (name, attributes) => {
      const element = document.createElementNS(namespace, name);
      for (const key of Object.keys(attributes)) element.setAttribute(key, attributes[key]);
      return element;
    };
    const sprite = make("svg", { class: "sprite", "aria-hidden": "true", width: "0", height: "0" });
    /** @type {Array<[string, string]>} */
    const patterns = [
      ["mask", "M-1 7L7 -1M-1 1L1 -1M5 7L7 5"],
      ["retry", "M0 3H6"],
      ["none", "M1.5 1.5h1.5v1.5h-1.5zM4.5 4.5h1.500v1.5h-1.5z"],
    ];
    for (const [name, lines] of patterns) {
      if (document.getElementById(`p-${name}`)) continue;
      const pattern = make("pattern", { id: `p-${name}`, width: "6", height: "6", patternUnits: "userSpaceOnUse" });
      pattern.append(make("rect", { class: `p-${name}-bg`, width: "6", height: "6" }));
      pattern.append(make("path", { class: `p-${name}-fg`, d: lines }));
      sprite.append(pattern);
    }
    if (sprite.childNodes.length) document.body.append(sprite);
  }

  /** @returns {HTMLElement[]} */
  function boxes() {
    return Array.from(document.querySelectorAll("[data-chart]"));
  }

  sitegen.charts = { svg, reset };

  sitegen.ready(function () {
    readInline();
    addPatterns();
    apply(sitegen.chartState.read(sitegen.state.get()));
    sitegen.state.watch((keys) => apply(sitegen.chartState.read(keys)));
    const watcher = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) {
          const box = /** @type {HTMLElement} */ (entry.target);
          const chart = live.get(box);
          if (chart) chart.seen = ++clock;
          if (entry.isIntersecting) near.add(box);
          else near.delete(box);
        }
        drawNear();
      },
      { rootMargin: "200px" },
    );
    for (const box of boxes()) {
      watcher.observe(box);
      listen(box);
    }
    document.addEventListener("sitegen:registered", drawNear);
    document.addEventListener("change", (event) => {
      const select = event.target instanceof Element ? event.target.closest("select[data-chart-smooth]") : null;
      if (select) change({ smooth: sitegen.chartState.read({ smooth: /** @type {any} */ (select).value }).smooth });
    });
    document.addEventListener("click", (event) => {
      const target = event.target instanceof Element ? event.target : null;
      if (target && target.closest("[data-chart-reset]")) reset();
      const saved = target && target.closest("[data-chart-svg]");
      if (saved) save(saved.getAttribute("data-chart-svg") || "");
    });
  });
})();
