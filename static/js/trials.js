/* The tables of all trials and of all tasks: pages, sorting and filters over the columns that the data script
   registers; the state is in the address (`t-…` trials, `k-…` tasks). The first rows are in the page already; nothing
   here runs before the data are there. */
(function () {
  "use strict";
  const PAGE = 200;
  /** Name of a filter's field, and the column that a range is over. */
  const KEYS = ["find", "outcome", "exception", "from", "to", "tok-from", "tok-to", "s-from", "s-to"];
  /** @type {Array<[string, string, string]>} */
  const RANGES = [
    ["turns", "from", "to"],
    ["output_tokens", "tok-from", "tok-to"],
    ["wall_s", "s-from", "s-to"],
  ];

  sitegen.registered = sitegen.registered || {};
  sitegen.register =
    sitegen.register ||
    function (key, payload) {
      sitegen.registered[key] = Object.assign(sitegen.registered[key] || {}, payload);
      document.dispatchEvent(new CustomEvent("sitegen:registered", { detail: key }));
    };

  /** @param {number} value */
  function count(value) {
    return sitegen.numbers.fixed(value, 0);
  }

  sitegen.trialParts = {
    PAGE,

    pages({ section, prefix, cell }) {
      const table = /** @type {HTMLTableElement} */ (section.querySelector("table"));
      const pager = /** @type {HTMLElement} */ (section.querySelector("[data-trial-pager]"));
      const shown = section.querySelector("[data-trial-page]");
      const columns = (section.dataset.columns || "").split(" ");
      const heads = [...table.querySelectorAll("thead th")];
      /** On a phone a row is stacked, and each cell says what it is. */
      const labels = table.classList.contains("stack-s") ? heads.map((head) => (head.textContent || "").trim()) : [];
      /** @type {number[]} */
      let rows = [];
      let first = 0;

      /** The rows in the page are the first ones in table order: nothing to draw while nothing is asked for. */
      let untouched = true;

      function body() {
        const made = document.createElement("tbody");
        for (const row of rows.slice(first, first + PAGE)) {
          const line = made.insertRow();
          columns.forEach(function (column, at) {
            const box = cell(column, row);
            if (at && labels[at]) box.dataset.l = labels[at];
            line.append(box);
          });
        }
        table.tBodies[0].replaceWith(made);
      }

      function place() {
        pager.hidden = rows.length <= PAGE;
        const last = Math.min(first + PAGE, rows.length);
        if (shown) shown.textContent = `${count(rows.length ? first + 1 : 0)}–${count(last)}`;
        for (const button of pager.querySelectorAll("button")) {
          const next = first + Number(button.dataset.step) * PAGE;
          button.disabled = next < 0 || next >= rows.length;
        }
      }

      /** @param {number} by */
      function step(by) {
        const next = first + by * PAGE;
        if (next < 0 || next >= rows.length) return;
        sitegen.state.set({ [`${prefix}-page`]: next ? String(next / PAGE + 1) : "" });
        section.scrollIntoView({ block: "start" });
      }

      heads.forEach((head, index) => {
        const button = document.createElement("button");
        button.type = "button";
        button.append(...head.childNodes);
        head.append(button);
        sitegen.popovers.lend(button);
        button.addEventListener("click", function () {
          const now = sitegen.state.get()[`${prefix}-sort`];
          const column = columns[index];
          const falling = head.classList.contains("n");
          const next = now === column ? `-${column}` : now === `-${column}` || !falling ? column : `-${column}`;
          sitegen.state.set({ [`${prefix}-sort`]: next, [`${prefix}-page`]: "" }, true);
        });
      });
      pager.addEventListener("click", function (event) {
        const button = event.target instanceof Element ? event.target.closest("button") : null;
        if (button) step(Number(button.dataset.step));
      });

      return {
        columns,
        step,
        draw(found, state) {
          rows = found;
          const wanted = (Math.max(1, Math.floor(Number(state[`${prefix}-page`])) || 1) - 1) * PAGE;
          first = wanted < rows.length ? wanted : 0;
          const sort = state[`${prefix}-sort`] || "";
          heads.forEach((head, index) => {
            if (columns[index] !== sort.replace(/^-/, "")) head.removeAttribute("aria-sort");
            else head.setAttribute("aria-sort", sort.startsWith("-") ? "descending" : "ascending");
          });
          untouched = untouched && !Object.keys(state).some((name) => name.startsWith(`${prefix}-`));
          if (!untouched) body();
          place();
        },
      };
    },

    save(rows, name) {
      const link = document.createElement("a");
      const text = sitegen.runRows.csv(rows);
      link.href = URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv;charset=utf-8" }));
      link.download = name;
      link.click();
      window.setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    },
  };

  /** The head or a cell of a row. @param {boolean} leads */
  function made(leads) {
    const cell = /** @type {HTMLTableCellElement} */ (document.createElement(leads ? "th" : "td"));
    if (leads) cell.setAttribute("scope", "row");
    return cell;
  }

  /** As the page writes it. @param {HTMLTableCellElement} cell @param {Cell} value @param {number} [digits] */
  function plain(cell, value, digits) {
    if (value === null) cell.className = "dim";
    cell.textContent = value === null || typeof value === "number" ? sitegen.numbers.number(value, digits) : value;
    return cell;
  }

  /** @param {string} text @param {string} [href] */
  function code(text, href) {
    const name = document.createElement("code");
    name.textContent = text;
    if (!href) return name;
    const link = document.createElement("a");
    link.href = href;
    link.append(name);
    return link;
  }

  /** Writes the filters' values into their fields, the one being typed in aside.
      @param {HTMLFormElement} form @param {string} name @param {string} value */
  function fill(form, name, value) {
    const field = /** @type {HTMLInputElement | null} */ (form.elements.namedItem(name));
    if (field && (field !== document.activeElement || field.tagName === "SELECT")) field.value = value;
  }

  /** Keeps what the form says in the address. @param {HTMLFormElement} form @param {string} prefix @param {string[]} keys
      @param {string[]} others  Keys that clearing empties too. */
  function wire(form, prefix, keys, others) {
    let waiting = 0;
    /** @param {boolean} push */
    function read(push) {
      /** @type {Record<string, string>} */
      const changes = { [`${prefix}-page`]: "" };
      for (const name of keys) {
        const field = /** @type {HTMLInputElement | null} */ (form.elements.namedItem(name));
        if (field) changes[`${prefix}-${name}`] = field.value;
      }
      sitegen.state.set(changes, push);
    }
    form.addEventListener("input", function (event) {
      window.clearTimeout(waiting);
      if (event.target instanceof HTMLSelectElement) read(true);
      else waiting = window.setTimeout(() => read(false), 10);
    });
    form.addEventListener("reset", function () {
      window.setTimeout(function () {
        sitegen.state.set(Object.fromEntries(others.map((name) => [`${prefix}-${name}`, ""])), true);
        read(false);
      }, 0);
    });
    form.addEventListener("submit", (event) => event.preventDefault());
  }

  /** Writes behind each choice how many rows it would leave.
      @param {HTMLSelectElement | null} select @param {(value: string) => number | undefined} left */
  function tell(select, left) {
    for (const option of select ? select.options : []) {
      const label = option.dataset.label || (option.dataset.label = option.textContent || "");
      const number = option.value === "" ? undefined : left(option.value);
      option.textContent = number === undefined ? label : `${label} (${count(number)})`;
    }
  }

  /** @param {HTMLElement} section @param {number} found @param {number} total */
  function say(section, found, total) {
    const place = section.querySelector("[data-trial-count]");
    const words = section.dataset.found || "{found} / {total}";
    if (place) {
      place.textContent = words
        .replace("{found}", count(found))
        .replace("{total}", count(total));
    }
    const stated = /** @type {HTMLElement | null} */ (section.querySelector("[data-trial-static]"));
    if (stated) stated.hidden = true;
    const none = /** @type {HTMLElement | null} */ (section.querySelector("[data-trial-none]"));
    if (none) none.hidden = found > 0;
  }

  /** @param {HTMLElement} section @param {TrialData} data */
  function trials(section, data) {
    const form = /** @type {HTMLFormElement} */ (section.querySelector("[data-trial-filters]"));
    const outcomes = (section.dataset.outcomes || "").split("|");
    const index = sitegen.trialRows.index(data);
    const names = data.names.exception || [];
    const chip = /** @type {HTMLElement | null} */ (section.querySelector("[data-trial-task]"));
    const list = /** @type {HTMLSelectElement | null} */ (form.elements.namedItem("exception"));
    const choice = /** @type {HTMLSelectElement | null} */ (form.elements.namedItem("outcome"));
    /** @type {number[]} */
    let rows = [];
    let key = "";

    /** @type {Record<string, DOMStringMap>} */
    const terms = {};
    for (const option of form.querySelectorAll("option[data-key]")) {
      terms[option.textContent || ""] = /** @type {HTMLOptionElement} */ (option).dataset;
    }

    /** An exception's name as a term, as the first rows of the page have it. @param {string} name */
    function explained(name) {
      const known = terms[name];
      if (!known) return code(name);
      const link = /** @type {HTMLAnchorElement} */ (code(name, known.href || ""));
      link.className = "term";
      link.dataset.term = known.key;
      return link;
    }

    /** @param {string} column @param {number} row */
    function cell(column, row) {
      const box = made(column === table.columns[0]);
      const value = sitegen.trialRows.value(data, column, row);
      if (column === "outcome") box.textContent = outcomes[value === -1 ? 2 : Number(value)] || "";
      else if (value === null) plain(box, value);
      else if (column === "exception") box.append(explained(String(value)));
      else if (column === "trial") box.append(code(String(value), (data.pages || {})[row]));
      else if (column === "task") box.append(code(String(value)));
      else plain(box, Number(value));
      if (!(column in data.names) && column !== "trial" && column !== "outcome") box.classList.add("n");
      return box;
    }

    const table = sitegen.trialParts.pages({ section, prefix: "t", cell });

    /** @param {Record<string, string>} state */
    function show(state) {
      const own = Object.entries(state).filter(([name]) => name.startsWith("t-"));
      const now = JSON.stringify(own.sort());
      if (now === key) return;
      key = now;
      for (const name of KEYS) fill(form, name, state[`t-${name}`] || "");
      const found = sitegen.trialRows.passing(index, {
        find: state["t-find"],
        task: state["t-task"],
        outcome: state["t-outcome"],
        exception: state["t-exception"],
        ranges: RANGES.map(([column, low, high]) => [column, state[`t-${low}`] || "", state[`t-${high}`] || ""]),
        sort: state["t-sort"],
      });
      rows = found.rows;
      table.draw(rows, state);
      tell(choice, (value) => found.counts.outcome[value]);
      tell(list, (value) =>
        value[0] === "=" ? found.counts.names[names.indexOf(value.slice(1))] : found.counts.exception[value],
      );
      say(section, rows.length, data.total);
      const ranges = /** @type {HTMLDetailsElement | null} */ (section.querySelector("[data-trial-ranges]"));
      const bounds = RANGES.flatMap(([, low, high]) => [low, high]);
      if (ranges && bounds.some((name) => state[`t-${name}`])) ranges.open = true;
      if (chip) {
        chip.hidden = !state["t-task"];
        const name = chip.querySelector("code");
        if (name) name.textContent = state["t-task"] || "";
      }
    }

    wire(form, "t", KEYS, ["task"]);
    if (chip) chip.querySelector("button")?.addEventListener("click", () => sitegen.state.set({ "t-task": "" }, true));
    section.querySelector("[data-trial-csv]")?.addEventListener("click", function () {
      const shown = rows.map((row) =>
        table.columns.map((column) => {
          const value = sitegen.trialRows.value(data, column, row);
          return column === "outcome" ? outcomes[value === -1 ? 2 : Number(value)] : value;
        }),
      );
      sitegen.trialParts.save([table.columns, ...shown], "trials-shown.csv");
    });
    sitegen.keys.add({ n: () => table.step(1), p: () => table.step(-1) });
    if (window.requestIdleCallback) window.requestIdleCallback(() => sitegen.trialRows.warm(index), { timeout: 2000 });
    sitegen.state.watch(show);
    show(sitegen.state.get());
  }

  /** @param {HTMLElement} section @param {TrialData} data */
  function tasks(section, data) {
    const form = /** @type {HTMLFormElement} */ (section.querySelector("[data-trial-filters]"));
    const kinds = (section.dataset.kinds || "").split("|");
    const index = sitegen.trialRows.index(data);
    const choice = /** @type {HTMLSelectElement | null} */ (form.elements.namedItem("kind"));
    const shares = ["rate", "early", "late", "change"];
    let key = "";
    /** @type {number[]} */
    let rows = [];

    /** @param {string} column @param {number} row */
    function cell(column, row) {
      const box = made(column === "task");
      const value = sitegen.trialRows.value(data, column, row);
      if (column === "task") {
        box.append(code(String(value), sitegen.hash.write({ "t-task": String(value) })));
        return box;
      }
      if (column === "outcome") {
        box.textContent = kinds[Number(value) + 1] || "";
        return box;
      }
      if (column === "exceptions" && value) {
        const task = String(sitegen.trialRows.value(data, "task", row));
        const link = document.createElement("a");
        link.href = sitegen.hash.write({ "t-task": task, "t-exception": "any" });
        link.textContent = count(Number(value));
        box.append(link);
      } else if (shares.includes(column) && typeof value === "number") {
        const share = sitegen.numbers.fixed(100 * Math.abs(value), 1);
        const sign = column !== "change" || share === "0.0" ? "" : value < 0 ? "−" : "+";
        box.textContent = `${sign}${share}${section.dataset.percent || "%"}`;
      } else plain(box, value, column === "turns" ? 3 : 4);
      box.classList.add("n");
      return box;
    }

    const table = sitegen.trialParts.pages({ section, prefix: "k", cell });

    /** @param {Record<string, string>} state */
    function show(state) {
      const own = Object.entries(state).filter(([name]) => name.startsWith("k-"));
      const now = JSON.stringify(own.sort());
      if (now === key) return;
      key = now;
      for (const name of ["find", "kind"]) fill(form, name, state[`k-${name}`] || "");
      const found = sitegen.trialRows.passing(index, {
        find: state["k-find"],
        outcome: state["k-kind"],
        sort: state["k-sort"],
      });
      rows = found.rows;
      table.draw(rows, state);
      tell(choice, (value) => found.counts.outcome[value]);
      say(section, rows.length, data.total);
    }

    wire(form, "k", ["find", "kind"], []);
    section.querySelector("[data-trial-csv]")?.addEventListener("click", function () {
      const shown = rows.map((row) =>
        table.columns.map((column) => {
          const value = sitegen.trialRows.value(data, column, row);
          return column === "outcome" ? kinds[Number(value) + 1] : value;
        }),
      );
      sitegen.trialParts.save([table.columns, ...shown], "tasks-shown.csv");
    });
    sitegen.state.watch(show);
    show(sitegen.state.get());
  }

  sitegen.ready(function () {
    const section = /** @type {HTMLElement | null} */ (document.querySelector("[data-trials]"));
    const overview = /** @type {HTMLElement | null} */ (document.querySelector("[data-tasks]"));
    if (!section) return;
    const heading = section.querySelector("h2");
    let begun = false;
    const begin = function () {
      const data = /** @type {TrialsPayload | undefined} */ (/** @type {any} */ (sitegen.registered.trials));
      if (begun || !data) return;
      begun = true;
      trials(section, data);
      if (overview && data.tasks) tasks(overview, data.tasks);
    };
    document.addEventListener("sitegen:registered", begin);
    begin();
    // a link into the table filters it and goes there: its address names no element
    document.addEventListener("click", function (event) {
      const link = event.target instanceof Element ? event.target.closest("a[href^='#t-']") : null;
      if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      /** @type {Record<string, string>} */
      const cleared = Object.fromEntries([...KEYS, "task", "sort", "page"].map((name) => [`t-${name}`, ""]));
      sitegen.state.set(Object.assign(cleared, sitegen.hash.read(link.hash)), true);
      section.scrollIntoView({ block: "start" });
      if (heading) {
        heading.tabIndex = -1;
        heading.focus({ preventScroll: true });
      }
    });
    if (/[#&]t-/.test(window.location.hash)) section.scrollIntoView({ block: "start" });
  });
})();
