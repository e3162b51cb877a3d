/* Chart cards: their link, and the data table of a chart whose rows are not in the page. */
sitegen.ready(function () {
  "use strict";
  const SHOWN_FOR = 2000;
  const COLUMNS = ["step", "raw", "ema", "mean5"];

  /* ---------------------------------------------------------------- link */

  /** A link to the card that brings the page's state with it: range, step, smoothing, axis, filter.
      @param {HTMLElement} card @param {HTMLAnchorElement} link */
  async function give(card, link) {
    sitegen.state.set({ card: card.id.replace(/^chart-/, "") }, true);
    if (!(await copied(window.location.href))) return; // it stands in the address bar all the same
    const said = document.createElement("span");
    said.className = "said";
    said.setAttribute("role", "status");
    said.textContent = sitegen.text("copy.done");
    link.after(said);
    window.setTimeout(() => said.remove(), SHOWN_FOR);
  }

  /** @param {string} text @returns {Promise<boolean>} */
  async function copied(text) {
    if (!navigator.clipboard) return false;
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  }

  /** Brings the card that the address names into view. */
  function follow() {
    const id = sitegen.state.get().card || "";
    for (const card of document.querySelectorAll(".chart-card.linked")) card.classList.remove("linked");
    const card = id ? document.getElementById(`chart-${id}`) : null;
    if (!card) return;
    card.classList.add("linked");
    card.scrollIntoView({ block: "start", behavior: "instant" });
  }

  /* --------------------------------------------------------------- table */

  /** @param {HTMLElement} card @param {ChartColumns} columns */
  function build(card, columns) {
    const words = document.getElementById("chart-keys");
    const titles = /** @type {Record<string, string>} */ (JSON.parse((words && words.dataset.columns) || "{}"));
    const shown = COLUMNS.filter((name) => name in titles && name in columns);
    const table = document.createElement("table");
    table.className = "t dense";
    const caption = table.createCaption();
    caption.className = "sr";
    caption.textContent = card.querySelector("h3")?.textContent || "";
    const head = table.createTHead().insertRow();
    for (const name of shown) {
      const cell = document.createElement("th");
      cell.scope = "col";
      cell.className = "n";
      cell.textContent = titles[name];
      head.append(cell);
    }
    const body = table.createTBody();
    const count = shown.length ? columns[shown[0]].length : 0;
    for (let index = 0; index < count; index += 1) {
      const row = body.insertRow();
      for (const name of shown) {
        const cell = row.insertCell();
        cell.className = "n";
        cell.textContent = sitegen.chartData ? sitegen.chartData.text(columns[name][index]) : columns[name][index];
      }
    }
    const wrap = document.createElement("div");
    wrap.className = "t-wrap card-data";
    wrap.tabIndex = 0;
    wrap.setAttribute("role", "region");
    wrap.setAttribute("aria-label", caption.textContent);
    wrap.append(table);
    card.append(wrap);
    wrap.focus({ preventScroll: true });
  }

  /** @param {HTMLElement} card @param {HTMLElement} button */
  function table(card, button) {
    const details = card.querySelector("details.data");
    if (details instanceof HTMLDetailsElement) {
      details.open = !details.open;
      if (details.open) details.scrollIntoView({ block: "nearest" });
      return;
    }
    const made = card.querySelector(".card-data");
    if (made) made.remove();
    const box = /** @type {HTMLElement | null} */ (card.querySelector("[data-chart]"));
    const charts = (sitegen.registered && sitegen.registered.charts) || {};
    const payload = box && /** @type {ChartPayload | undefined} */ (charts[box.dataset.chart || ""]);
    const columns = payload && (payload.datasets.points || Object.values(payload.datasets)[0]);
    if (columns && !made) build(card, columns);
    button.setAttribute("aria-expanded", String(!made));
  }

  document.addEventListener("click", function (event) {
    const action = event.target instanceof Element ? event.target.closest("[data-act]") : null;
    const card = action && action.closest(".chart-card");
    if (!(action instanceof HTMLElement) || !(card instanceof HTMLElement)) return;
    event.preventDefault();
    if (action.dataset.act === "table") table(card, action);
    else if (action instanceof HTMLAnchorElement) give(card, action);
  });
  window.addEventListener("popstate", follow);
  follow();
});
