/* A field of text, marked `data-filter`, over the elements marked `data-text` (empty: what they show), with boxes of a
   facet where the page has them. What is typed and ticked is kept in the address. Groups without a hit are hidden, and
   folded ones with one open while something is asked for. The index of runs has filters of its own. */
sitegen.ready(function () {
  "use strict";
  const found = document.querySelector("input[data-filter]:not([data-filter=runs])");
  if (!(found instanceof HTMLInputElement)) return;
  const field = found;
  const items = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("[data-text]")]);
  const texts = items.map((item) => sitegen.filter.fold(item.dataset.text || item.textContent || ""));
  const facets = items.map((item) => /** @type {Record<string, string[]>} */ (JSON.parse(item.dataset.facets || "{}")));
  const boxes = /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll("input[data-facet]")]);
  const names = [...new Set(boxes.map((box) => box.dataset.facet || ""))];
  const total = document.querySelector("[data-found]");
  const none = document.querySelector("[data-none]");
  const clear = document.querySelector("[data-clear]");

  /** @param {Record<string, string>} state */
  function show(state) {
    const query = state.q || "";
    const chosen = names.map((name) => ({ name, values: sitegen.hash.list(state[name]) }));
    const ticked = chosen.some((facet) => facet.values.length > 0);
    for (const box of boxes) box.checked = sitegen.hash.list(state[box.dataset.facet || ""]).includes(box.value);
    if (document.activeElement !== field) field.value = query;
    let visible = 0;
    texts.forEach((text, index) => {
      const of = facets[index];
      const passes =
        sitegen.filter.matches(text, query) &&
        chosen.every(({ name, values }) => !values.length || values.some((value) => (of[name] || []).includes(value)));
      items[index].hidden = !passes;
      visible += Number(passes);
    });
    for (const group of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-filter-group]"))) {
      group.hidden = !group.querySelector("[data-text]:not([hidden])");
      if (group instanceof HTMLDetailsElement && (query || ticked)) group.open = true;
    }
    if (total) total.textContent = sitegen.text("filter.found", { shown: visible, all: items.length });
    if (none) /** @type {HTMLElement} */ (none).hidden = visible > 0;
    if (clear) /** @type {HTMLElement} */ (clear).hidden = query === "" && !ticked;
  }

  let writing = 0;
  field.addEventListener("input", function () {
    window.clearTimeout(writing);
    writing = window.setTimeout(() => sitegen.state.set({ q: field.value }), 10);
  });
  if (clear) {
    clear.addEventListener("click", function () {
      field.value = "";
      sitegen.state.set(Object.fromEntries(["q", ...names].map((name) => [name, ""])), true);
      field.focus();
    });
  }
  for (const box of boxes) {
    box.addEventListener("change", function () {
      const name = box.dataset.facet || "";
      const values = boxes.filter((other) => other.dataset.facet === name && other.checked).map((other) => other.value);
      window.clearTimeout(writing);
      sitegen.state.set({ q: field.value, [name]: sitegen.hash.join(values) }, true);
    });
  }
  sitegen.state.watch(show);
  const state = sitegen.state.get();
  show(state);
  // a link that asks for something shows it, also where the field lies further down the page
  const asked = ["q", ...names].some((name) => state[name]);
  if (asked && field.getBoundingClientRect().top > window.innerHeight) field.scrollIntoView({ block: "center" });
});
