/* The charts of a page: which are drawn, and what they share.

   Markup of a chart (the box has a fixed height, so nothing moves when it draws):
     <div class="chart" data-chart="reward" data-form="lines" data-height="400" role="img" aria-label="(summary)">
       (static SVG, where there is one)
     </div>
   Data, in a classic script after this one:
     sitegen.register("charts", {"reward": {datasets: {points: {step: […], …}}, params: {…}}})
   or in the page: <script type="application/json" data-charts>{"reward": {…}}</script>
   The reserved id `$axes` holds the further x axes of the run: {step: […], axes: [{key, en, zh, at: […]}]}.
   Controls, where the page has them:
     <select data-chart-smooth> with the values ema, mean5, off; [data-smooth="ema"] is shown with its choice only
     <select data-chart-axis>, filled here; its label is hidden where there is only one axis
     <button data-chart-reset hidden> shows everything again; visible while a part is shown
     <button data-chart-svg="reward"> saves the drawing
     the readout of `lib/chart_readout.js`
   A box says data-drawn="true" when Vega has drawn it. When it cannot, what was there stays.

   All charts share the range (drag, or the keys + and -; double-click or 0 resets), the marked step (hover, arrow
   keys; click, tap or a key keeps it), the smoothing and the axis; all are in the address. The wheel only scrolls.
   At most ALIVE charts are drawn at once. */
(function () {
  "use strict";
  const ALIVE = 12;
  const SHORTEST = 4; // pixels of a drag; less is a click
  const WRITE_AFTER = 200; // milliseconds; browsers refuse an address that changes with every key of a held arrow

  /** @typedef {{id: string, drawing: ChartDrawing, seen: number}} Live */

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
  /** Boxes whose drawing is on its way.
      @type {Set<HTMLElement>} */
  const begun = new Set();
  /** @type {ChartState} */
  let state = { smooth: "ema", x: null, step: null, axis: "step" };
  /** @type {number | null} */
  let hovered = null;
  /** @type {HTMLElement | null} */
  let leading = null;
  /** @type {ReturnType<typeof sitegen.chartReadout> | null} */
  let readout = null;
  /** @type {Map<string, ChartReadable>} */
  const readables = new Map();
  let shared = "";
  let drawing = false;
  let clock = 0;
  let writing = 0;
  let painting = 0;

  const lang = () => (document.documentElement.lang.startsWith("zh") ? "zh" : "en");

  /* ---------------------------------------------------------------- data */

  /** @param {string} id
      @returns {ChartPayload | null} */
  function payloadOf(id) {
    const all = sitegen.registered.charts;
    return (all && Object.prototype.hasOwnProperty.call(all, id) && all[id]) || null;
  }

  /** @param {HTMLElement} box
      @returns {ChartData | null} */
  function dataOf(box) {
    const payload = payloadOf(box.dataset.chart || "");
    return payload && { form: box.dataset.form || "", datasets: payload.datasets, params: payload.params };
  }

  /** @returns {ChartAxes | null} */
  function axes() {
    const all = sitegen.registered.charts;
    return (all && all.$axes) || null;
  }

  /** @param {HTMLElement} box
      @returns {ChartView} */
  function viewOf(box) {
    if (shares(box)) return { smooth: state.smooth, x: state.x, along: sitegen.chartAxis.of(axes(), state.axis) };
    return { smooth: state.smooth, x: null, along: sitegen.chartAxis.of(null, "step") };
  }

  function readInline() {
    for (const script of document.querySelectorAll('script[type="application/json"][data-charts]'))
      sitegen.register("charts", JSON.parse(script.textContent || "{}"));
  }

  /** @returns {HTMLElement[]} */
  function boxes() {
    return Array.from(document.querySelectorAll("[data-chart]"));
  }

  /** What positions on a form's axis are; empty where they are its own.
      @param {HTMLElement} box */
  function kind(box) {
    const form = box.dataset.form || "";
    return form === "outcome" ? "" : form === "engine" ? "samples" : "steps";
  }

  /** Whether a box shares its axis with the others: it is of the kind of the page's first chart that can.
      @param {HTMLElement} box */
  function shares(box) {
    shared = shared || boxes().map(kind).find((found) => found !== "") || "";
    return shared !== "" && kind(box) === shared;
  }

  /** First and last position of the shared axis, and the shortest range that says anything.
      @returns {{whole: [number, number], least: number}} */
  function extent() {
    const datas = boxes().filter(shares).map(dataOf).filter((data) => data !== null);
    const [low, high] = [datas.map((data) => data.params.x0), datas.map((data) => data.params.x1)];
    const drawn = /** @type {[number, number]} */ (datas.length ? [Math.min(...low), Math.max(...high)] : [0, 1]);
    const steps = datas.length > 0 && datas.every((data) => (data.params.xStep ?? 1) > 0);
    return { whole: steps ? sitegen.chartState.ends(...drawn) : drawn, least: steps ? 1 : 0 };
  }

  /** A range that says whole steps, where the shared axis has them.
      @param {[number, number]} range
      @param {boolean} [outward]
      @returns {[number, number]} */
  function snapped(range, outward) {
    const { whole, least } = extent();
    if (!least) return range;
    const [low, high] = sitegen.chartState.snapped(range, outward);
    return low >= whole[0] && high <= whole[1] ? [low, high] : [Math.max(low, whole[0]), Math.min(high, whole[1])];
  }

  /* ------------------------------------------------------------- drawing */

  /** @param {HTMLElement} box */
  async function draw(box) {
    if (begun.has(box)) return;
    begun.add(box);
    const data = dataOf(box);
    const made = data && (await sitegen.chartDraw(box, data, viewOf(box)));
    begun.delete(box);
    if (!made) return;
    live.set(box, { id: box.dataset.chart || "", drawing: made, seen: ++clock });
    sizes.observe(box);
    made.mark(marked(box));
  }

  /** Gives a drawing's memory back; the static drawing shows again.
      @param {HTMLElement} box */
  function finalise(box) {
    const chart = live.get(box);
    if (!chart) return;
    live.delete(box);
    sizes.unobserve(box);
    chart.drawing.finalise();
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

  /** Draws for paper what has no static drawing, wherever it is on the page. Nothing waits for a frame: none comes. */
  async function drawForPaper() {
    const bare = boxes().filter((box) => !live.has(box) && !box.querySelector(":scope > .chart-svg") && dataOf(box));
    for (const box of bare) if (live.size < ALIVE) await draw(box);
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
      const done = chart && chart.drawing.resized();
      if (chart && done) done.then(() => chart.drawing.mark(marked(box)));
    }
  });

  /* ------------------------------------------------------- shared state */

  /** @param {ChartState} wanted */
  function apply(wanted) {
    if (wanted.x) wanted = Object.assign({}, wanted, { x: snapped(wanted.x) });
    const changed = ["smooth", "x", "axis"].some(
      (key) => String(/** @type {any} */ (wanted)[key]) !== String(/** @type {any} */ (state)[key]),
    );
    state = wanted;
    if (changed) {
      for (const [box, chart] of live) {
        chart.drawing.update(viewOf(box)).then(() => live.get(box) === chart && chart.drawing.mark(marked(box)));
      }
    }
    for (const select of document.querySelectorAll("select[data-chart-smooth]"))
      /** @type {HTMLSelectElement} */ (select).value = state.smooth;
    for (const select of document.querySelectorAll("select[data-chart-axis]"))
      /** @type {HTMLSelectElement} */ (select).value = sitegen.chartAxis.of(axes(), state.axis).key;
    for (const said of document.querySelectorAll("[data-smooth]"))
      /** @type {HTMLElement} */ (said).hidden = /** @type {HTMLElement} */ (said).dataset.smooth !== state.smooth;
    for (const button of document.querySelectorAll("[data-chart-reset]"))
      /** @type {HTMLElement} */ (button).hidden = state.x === null;
    markAll();
  }

  function write() {
    window.clearTimeout(writing);
    writing = 0;
    sitegen.state.set(sitegen.chartState.write(state));
  }

  /** @param {Partial<ChartState>} changes */
  function change(changes) {
    apply(Object.assign({}, state, changes));
    window.clearTimeout(writing);
    writing = window.setTimeout(write, WRITE_AFTER);
  }

  function reset() {
    if (state.x !== null) change({ x: null });
  }

  /** @param {number} factor */
  function zoom(factor) {
    const { whole, least } = extent();
    const shown = state.x || whole;
    const around = hovered ?? state.step ?? (shown[0] + shown[1]) / 2;
    const wanted = sitegen.chartState.zoom(shown, around, factor, whole, least);
    change({ x: wanted && snapped(wanted, factor > 1) });
  }

  /** The marked step becomes an end of the range.
      @param {"from" | "to"} end */
  function cut(end) {
    const { whole, least } = extent();
    const at = state.step ?? hovered;
    if (at === null) return;
    const shown = state.x || whole;
    const range = end === "from" ? [at, shown[1]] : [shown[0], at];
    const wanted = sitegen.chartState.range(range[0], range[1], whole, least);
    if (wanted) change({ x: wanted });
  }

  /* ------------------------------------------------- marked step, readout */

  /** @param {HTMLElement} box
      @returns {number | null} */
  function marked(box) {
    return shares(box) ? (hovered ?? state.step) : box === leading ? hovered : null;
  }

  function markAll() {
    if (!painting) painting = requestAnimationFrame(paint);
  }

  /** Once per frame, however often the pointer moved. What is measured comes before what is written, so that the page
      is laid out once. */
  function paint() {
    painting = 0;
    const at = hovered ?? state.step;
    const said = at === null || !readout ? [] : entries(at, readout.room());
    if (at === null) readout?.hide();
    else readout?.show(positionText(at), said, hovered === null || at === state.step, leading);
    for (const [box, chart] of live) chart.drawing.mark(marked(box));
  }

  /** @param {number} at */
  function positionText(at) {
    const own = leading && !shares(leading) ? leading : boxes().find(shares);
    const data = own && dataOf(own);
    const title = (data && data.params.position) || { en: "step {at}", zh: "第 {at} 步" };
    const labels = data && data.params.positions;
    const text = title[lang()].replace("{at}", labels ? labels[at] : sitegen.chartData.text(at));
    const along = sitegen.chartAxis.of(axes(), state.axis);
    const axis = axes()?.axes.find((known) => known.key === along.key);
    return axis ? `${text} · ${axis[lang()]} ${sitegen.chartData.text(Number(along.to(at).toPrecision(5)))}` : text;
  }

  /** The values of every chart at a position: the one under the pointer, then those in view, then the rest.
      @param {number} at
      @param {number} most
      @returns {ReadoutEntry[]} */
  function entries(at, most) {
    const all = leading && !shares(leading) ? [leading] : boxes().filter((box) => shares(box) && box.offsetParent);
    const rank = (/** @type {HTMLElement} */ box) => (box === leading ? 0 : near.has(box) ? 1 : 2);
    all.sort((a, b) => rank(a) - rank(b));
    const found = [];
    for (let index = 0; index < all.length && found.length < most; index += 1) {
      const one = entry(all[index], at);
      if (one) found.push(one);
    }
    return found;
  }

  /** @param {HTMLElement} box
      @param {number} at
      @returns {ReadoutEntry | null} */
  function entry(box, at) {
    const data = dataOf(box);
    if (!data) return null;
    const readable = readableOf(box.dataset.chart || "", data);
    const place = readable.readings.has(at) ? at : sitegen.chartData.nearest(readable.at, at);
    const close = place !== null && readable.at.length < data.params.records; // thinned: the nearest one drawn
    if (place === null || (place !== at && !close)) return null;
    const names = /** @type {ChartName[]} */ (data.params.names || []);
    const grown = data.params.grown || 1;
    const grow = (/** @type {number | null} */ value) => (value === null ? null : limited(value * grown));
    const values = (readable.readings.get(place) || []).map((reading) => {
      const name = names.find((known) => known.key === reading.series);
      return {
        series: reading.series,
        name: name && names.length > 1 ? name[lang()] : "",
        value: grow(reading.value),
        smooth: grow(reading.smooth),
        at: place === at ? "" : `@ ${sitegen.chartData.text(place)}`,
      };
    });
    return { title: titleOf(box), values, leads: box === leading };
  }

  /** @param {number} value */
  function limited(value) {
    return Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, value));
  }

  /** @param {string} id
      @param {ChartData} data */
  function readableOf(id, data) {
    const key = `${state.smooth} ${id}`;
    const known = readables.get(key) || sitegen.chartData.readable(data.form, data.datasets, state.smooth);
    readables.set(key, known);
    return known;
  }

  /** @param {HTMLElement} box */
  function titleOf(box) {
    const heading = box.closest(".chart-card")?.querySelector("h1, h3");
    return (heading && heading.textContent) || box.dataset.chart || "";
  }

  /** Marks the step so many records on, and keeps it.
      @param {HTMLElement | null} box
      @param {number} places Infinity for an end */
  function walk(box, places) {
    const own = box || leading || boxes().find((found) => shares(found) && dataOf(found)) || null;
    const data = own && shares(own) ? dataOf(own) : null;
    if (!own || !data) return;
    const positions = readableOf(own.dataset.chart || "", data).at;
    const { whole, least } = extent();
    const shown = state.x || whole;
    const from = state.step ?? (places > 0 ? shown[0] : shown[1]);
    const fresh = state.step === null || !Number.isFinite(places);
    const at = fresh
      ? sitegen.chartData.nearest(positions, Number.isFinite(places) ? from : places > 0 ? whole[1] : whole[0])
      : sitegen.chartData.stepped(positions, from, places);
    if (at === null) return;
    hovered = null;
    if (box) leading = box;
    change({ step: at, x: state.x && sitegen.chartState.holding(state.x, at, whole, least > 0) });
    if (readout) readout.say(positionText(at), entry(own, at));
  }

  /* ------------------------------------------------- pointer and keyboard */

  /** @param {HTMLElement} box */
  function listen(box) {
    /** @type {number | null} */
    let from = null;
    let touched = false;
    /** @param {PointerEvent} event */
    const at = (event) => event.clientX - box.getBoundingClientRect().left;

    /** @param {PointerEvent} event */
    const follow = (event) => {
      const chart = live.get(box);
      if (!chart) return;
      const found = chart.drawing.position(at(event));
      if (found === hovered && leading === box) return;
      hovered = found;
      leading = box;
      markAll();
    };
    const leave = () => {
      hovered = null;
      if (!shares(box)) leading = null;
      markAll();
    };

    box.addEventListener("pointermove", (event) => {
      follow(event);
      const chart = live.get(box);
      if (from === null || !chart) return;
      const to = at(event);
      chart.drawing.brush(Math.abs(to - from) < SHORTEST ? null : from, to);
    });
    box.addEventListener("pointerleave", leave);
    box.addEventListener("pointerdown", (event) => {
      const chart = live.get(box);
      follow(event); // a finger does not hover before it touches
      touched = event.pointerType === "touch";
      if (!chart || event.button !== 0 || touched || !shares(box)) return;
      from = at(event);
      box.setPointerCapture(event.pointerId);
    });
    box.addEventListener("pointerup", (event) => {
      const chart = live.get(box);
      const start = from;
      from = null;
      if (!chart) return;
      chart.drawing.brush(null, null);
      if (touched && shares(box) && hovered !== null) change({ step: hovered });
      if (start === null) return;
      if (Math.abs(at(event) - start) >= SHORTEST) drag(chart.drawing, start, at(event));
      else if (hovered !== null) change({ step: hovered === state.step ? null : hovered });
    });
    box.addEventListener("pointercancel", () => {
      from = null;
      const chart = live.get(box);
      if (chart) chart.drawing.brush(null, null);
      leave(); // the finger scrolls the page
    });
    box.addEventListener("dblclick", reset);
    if (shares(box)) box.addEventListener("keydown", (event) => press(box, event));
  }

  /** @param {ChartDrawing} chart
      @param {number} from
      @param {number} to pixels of the box */
  function drag(chart, from, to) {
    const { whole, least } = extent();
    const [low, high] = [chart.place(from), chart.place(to)];
    if (low === null || high === null) return;
    const range = sitegen.chartState.range(low, high, state.x || whole, least);
    if (range) change({ x: snapped(range) });
  }

  /** @type {Record<string, (box: HTMLElement, event: KeyboardEvent) => void>} */
  const KEYS = {
    ArrowRight: (box, event) => walk(box, event.shiftKey ? 10 : 1),
    ArrowLeft: (box, event) => walk(box, event.shiftKey ? -10 : -1),
    Home: (box) => walk(box, -Infinity),
    End: (box) => walk(box, Infinity),
    "+": () => zoom(0.5),
    "=": () => zoom(0.5),
    "-": () => zoom(2),
    0: reset,
    "[": () => cut("from"),
    "]": () => cut("to"),
    Escape: () => change({ step: null }),
  };

  /** @param {HTMLElement} box
      @param {KeyboardEvent} event */
  function press(box, event) {
    const action = KEYS[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && state.step === null) return;
    event.preventDefault();
    action(box, event);
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
    return chart ? chart.drawing.svg() : null;
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

  /** Options of the axis menu: the ones that the run knows. */
  function offerAxes() {
    const known = axes()?.axes || [];
    for (const select of document.querySelectorAll("select[data-chart-axis]")) {
      for (const axis of known) {
        const option = document.createElement("option");
        option.value = axis.key;
        option.textContent = axis[lang()];
        if (!select.querySelector(`option[value="${axis.key}"]`)) select.append(option);
      }
      const label = /** @type {HTMLElement | null} */ (select.closest("label"));
      if (label) label.hidden = known.length === 0;
    }
  }

  /** A chart that shares its axis can be walked along with the keyboard.
      @param {HTMLElement} box */
  function open(box) {
    const keys = document.getElementById("chart-keys");
    if (!keys || !shares(box)) return;
    box.tabIndex = 0;
    box.setAttribute("role", "application");
    box.setAttribute("aria-roledescription", keys.dataset.kind || "chart");
    box.setAttribute("aria-describedby", keys.id);
  }

  /** @param {ReturnType<typeof sitegen.chartReadout>} bar */
  function wire(bar) {
    bar.on("back", () => walk(null, -1));
    bar.on("on", () => walk(null, 1));
    bar.on("from", () => cut("from"));
    bar.on("to", () => cut("to"));
    bar.on("reset", reset);
    bar.on("open", markAll);
    bar.on("close", () => {
      hovered = null;
      change({ step: null });
    });
  }

  sitegen.charts = {
    svg,
    reset,
    draw: (box, data, wanted) => sitegen.chartDraw(box, data, wanted),
    adopt: () => undefined,
    release: () => undefined,
  };

  sitegen.ready(function () {
    readInline();
    addPatterns();
    offerAxes();
    readout = sitegen.chartReadout();
    wire(readout);
    apply(sitegen.chartState.read(sitegen.state.get()));
    sitegen.state.watch((keys) => {
      if (writing) write(); // another part of the page wrote first: what was said here is not lost
      else apply(sitegen.chartState.read(keys));
    });
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
    sitegen.charts.adopt = (box) => {
      watcher.observe(box);
      listen(box);
      open(box);
    };
    sitegen.charts.release = (box) => {
      watcher.unobserve(box);
      near.delete(box);
      finalise(box);
      if (leading === box) leading = hovered = null;
    };
    boxes().forEach(sitegen.charts.adopt);
    window.addEventListener("beforeprint", drawForPaper);
    window.matchMedia("print").addEventListener("change", (event) => {
      if (event.matches) drawForPaper();
    });
    document.addEventListener("sitegen:registered", () => {
      offerAxes();
      readables.clear();
      apply(state);
      drawNear();
    });
    document.addEventListener("change", (event) => {
      const select = event.target instanceof HTMLSelectElement ? event.target : null;
      if (select && "chartSmooth" in select.dataset) {
        change({ smooth: sitegen.chartState.read({ smooth: select.value }).smooth });
      }
      if (select && "chartAxis" in select.dataset) change({ axis: select.value });
    });
    document.addEventListener("click", (event) => {
      const target = event.target instanceof Element ? event.target : null;
      if (target && target.closest("[data-chart-reset]")) reset();
      const saved = target && target.closest("[data-chart-svg]");
      if (saved) save(saved.getAttribute("data-chart-svg") || "");
    });
  });
})();
