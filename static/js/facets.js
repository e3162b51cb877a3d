/* A field of text, marked `data-filter`, over the elements marked `data-text`. What is typed is kept in the address.
   The index of runs has filters of its own. */
sitegen.ready(function () {
  "use strict";
  const found = document.querySelector("input[data-filter]:not([data-filter=runs])");
  if (!(found instanceof HTMLInputElement)) return;
  const field = found;
  const items = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("[data-text]")]);
  const texts = items.map((item) => sitegen.filter.fold(item.dataset.text || ""));
  const total = document.querySelector("[data-found]");
  const none = document.querySelector("[data-none]");
  const clear = document.querySelector("[data-clear]");

  /** @param {Record<string, string>} state */
  function show(state) {
    const query = state.q || "";
    if (document.activeElement !== field) field.value = query;
    let visible = 0;
    texts.forEach((text, index) => {
      const passes = sitegen.filter.matches(text, query);
      items[index].hidden = !passes;
      visible += Number(passes);
    });
    for (const group of document.querySelectorAll("[data-filter-group]")) {
      /** @type {HTMLElement} */ (group).hidden = !group.querySelector("[data-text]:not([hidden])");
    }
    const counts = { shown: String(visible), all: String(items.length) };
    if (total) total.textContent = sitegen.text("filter.found", counts);
    if (none) /** @type {HTMLElement} */ (none).hidden = visible > 0;
    if (clear) /** @type {HTMLElement} */ (clear).hidden = query === "";
  }

  let writing = 0;
  field.addEventListener("input", function () {
    window.clearTimeout(writing);
    writing = window.setTimeout(() => sitegen.state.set({ q: field.value }), 10);
  });
  if (clear) {
    clear.addEventListener("click", function () {
      field.value = "";
      sitegen.state.set({ q: "" }, true);
      field.focus();
    });
  }
  sitegen.state.watch(show);
  show(sitegen.state.get());
});
