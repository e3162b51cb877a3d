/* Chart cards: the data table of a chart whose rows are not in the page, made from its registered data. */
sitegen.ready(function () {
  "use strict";
  const COLUMNS = ["step", "series", "raw", "ema"];

  /** @param {Element} card @param {ChartColumns} columns */
  function build(card, columns) {
    const shown = COLUMNS.filter((name) => name in columns && new Set(columns[name]).size > (name === "series" ? 1 : 0));
    const table = document.createElement("table");
    table.className = "t dense";
    const head = table.createTHead().insertRow();
    for (const name of shown) {
      const cell = document.createElement("th");
      cell.scope = "col";
      cell.className = "n";
      cell.textContent = name;
      head.append(cell);
    }
    const body = table.createTBody();
    const count = shown.length ? columns[shown[0]].length : 0;
    for (let index = 0; index < count; index += 1) {
      const row = body.insertRow();
      for (const name of shown) {
        const cell = row.insertCell();
        const value = columns[name][index];
        cell.className = "n";
        cell.textContent = value === null ? "–" : String(value);
      }
    }
    const wrap = document.createElement("div");
    wrap.className = "t-wrap card-data";
    wrap.append(table);
    card.append(wrap);
  }

  document.addEventListener("click", function (event) {
    const button = event.target instanceof Element ? event.target.closest("[data-act='table']") : null;
    const card = button && button.closest(".chart-card");
    if (!button || !card) return;
    const details = card.querySelector("details.data");
    if (details instanceof HTMLDetailsElement) {
      event.preventDefault();
      details.open = !details.open;
      return;
    }
    const made = card.querySelector(".card-data");
    if (made) {
      made.remove();
      return;
    }
    const box = /** @type {HTMLElement | null} */ (card.querySelector("[data-chart]"));
    const charts = (sitegen.registered && sitegen.registered.charts) || {};
    const payload = box && /** @type {ChartPayload | undefined} */ (charts[box.dataset.chart || ""]);
    const columns = payload && (payload.datasets.points || Object.values(payload.datasets)[0]);
    if (columns) build(card, columns);
  });
});
