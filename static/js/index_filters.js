/* The filters of the index: field of text, facets, ranges of numbers, and a chip for each that is set. */
(function () {
  "use strict";
  const own = sitegen.index;
  const BINS = 24;
  const field = /** @type {HTMLInputElement | null} */ (document.querySelector("input[data-filter=runs]"));
  const form = /** @type {HTMLFormElement | null} */ (document.getElementById("facets"));
  const boxes = /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll("input[data-facet]")]);
  const more = /** @type {HTMLButtonElement | null} */ (document.querySelector("[data-open-facets]"));
  const clear = /** @type {HTMLButtonElement | null} */ (document.querySelector("[data-clear]"));
  let writing = 0;
  let ranged = "";
  let drawnRange = "";
  let drawnChips = "";
  /** Number and bar beside each box, and the count that they show. */
  const lines = new Map(
    boxes.map((box) => {
      const label = /** @type {HTMLElement} */ (box.closest("label"));
      return [box, { label, number: label.querySelector(".count"), bar: label.querySelector(".fb rect"), count: NaN }];
    }),
  );

  /** The columns whose ranges the state holds. @param {Record<string, string>} state */
  own.rangeIds = function (state) {
    return Object.keys(state).filter((key) => {
      const parsed = sitegen.columns.parse(key, own.config.columns);
      return parsed !== null && sitegen.columns.range(state[key]) !== null;
    });
  };

  /** An end of a range as a stored number. @param {string} text @param {RunColumn} column @param {boolean} upper */
  function bound(text, column, upper) {
    if (text === "") return null;
    if (column.kind === "date") {
      const day = Date.parse(`${text}T00:00:00Z`);
      return Number.isNaN(day) ? null : day / 1000 + (upper ? 86399 : 0);
    }
    const value = Number(text);
    return Number.isNaN(value) ? null : value / column.scale;
  }

  /** @param {Record<string, string>} state @returns {RangeFilter[]} */
  own.ranges = function (state) {
    return own.rangeIds(state).flatMap((id) => {
      const column = own.column(id);
      const ends = sitegen.columns.range(state[id]);
      if (!column || !ends) return [];
      return [{ cells: column.cells, low: bound(ends.low, column, false), high: bound(ends.high, column, true) }];
    });
  };

  /** Chosen values by facet. @param {Record<string, string>} state */
  own.chosen = function (state) {
    return Object.fromEntries(Object.keys(own.runs.facets).map((facet) => [facet, sitegen.hash.list(state[facet])]));
  };

  /** @param {Record<string, string>} changes @param {boolean} push */
  function set(changes, push) {
    sitegen.state.set(Object.assign({ page: "" }, changes), push);
  }

  /** @param {IndexView} view */
  function mark(view) {
    const chosen = own.chosen(view.state);
    const n = own.runs.slugs.length;
    for (const [box, line] of lines) {
      const facet = box.dataset.facet || "";
      const code = own.model.facets[facet].codes.get(box.value);
      const count = code === undefined ? 0 : view.counts[facet][code];
      box.checked = (chosen[facet] || []).includes(box.value);
      if (box.checked) line.label.hidden = false;
      line.label.classList.toggle("empty-facet", count === 0 && !box.checked);
      if (count === line.count) continue;
      line.count = count;
      if (line.number) line.number.textContent = sitegen.numbers.fixed(count, 0);
      if (line.bar) line.bar.setAttribute("width", `${(100 * count) / n}%`);
    }
  }

  /** @param {string} text @param {Record<string, string>} changes */
  function chip(text, changes) {
    const made = own.make("span", "chip", text);
    const remove = own.make("button");
    remove.type = "button";
    remove.setAttribute("aria-label", own.say("remove-filter", { name: text }));
    remove.append(own.mark("i-x"));
    remove.addEventListener("click", () => {
      set(changes, true);
      if (field) field.focus();
    });
    made.append(remove);
    return made;
  }

  /** @param {string} id @param {string} text */
  function rangeWords(id, text) {
    const column = own.column(id);
    const name = column ? column.label : id;
    const { low, high } = sitegen.columns.range(text) || { low: "", high: "" };
    if (low && high) return own.say("between", { name, low, high });
    return low ? `${name} ≥ ${low}` : `${name} ≤ ${high}`;
  }

  /** @param {IndexView} view */
  function chips(view) {
    const place = document.querySelector("[data-chips]");
    if (!place) return;
    const chosen = own.chosen(view.state);
    /** @type {Array<[string, Record<string, string>]>} */
    const shown = Object.keys(chosen).flatMap((facet) => {
      if (!chosen[facet].length) return [];
      const coded = own.runs.facets[facet];
      const names = chosen[facet].map((value) => (coded[own.lang] || coded.names)[coded.names.indexOf(value)] || value);
      return [[`${own.facetTitle(facet)}: ${names.join(", ")}`, { [facet]: "" }]];
    });
    for (const id of own.rangeIds(view.state)) shown.push([rangeWords(id, view.state[id]), { [id]: "" }]);
    const words = JSON.stringify(shown);
    if (words !== drawnChips) place.replaceChildren(...shown.map(([text, changes]) => chip(text, changes)));
    drawnChips = words;
    const counts = { shown: sitegen.numbers.fixed(view.rows.length, 0), all: sitegen.numbers.fixed(own.runs.slugs.length, 0) };
    const total = document.querySelector("[data-found]");
    if (total) total.textContent = own.say("found", counts);
    if (clear) clear.hidden = !shown.length && !view.state.q;
    if (more) more.dataset.active = shown.length ? String(shown.length) : "";
    if (field && document.activeElement !== field) field.value = view.state.q || "";
  }

  /** Columns of numbers that can be filtered by: the table's own, those chosen, those filtered by already.
      @param {IndexView} view */
  function rangeable(view) {
    const ids = new Set([...own.numericIds(), ...view.columns.map((column) => column.id), ...own.rangeIds(view.state)]);
    return [...ids].map((id) => own.column(id)).filter((column) => column !== null && column.numeric && column.kind !== "spark");
  }

  /** @param {number} value @param {RunColumn} column */
  function typed(value, column) {
    if (column.kind === "date") return sitegen.numbers.iso(value).slice(0, 10);
    return String(Number((value * column.scale).toPrecision(4)));
  }

  /** @param {RunColumn} column @param {IndexView} view */
  function histogram(column, view) {
    const values = /** @type {number[]} */ (column.cells.filter((cell) => typeof cell === "number"));
    const bins = sitegen.plots.bins(values, BINS);
    const most = Math.max(...bins, 1);
    const low = values.reduce((a, b) => Math.min(a, b), Infinity);
    const high = values.reduce((a, b) => Math.max(a, b), -Infinity);
    const [range] = own.ranges({ [column.id]: view.state[column.id] || "" });
    const svg = own.drawn("svg", { class: "hist", viewBox: `0 0 ${BINS * 10} 40`, preserveAspectRatio: "none", "aria-hidden": "true" });
    bins.forEach((count, at) => {
      const middle = low + ((at + 0.5) / BINS) * (high - low);
      const inside = !range || ((range.low === null || middle >= range.low) && (range.high === null || middle <= range.high));
      const height = count ? Math.max(2, (38 * count) / most) : 0;
      svg.append(own.drawn("rect", { class: inside ? "hb on" : "hb", x: at * 10 + 0.5, y: 40 - height, width: 9, height }));
    });
    const words = values.length
      ? own.say("range-values", { low: shown(low, column), high: shown(high, column), n: sitegen.numbers.fixed(values.length, 0) })
      : own.say("no-values");
    return [svg, own.make("span", "ends", words)];
  }

  /** @param {number} value @param {RunColumn} column */
  function shown(value, column) {
    if (column.kind === "date") return sitegen.numbers.date(value, own.lang);
    return sitegen.numbers.number(value * column.scale, 3);
  }

  /** @param {string} word @param {RunColumn} column @param {string} value */
  function end(word, column, value) {
    const label = own.make("label");
    const input = own.make("input");
    input.type = column.kind === "date" ? "date" : "number";
    input.step = "any";
    input.value = value;
    input.dataset.end = word;
    const values = /** @type {number[]} */ (column.cells.filter((cell) => typeof cell === "number"));
    const limit = word === "from" ? Math.min : Math.max;
    if (values.length) input.placeholder = typed(values.reduce((a, b) => limit(a, b)), column);
    input.addEventListener("change", () => {
      const place = /** @type {HTMLElement} */ (input.closest("fieldset"));
      const [from, to] = [...place.querySelectorAll("input")].map((other) => other.value);
      set({ [column.id]: from || to ? `${from}..${to}` : "" }, true);
    });
    label.append(own.make("span", "", own.say(word)), input);
    return label;
  }

  /** @param {IndexView} view */
  function range(view) {
    const place = document.querySelector("[data-range]");
    const legend = place && place.querySelector("legend");
    const columns = rangeable(view);
    if (!place || !legend || !columns.length) return;
    const set = own.rangeIds(view.state);
    if (!columns.some((column) => column && column.id === ranged)) ranged = set[0] || (columns.some((c) => c && c.id === "ema") ? "ema" : "");
    const column = columns.find((item) => item && item.id === ranged) || columns[0];
    if (!column) return;
    const now = [column.id, view.state[column.id] || "", ...columns.map((item) => (item ? item.id : ""))].join("\n");
    if (now === drawnRange) return;
    drawnRange = now;
    const held = document.activeElement instanceof HTMLInputElement && place.contains(document.activeElement) ? document.activeElement.dataset.end : "";
    const chosen = document.activeElement instanceof HTMLSelectElement && place.contains(document.activeElement);
    const select = own.make("select");
    select.setAttribute("aria-label", own.say("range-of"));
    for (const item of columns) {
      if (!item) continue;
      const option = own.make("option", "", item.label);
      option.value = item.id;
      option.selected = item.id === column.id;
      select.append(option);
    }
    select.addEventListener("change", () => {
      ranged = select.value;
      range(own.view);
    });
    const ends = sitegen.columns.range(view.state[column.id] || "") || { low: "", high: "" };
    const row = own.make("div", "range-ends");
    row.append(end("from", column, ends.low), end("to", column, ends.high));
    place.replaceChildren(legend, select, ...histogram(column, view), row);
    const again = held ? place.querySelector(`input[data-end=${held}]`) : chosen ? select : null;
    if (again instanceof HTMLElement) again.focus();
  }

  if (field) {
    field.addEventListener("input", function () {
      window.clearTimeout(writing);
      writing = window.setTimeout(() => set({ q: field.value }, false), 10);
    });
    field.addEventListener("focus", () => void own.prepare());
  }
  for (const box of boxes) {
    box.addEventListener("change", function () {
      const facet = box.dataset.facet || "";
      const values = boxes.filter((other) => other.dataset.facet === facet && other.checked).map((other) => other.value);
      window.clearTimeout(writing);
      set({ q: field ? field.value : "", [facet]: sitegen.hash.join(values) }, true);
    });
  }
  for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("[data-more]"))) {
    const words = button.textContent || "";
    button.addEventListener("click", function () {
      const open = button.getAttribute("aria-expanded") !== "true";
      button.setAttribute("aria-expanded", String(open));
      button.textContent = open ? own.say("fewer") : words;
      const labels = /** @type {NodeListOf<HTMLElement>} */ ((button.closest("fieldset") || button).querySelectorAll("label"));
      labels.forEach((label, at) => {
        const box = label.querySelector("input");
        label.hidden = !open && at >= 6 && !(box && box.checked);
      });
    });
  }
  if (clear) {
    clear.addEventListener("click", function () {
      if (field) field.value = "";
      const keys = ["q", ...Object.keys(own.runs.facets), ...own.rangeIds(own.view.state)];
      set(Object.fromEntries(keys.map((key) => [key, ""])), true);
      if (field) field.focus();
    });
  }
  const tools = more && more.closest(".toolbar");
  if (more && form && tools) {
    const narrow = window.matchMedia("(max-width: 39.9375em)");
    // On a phone the filters open below their button, so that the button stays under the finger.
    const place = () => (narrow.matches ? tools.after(form) : tools.before(form));
    narrow.addEventListener("change", place);
    place();
    more.addEventListener("click", function () {
      more.setAttribute("aria-expanded", String(form.classList.toggle("open")));
    });
  }
  if (form) form.addEventListener("submit", (event) => event.preventDefault());
  own.parts.push(mark, chips, range);
})();
