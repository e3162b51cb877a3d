/* The table of all trials: pages, sorting and filters over the columns that the data script registers. The first
   rows are in the page already; nothing here runs before the data are there. */
(function () {
  "use strict";
  const PAGE = 200;
  const KEYS = ["find", "outcome", "exception", "from", "to"];

  sitegen.registered = sitegen.registered || {};
  sitegen.register =
    sitegen.register ||
    function (key, payload) {
      sitegen.registered[key] = Object.assign(sitegen.registered[key] || {}, payload);
      document.dispatchEvent(new CustomEvent("sitegen:registered", { detail: key }));
    };

  /** @param {HTMLElement} section @param {TrialData} data */
  function start(section, data) {
    const table = /** @type {HTMLTableElement} */ (section.querySelector("table"));
    const form = /** @type {HTMLFormElement} */ (section.querySelector("[data-trial-filters]"));
    const columns = (section.dataset.columns || "").split(" ");
    const outcomes = (section.dataset.outcomes || "").split("|");
    const count = section.querySelector("[data-trial-count]");
    const pager = /** @type {HTMLElement} */ (section.querySelector("[data-trial-pager]"));
    const place = section.querySelector("[data-trial-page]");
    const heads = [...table.querySelectorAll("thead th")];
    const format = new Intl.NumberFormat("en", { maximumSignificantDigits: 6 });
    const stated = section.querySelector("[data-trial-static]");
    /** @type {number[]} */
    let rows = [];
    let first = 0;
    let key = "";

    /** @type {Record<string, DOMStringMap>} */
    const terms = {};
    for (const option of form.querySelectorAll("option[data-key]")) {
      terms[option.textContent || ""] = /** @type {HTMLOptionElement} */ (option).dataset;
    }

    /** An exception's name as a term, as the first rows of the page have it. @param {HTMLElement} code */
    function explained(code) {
      const known = terms[code.textContent || ""];
      if (!known) return code;
      const link = document.createElement("a");
      link.className = "term";
      link.href = known.href || "";
      link.dataset.term = known.key;
      link.append(code);
      return link;
    }

    /** @param {string} column @param {number} row */
    function cell(column, row) {
      const made = document.createElement(column === columns[0] ? "th" : "td");
      if (column === columns[0]) made.setAttribute("scope", "row");
      const value = sitegen.trialRows.value(data, column, row);
      if (column === "outcome") made.textContent = outcomes[value === -1 ? 2 : Number(value)] || "";
      else if (value === null) {
        made.textContent = "–";
        made.className = "dim";
      } else if (column in data.names || column === "trial") {
        const code = document.createElement("code");
        code.textContent = String(value);
        made.append(column === "exception" ? explained(code) : code);
      } else made.textContent = format.format(Number(value)).replace("-", "−");
      if (!(column in data.names) && column !== "trial" && column !== "outcome") made.classList.add("n");
      return made;
    }

    function draw() {
      const body = document.createElement("tbody");
      for (const row of rows.slice(first, first + PAGE)) {
        const line = body.insertRow();
        for (const column of columns) line.append(cell(column, row));
      }
      table.tBodies[0].replaceWith(body);
      pager.hidden = rows.length <= PAGE;
      const last = Math.min(first + PAGE, rows.length);
      if (place) place.textContent = `${format.format(rows.length ? first + 1 : 0)}–${format.format(last)}`;
      for (const button of pager.querySelectorAll("button")) {
        const next = first + Number(button.dataset.step) * PAGE;
        button.disabled = next < 0 || next >= rows.length;
      }
      const values = { found: rows.length.toLocaleString("en"), total: data.total.toLocaleString("en") };
      const words = section.dataset.found || "{found} / {total}";
      if (count) count.textContent = words.replace("{found}", values.found).replace("{total}", values.total);
    }

    /** @param {Record<string, string>} state */
    function show(state) {
      const query = /** @type {Record<string, string>} */ ({});
      for (const name of KEYS) {
        query[name] = state[`t-${name}`] || "";
        const field = form.elements.namedItem(name);
        if (field && field !== document.activeElement) /** @type {HTMLInputElement} */ (field).value = query[name];
      }
      const sort = state["t-sort"] || "";
      const now = JSON.stringify([query, sort]);
      if (now === key) return;
      key = now;
      first = 0;
      rows = sitegen.trialRows.passing(data, query);
      const column = sort.replace(/^-/, "");
      if (columns.includes(column)) rows = sitegen.trialRows.sorted(data, rows, column, sort.startsWith("-"));
      heads.forEach((head, index) => {
        if (columns[index] !== column) head.removeAttribute("aria-sort");
        else head.setAttribute("aria-sort", sort.startsWith("-") ? "descending" : "ascending");
      });
      draw();
    }

    heads.forEach((head, index) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      sitegen.popovers.lend(button);
      button.addEventListener("click", function () {
        const now = sitegen.state.get()["t-sort"];
        const column = columns[index];
        const numeric = head.classList.contains("n");
        const next = now === column ? `-${column}` : now === `-${column}` ? column : numeric ? `-${column}` : column;
        sitegen.state.set({ "t-sort": next }, true);
      });
    });
    let waiting = 0;
    function read() {
      /** @type {Record<string, string>} */
      const changes = {};
      for (const name of KEYS) {
        const field = /** @type {HTMLInputElement | null} */ (form.elements.namedItem(name));
        if (field) changes[`t-${name}`] = field.value;
      }
      sitegen.state.set(changes);
    }
    form.addEventListener("input", function () {
      window.clearTimeout(waiting);
      waiting = window.setTimeout(read, 80);
    });
    form.addEventListener("reset", () => window.setTimeout(read, 0));
    form.addEventListener("submit", (event) => event.preventDefault());
    pager.addEventListener("click", function (event) {
      const button = event.target instanceof Element ? event.target.closest("button") : null;
      if (!button) return;
      first += Number(button.dataset.step) * PAGE;
      draw();
      table.scrollIntoView({ block: "start" });
    });
    if (stated) /** @type {HTMLElement} */ (stated).hidden = true;
    sitegen.state.watch(show);
    show(sitegen.state.get());
  }

  sitegen.ready(function () {
    const section = /** @type {HTMLElement | null} */ (document.querySelector("[data-trials]"));
    if (!section) return;
    let begun = false;
    const begin = function () {
      const data = /** @type {TrialData | undefined} */ (/** @type {any} */ (sitegen.registered.trials));
      if (begun || !data) return;
      begun = true;
      start(section, data);
    };
    document.addEventListener("sitegen:registered", begin);
    begin();
  });
})();
