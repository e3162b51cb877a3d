/* Filters: a field marked `data-filter` over the elements marked `data-text`, with facets where the page has a
   form of them. Field and facets are kept in the address, so that the back button works. */
sitegen.ready(function () {
  "use strict";
  const found = document.querySelector("input[data-filter]");
  if (!(found instanceof HTMLInputElement)) return;
  const field = found;
  const items = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("[data-text]")]);
  const rows = items.map((item) => ({
    text: sitegen.filter.fold(item.dataset.text || ""),
    facets: /** @type {FacetValues} */ (JSON.parse(item.dataset.facets || "{}")),
  }));
  const boxes = /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll("input[data-facet]")]);
  const facets = [...new Set(boxes.map((box) => box.dataset.facet || ""))];
  const total = document.querySelector("[data-found]");
  const none = document.querySelector("[data-none]");
  const clear = document.querySelector("[data-clear]");
  const more = /** @type {HTMLElement | null} */ (document.querySelector("[data-open-facets]"));
  const form = document.querySelector("form.facets");

  /** @param {Record<string, string>} state @returns {FacetValues} */
  function chosenIn(state) {
    return Object.fromEntries(facets.map((facet) => [facet, sitegen.hash.list(state[facet])]));
  }

  /** @param {Record<string, string>} state */
  function show(state) {
    const query = state.q || "";
    const chosen = chosenIn(state);
    if (document.activeElement !== field) field.value = query;
    let visible = 0;
    rows.forEach((row, index) => {
      const passes = sitegen.filter.passes(row, query, chosen);
      items[index].hidden = !passes;
      visible += Number(passes);
    });
    mark(chosen, sitegen.filter.counts(rows, query, chosen));
    for (const group of document.querySelectorAll("[data-filter-group]")) {
      /** @type {HTMLElement} */ (group).hidden = !group.querySelector("[data-text]:not([hidden])");
    }
    for (const row of document.querySelectorAll("tr.group-row")) hideEmpty(/** @type {HTMLElement} */ (row));
    const counts = { shown: String(visible), all: String(rows.length) };
    if (total) total.textContent = sitegen.text("filter.found", counts);
    if (none) /** @type {HTMLElement} */ (none).hidden = visible > 0;
    const active = Object.values(chosen).reduce((sum, values) => sum + values.length, 0);
    if (clear) /** @type {HTMLElement} */ (clear).hidden = active === 0 && query === "";
    if (more) more.dataset.active = active ? String(active) : "";
  }

  /** Hides the heading row of a group of which no row is left. @param {HTMLElement} heading */
  function hideEmpty(heading) {
    let next = /** @type {HTMLElement | null} */ (heading.nextElementSibling);
    while (next && next.hidden && !next.classList.contains("group-row")) {
      next = /** @type {HTMLElement | null} */ (next.nextElementSibling);
    }
    heading.hidden = !next || next.classList.contains("group-row");
  }

  /** @param {FacetValues} chosen @param {Record<string, Record<string, number>>} counts */
  function mark(chosen, counts) {
    for (const box of boxes) {
      const facet = box.dataset.facet || "";
      const count = (counts[facet] || {})[box.value] || 0;
      box.checked = chosen[facet].includes(box.value);
      const label = box.closest("label");
      const number = label && label.querySelector(".count");
      const bar = label && label.querySelector(".fb rect");
      if (number) number.textContent = String(count);
      if (bar) bar.setAttribute("width", `${rows.length ? (100 * count) / rows.length : 0}%`);
      if (label) label.classList.toggle("empty-facet", count === 0 && !box.checked);
    }
  }

  let writing = 0;
  field.addEventListener("input", function () {
    window.clearTimeout(writing);
    writing = window.setTimeout(() => sitegen.state.set({ q: field.value }), 60);
  });
  for (const box of boxes) {
    box.addEventListener("change", function () {
      const facet = box.dataset.facet || "";
      const values = boxes.filter((other) => other.dataset.facet === facet && other.checked).map((other) => other.value);
      window.clearTimeout(writing);
      sitegen.state.set({ q: field.value, [facet]: sitegen.hash.join(values) }, true);
    });
  }
  if (clear) {
    clear.addEventListener("click", function () {
      field.value = "";
      sitegen.state.set(Object.fromEntries([["q", ""], ...facets.map((facet) => [facet, ""])]), true);
      field.focus();
    });
  }
  if (more && form) {
    more.addEventListener("click", function () {
      const open = form.classList.toggle("open");
      more.setAttribute("aria-expanded", String(open));
    });
  }
  if (form) form.addEventListener("submit", (event) => event.preventDefault());
  sitegen.state.watch(show);
  show(sitegen.state.get());
});
