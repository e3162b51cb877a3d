/* The table of runs: headings that sort, rows drawn from the data a page at a time, and its CSV. */
(function () {
  "use strict";
  const own = sitegen.index;
  const PHONE = ["ema", "solved", "exceptions"];
  /** Usual columns that a narrow window shows only when the runs are sorted by them. */
  const BY = ["steps", "trials", "step", "started"];
  /** Left out of the usual columns where the window is narrow. */
  const WIDE = ["exceptions", "step"];
  /** Rows that are drawn at once; the others come after the picture, where they are out of view. */
  const AT_ONCE = 30;
  /** Least height of a row, in pixels. */
  const ROW = 44;
  /** @type {Map<number, HTMLTableRowElement>} */
  let drawn = new Map();
  let signature = "";
  let offered = "";
  let turn = 0;
  /** Headings of groups by their text. @type {Map<string, HTMLTableRowElement>} */
  const groupRows = new Map();
  /** @type {HTMLTableCellElement[]} */
  let heads = [];

  /** @param {Cell} value */
  const absent = (value) => (value === null ? own.make("span", "abs", "–") : null);

  /** @param {number} run */
  function about(run) {
    const { framework, model, data, algorithm } = own.runs.facets;
    const parts = [framework, model, data, algorithm].flatMap((facet) => {
      const names = facet[own.lang] || facet.names;
      return facet.at[run].map((code) => names[code]);
    });
    return parts.join(" · ");
  }

  /** Tags that every run has: they tell nothing apart. @type {Set<number> | null} */
  let common = null;

  /** Tags that tell the run from others. @param {number} run */
  function tags(run) {
    const { names, at } = own.runs.facets.tag;
    const shared = (common =
      common || new Set(at.length > 1 ? at[0].filter((code) => at.every((codes) => codes.includes(code))) : []));
    return at[run].filter((code) => !shared.has(code)).map((code) => names[code]);
  }

  /** @param {number} run */
  function nameCell(run) {
    const cell = own.make("th");
    cell.scope = "row";
    const link = own.make("a", "name");
    link.href = own.runLink(run);
    if (own.english(own.runs.titles[run])) link.lang = "en";
    link.append(own.wrapped(own.runs.titles[run]));
    cell.append(link);
    const words = about(run);
    if (words) {
      const line = own.make("span", "desc", words);
      line.title = words;
      cell.append(line);
    }
    for (const tag of tags(run).slice(0, 4)) cell.append(own.make("span", "badge", tag), " ");
    return cell;
  }

  /** @param {HTMLElement} cell @param {number} run */
  function statusCell(cell, run) {
    cell.className = "status-cell";
    cell.append(own.mark(own.status(run).id));
    const guess = own.runs.numbers.guessed[run];
    if (guess) cell.append(own.make("small", "", own.say(`guess-${own.runs.guesses[guess - 1]}`)));
  }

  /** @param {HTMLElement} cell @param {number} run */
  function stepsCell(cell, run) {
    const { planned, jobs, steps } = own.runs.numbers;
    const { fixed } = sitegen.numbers;
    cell.className = "n steps-cell";
    cell.append(fixed(steps[run], 0));
    const words = jobs[run] === 1 ? own.say("one-job") : own.say("jobs", { n: String(jobs[run]) });
    const plan = planned[run] === null ? "" : `${own.say("of-planned", { planned: fixed(planned[run], 0) })} · `;
    cell.append(own.make("small", "", plan + words));
  }

  /** @param {HTMLElement} cell @param {number} run */
  function sparkCell(cell, run) {
    cell.className = "spark-cell";
    const drawing = own.spark(run, 132, 30);
    const words = own.runs.numbers.steps[run] ? "no-curve" : "no-step";
    cell.append(drawing || own.make("span", "quiet", own.say(words)));
  }

  /** @param {HTMLElement} cell @param {number} run */
  function problemCell(cell, run) {
    const { problems, severity } = own.runs.numbers;
    cell.className = "n problem-cell";
    const worst = ["", "info", "warning", "error"][severity[run] || 0];
    if (!worst) return void cell.append(own.make("span", "abs", "–"));
    const link = own.make("a");
    link.href = `${sitegen.pageLink(`runs/${own.runs.slugs[run]}/sources.html`)}#problems`;
    const n = sitegen.numbers.fixed(problems[run], 0);
    link.setAttribute("aria-label", own.say("problem-count", { n, severity: own.say(worst) }));
    const mark = own.mark(worst);
    const words = mark.querySelector("span");
    if (words) words.textContent = n;
    link.append(mark);
    cell.append(link);
  }

  /** @param {HTMLElement} cell @param {number} run @param {RunColumn} column */
  function valueCell(cell, run, column) {
    const value = column.cells[run];
    if (column.numeric) cell.className = column.kind === "date" ? "n when" : "n";
    if (column.kind === "bar") cell.classList.add("bar-cell");
    const none = absent(value);
    if (none) return void cell.append(none);
    if (column.kind === "date") {
      const time = own.make("time", "", own.shown(run, column));
      time.dateTime = sitegen.numbers.iso(Number(value));
      return void cell.append(time);
    }
    const text = own.shown(run, column);
    cell.append(column.kind === "setting" ? own.make("code", "", text) : text);
    if ((own.runs.told[column.id] || []).includes(run)) {
      const told = own.make("span", "told", "‡");
      told.title = own.say("from-report");
      cell.append(told);
    }
    noteStep(cell, run, column);
    if (column.id === "solved") noteUngraded(cell, run);
    if (column.kind === "bar") cell.append(bar(Number(value)));
  }

  /** @param {HTMLElement} cell @param {number} run @param {RunColumn} column */
  function noteStep(cell, run, column) {
    const step = column.steps ? column.steps[run] : null;
    if (step === null) return;
    const k = column.kind === "pass" ? own.runs.numbers.pass_k[run] : null;
    const words = k === null ? own.say("at-step", { step: sitegen.numbers.fixed(step, 0) }) : "";
    const both = k === null ? "" : own.say("at-k-step", { k: String(k), step: sitegen.numbers.fixed(step, 0) });
    cell.append(own.make("small", "", words || both));
  }

  /** Of which trials the share is, and of how many all in all, where most have no grade and the rate flatters.
      @param {HTMLElement} cell @param {number} run */
  function noteUngraded(cell, run) {
    const { trials, graded, solved } = own.runs.numbers;
    const [all, known, share] = [trials[run], graded[run], solved[run]];
    if (all === null || known === null || share === null || 2 * known >= all) return;
    const { fixed } = sitegen.numbers;
    const note = own.make("small", "", own.say("solved-of-graded", { part: fixed(Math.round(share * known), 0), graded: fixed(known, 0), whole: fixed(all, 0) }));
    note.title = own.say("most-ungraded", { graded: fixed(known, 0) });
    cell.append(note);
  }

  /** @param {number} share */
  function bar(share) {
    const svg = own.drawn("svg", { class: "cellbar", height: 3, "aria-hidden": "true" });
    const width = `${Math.min(Math.max(share, 0), 1) * 100}%`;
    svg.append(
      own.drawn("rect", { class: "track", width: "100%", height: 3, rx: 1.5 }),
      own.drawn("rect", { class: "bar", width, height: 3, rx: 1.5 }),
    );
    return svg;
  }

  /** @param {number} run @param {RunColumn} column */
  function cellOf(run, column) {
    if (column.kind === "name") return nameCell(run);
    const cell = own.make("td");
    if (column.kind === "status") statusCell(cell, run);
    else if (column.kind === "steps") stepsCell(cell, run);
    else if (column.kind === "spark") sparkCell(cell, run);
    else if (column.kind === "problems") problemCell(cell, run);
    else valueCell(cell, run, column);
    return cell;
  }

  /** A row of the columns there are; on phones the usual figures and the chosen ones carry their name.
      @param {number} run @param {RunColumn[]} columns @param {Set<string>} usual */
  function rowOf(run, columns, usual) {
    const row = own.make("tr", own.runs.numbers.steps[run] ? "" : "none");
    row.dataset.row = String(run);
    const tick = own.make("td", "js tick");
    tick.append(sitegen.index.tick(run));
    row.append(tick);
    for (const column of columns) {
      const cell = cellOf(run, column);
      const place = PHONE.indexOf(column.id);
      if (place >= 0) cell.classList.add("m", `m${place + 1}`);
      else if (!usual.has(column.id)) cell.classList.add("x");
      if (WIDE.includes(column.id)) cell.classList.add("opt-col");
      if (BY.includes(column.id)) cell.classList.add(`c-${column.id}`);
      if (place >= 0 || !usual.has(column.id) || BY.includes(column.id) || column.kind === "problems") {
        const label = own.make("span", "ph");
        label.append(own.wrapped(column.id === "ema" ? "EMA" : column.label));
        cell.prepend(label);
      }
      row.append(cell);
    }
    return row;
  }

  /** Explanations of headings by column, as the page has them before the first table is drawn.
      @type {Record<string, {term: string, href: string}> | null} */
  let lent = null;

  function explained() {
    if (lent) return lent;
    lent = {};
    for (const term of document.querySelectorAll("th[data-key] a[data-term]")) {
      const link = /** @type {HTMLAnchorElement} */ (term);
      const head = /** @type {HTMLElement} */ (link.closest("th"));
      lent[head.dataset.key || ""] = { term: link.dataset.term || "", href: link.href };
    }
    return lent;
  }

  /** @param {RunColumn} column */
  function headOf(column) {
    const head = own.make("th");
    head.scope = "col";
    head.dataset.key = column.id;
    if (column.kind === "spark") head.className = "spark-head";
    else if (column.numeric) head.className = "n";
    const button = own.make("button");
    button.type = "button";
    button.append(own.wrapped(column.label));
    if (column.title !== column.label) button.title = column.title;
    const known = explained()[column.id] || (column.term && { term: column.term, href: entryLink(column.term) });
    if (known) {
      button.dataset.term = known.term;
      button.dataset.href = known.href;
      button.classList.add("lent");
    }
    button.addEventListener("click", function () {
      const now = head.getAttribute("aria-sort");
      const descending = now ? now === "ascending" : column.first === "descending";
      sitegen.state.set({ sort: (descending ? "-" : "") + column.id, page: "" }, true);
    });
    head.append(button);
    return head;
  }

  /** The page of what an explanation is of. @param {string} term */
  const entryLink = (term) => sitegen.pageLink(`glossary/${term.split(" ")[0]}.html`);

  /** @param {string} text @param {string | undefined} term @param {number} columns */
  function groupRow(text, term, columns) {
    const known = groupRows.get(text);
    if (known && known.cells[0].colSpan === columns + 1) return known;
    const row = own.make("tr", "group-row");
    groupRows.set(text, row);
    const cell = row.insertCell();
    cell.colSpan = columns + 1;
    if (!term) cell.textContent = text;
    else {
      const link = own.make("a", "term", text);
      link.dataset.term = term;
      link.href = entryLink(term);
      cell.append(link);
    }
    return row;
  }

  /** Places of a column's texts in their order, so that they are compared as people read them only once.
      @type {WeakMap<RunColumn, Map<Cell, number>>} */
  const places = new WeakMap();

  /** What runs are put in order by. @param {RunColumn} column @param {number[]} rows */
  function sortable(column, rows) {
    if (column.numeric) return rows.map((run) => column.cells[run]);
    let found = places.get(column);
    if (!found) {
      const texts = [...new Set(column.cells)].filter((cell) => cell !== null);
      found = new Map(sitegen.table.order(texts, false).map((at, place) => [texts[at], place]));
      places.set(column, found);
    }
    const known = found;
    return rows.map((run) => known.get(column.cells[run]) ?? null);
  }

  /** The rows in order, ranked within each meaning where the column has several.
      @param {IndexView} view */
  own.ranked = function (view) {
    const { rows, sort, descending } = view;
    if (!sort) return rows;
    const cells = sortable(sort, rows);
    const groups = sort.groups ? rows.map((run) => (sort.groups || [])[run]) : undefined;
    return sitegen.table.order(cells, descending, groups).map((index) => rows[index]);
  };

  /** The part of the rows on the page shown. @param {IndexView} view */
  own.onPage = function (view) {
    const pages = Math.max(1, Math.ceil(view.rows.length / own.config.rows));
    const page = Math.min(Math.max(1, Number(view.state.page) || 1), pages);
    const first = (page - 1) * own.config.rows;
    return { page, pages, first, rows: view.rows.slice(first, first + own.config.rows) };
  };

  /** @param {IndexView} view */
  function draw(view) {
    const table = document.querySelector("table.runs");
    const place = document.getElementById("runs");
    if (!(table instanceof HTMLTableElement) || !place) return;
    const far = table.getBoundingClientRect().top + AT_ONCE * ROW > window.innerHeight; // before anything changes
    place.hidden = view.state.view === "wall";
    if (place.hidden) {
      turn += 1;
      return void table.tBodies[0].replaceChildren(); // shown again, those in view come first
    }
    const now = view.columns.map((column) => column.id).join("\n");
    if ([...view.columns, view.sort].some((column) => column && column.term)) own.explain();
    table.classList.toggle("own-columns", Boolean(view.state.cols));
    table.dataset.by = view.sort ? view.sort.id : "";
    const tick = table.tHead && table.tHead.rows[0].cells[0];
    if (table.tHead && tick && (now !== signature || !heads.length)) {
      heads = view.columns.map((column) => headOf(column));
      table.tHead.rows[0].replaceChildren(tick, ...heads);
    }
    if (signature === "" && !view.state.cols) adopt(table);
    else if (now !== signature) drawn = new Map();
    signature = now;
    for (const head of heads) {
      const sorted = view.sort !== null && view.sort.id === head.dataset.key;
      if (sorted) head.setAttribute("aria-sort", view.descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
    put(table, view, far);
    const none = document.querySelector("[data-none]");
    if (none instanceof HTMLElement) none.hidden = view.rows.length > 0;
  }

  /** Takes the rows that the page came with: they have the usual columns. @param {HTMLTableElement} table */
  function adopt(table) {
    for (const row of table.tBodies[0].rows) {
      const run = Number(row.dataset.row);
      const tick = row.querySelector("td.tick");
      if (tick) tick.append(own.tick(run));
      drawn.set(run, row);
    }
  }

  /** Puts the rows in place. Where the first ones fill the window, the others come after the picture.
      @param {HTMLTableElement} table @param {IndexView} view @param {boolean} far whether they do */
  function put(table, view, far) {
    const body = table.tBodies[0];
    const { rows } = own.onPage(view);
    const mine = ++turn;
    const some = far && rows.length > AT_ONCE;
    const there = some && rows.every((run) => drawn.get(run)?.parentNode === body);
    const lines = linesOf(view, some && !there ? rows.slice(0, AT_ONCE) : rows);
    const whole = !some || there;
    if (whole && lines.length === body.rows.length && lines.every((line, at) => line === body.rows[at])) return;
    body.replaceChildren(...(there ? lines.slice(0, AT_ONCE) : lines));
    table.removeAttribute("aria-busy");
    if (!some) return;
    table.setAttribute("aria-busy", "true");
    const more = () => {
      if (mine !== turn) return;
      body.append(...linesOf(view, rows).slice(body.rows.length));
      table.removeAttribute("aria-busy");
    };
    window.requestAnimationFrame(() => window.requestAnimationFrame(more));
  }

  /** Rows of runs, and the headings of their groups. @param {IndexView} view @param {number[]} runs */
  function linesOf(view, runs) {
    /** @type {HTMLTableRowElement[]} */
    const lines = [];
    const groups = view.sort ? view.sort.groups : null;
    const usual = new Set(own.config.columns.filter((column) => column.shown).map((column) => column.id));
    let last = -1;
    for (const run of runs) {
      if (groups && view.sort && groups[run] !== last) {
        last = groups[run];
        lines.push(groupRow(view.sort.groupNames[last] || "", view.sort.groupTerms[last], view.columns.length));
      }
      const row = drawn.get(run) || rowOf(run, view.columns, usual);
      drawn.set(run, row);
      own.colour(row, run, "sel");
      lines.push(row);
    }
    return lines;
  }

  /** @param {IndexView} view */
  function drawPager(view) {
    const pager = document.querySelector("[data-pager]");
    if (!(pager instanceof HTMLElement)) return;
    const { page, pages, first, rows } = own.onPage(view);
    pager.hidden = pages < 2;
    if (pager.hidden) return;
    /** @param {string} word @param {number} to */
    const button = (word, to) => {
      const node = own.make("button", "btn", own.say(word));
      node.type = "button";
      node.disabled = to < 1 || to > pages;
      node.addEventListener("click", function () {
        sitegen.state.set({ page: to > 1 ? String(to) : "" }, true);
        const top = document.getElementById("tools");
        if (top) top.scrollIntoView({ block: "start" });
      });
      return node;
    };
    const { fixed } = sitegen.numbers;
    const place = { first: fixed(first + 1, 0), last: fixed(first + rows.length, 0), all: fixed(view.rows.length, 0) };
    pager.replaceChildren(
      button("previous", page - 1),
      own.make("span", "quiet", own.say("page", place)),
      button("next", page + 1),
    );
  }

  /** What is sorted by, for narrow windows, where the table has no headings. @param {IndexView} view */
  function drawSort(view) {
    const select = document.querySelector("[data-sort-select]");
    if (!(select instanceof HTMLSelectElement)) return;
    const sorted = view.sort && !view.columns.includes(view.sort) ? [view.sort] : [];
    const columns = [...view.columns, ...sorted];
    const ids = columns.map((column) => column.id).join("\n");
    const chosen = view.sort ? (view.descending ? "-" : "") + view.sort.id : "";
    if (ids === offered) return void (select.value = chosen);
    offered = ids;
    const options = columns.flatMap((column) =>
      ["descending", "ascending"].map((order) => {
        const option = own.make("option", "", own.say(order, { name: column.label }));
        option.value = (order === "descending" ? "-" : "") + column.id;
        return option;
      }),
    );
    select.replaceChildren(...options);
    select.value = chosen;
    select.onchange = () => sitegen.state.set({ sort: select.value, page: "" }, true);
  }

  /** The rows that pass, with the columns shown, in full precision. @param {IndexView} view */
  own.csv = function (view) {
    const columns = view.columns.filter((column) => column.kind !== "name");
    const heads = columns.flatMap((column) => (column.steps ? [column.label, own.say("at-step", { step: "" }).trim()] : [column.label]));
    const lines = view.rows.map((run) => [
      own.runs.titles[run],
      own.runs.slugs[run],
      ...columns.flatMap((column) => csvCells(run, column)),
    ]);
    const run = own.config.columns[0].label;
    return sitegen.runRows.csv([[run, "slug", ...heads], ...lines]);
  };

  /** @param {number} run @param {RunColumn} column @returns {Cell[]} */
  function csvCells(run, column) {
    const value = column.cells[run];
    if (column.kind === "date") return [typeof value === "number" ? sitegen.numbers.iso(value) : null];
    const cell = typeof value === "number" ? Number((value * column.scale).toPrecision(12)) : value;
    return column.steps ? [cell, column.steps[run]] : [cell];
  }

  /** Hands a text to the reader as a file. @param {string} text @param {string} name @param {string} [type] CSV unless given */
  own.save = function (text, name, type) {
    const link = own.make("a");
    const parts = type ? [text] : ["\ufeff", text];
    link.href = URL.createObjectURL(new Blob(parts, { type: type || "text/csv;charset=utf-8" }));
    link.download = name;
    link.click();
    window.setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };

  const save = document.querySelector("[data-csv]");
  if (save) save.addEventListener("click", () => own.save(own.csv(own.view), "runs.csv"));
  own.parts.push(draw, drawPager, drawSort);
})();
