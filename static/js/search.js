/* Search in the browser: the dialog that `/` opens on every page, and the page `search.html` with all results.
   The index is a script that is loaded when first needed. */
sitegen.ready(function () {
  "use strict";
  const IN_DIALOG = 5;
  const ON_PAGE = 20;
  const MORE = 100;
  const RUNS_SHOWN = 12;
  const lang = document.documentElement.dataset.lang === "zh" ? "zh" : "en";
  const own = lang === "zh" ? 1 : 0;

  /** @type {SearchIndex | null} */
  let index = null;
  let asked = false;
  let failed = false;
  /** @type {Array<() => void>} */
  const waiting = [];

  /** Calls back once the index is there, or is known not to come. @param {() => void} then */
  function load(then) {
    if (index || failed) return then();
    waiting.push(then);
    if (asked) return;
    asked = true;
    const script = document.createElement("script");
    const root = (document.documentElement.dataset.root || ".").replace(/\/$/, "");
    script.src = `${root}/search-index.js`;
    const done = () => {
      index = sitegen.search.prepare(sitegen.searchIndex);
      failed = index === null;
      sitegen.searchIndex = undefined;
      for (const each of waiting.splice(0)) each();
    };
    script.addEventListener("load", done);
    script.addEventListener("error", done);
    document.head.append(script);
  }

  /** @template {keyof HTMLElementTagNameMap} T
      @param {T} tag @param {string} [css] @param {string | Node[]} [content] */
  function make(tag, css, content) {
    const node = document.createElement(tag);
    if (css) node.className = css;
    if (content) node.append(...(typeof content === "string" ? [content] : content));
    return node;
  }

  /** @param {string} text @param {string} query @returns {Node[]} */
  function marked(text, query) {
    return sitegen.search
      .marked(text, query)
      .map((part) => (part.hit ? make("mark", "", part.text) : document.createTextNode(part.text)));
  }

  /** @param {number} n */
  function runs(n) {
    return n === 1 ? sitegen.text("search.one-run") : sitegen.text("search.runs", { n: n });
  }

  /** @param {number} n */
  function results(n) {
    return n === 1 ? sitegen.text("search.one") : sitegen.text("search.found", { n: n });
  }

  /** @param {number} day */
  function date(day) {
    if (!day) return "";
    const moment = new Date(day * 86400000);
    if (lang === "zh") return moment.toISOString().slice(0, 10);
    return moment.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
  }

  /** What stands at the side of a result: its framework or group, its runs, its day. @param {SearchItem} item */
  function aside(item) {
    const count = index && item.set >= 0 ? runs(sitegen.search.count(index, item.set)) : "";
    return [item.side[own], count, item.kind === "run" ? date(item.day) : ""].filter(Boolean).join(" · ");
  }

  /** The words of a result: its name, what it is, what stands at its side. @param {SearchItem} item @param {string} query */
  function described(item, query) {
    const named = item.name !== "";
    const name = make(named ? "code" : "b", "name", marked(named ? item.name : item.titles[own], query));
    if (named || item.kind === "run") name.lang = "en";
    const title = named && item.kind !== "value" ? item.titles[own] : "";
    const note = make("span", "note");
    if (title && title !== item.name) note.append(make("b", "", marked(title, query)), " ");
    note.append(...marked(item.notes[own], query));
    return [name, make("span", "aside", aside(item)), note];
  }

  /** @param {SearchItem} item */
  function address(item) {
    return sitegen.pageLink(item.page);
  }

  /** @param {SearchKind} kind */
  const title = (kind) => sitegen.text(`search.kind-${kind}`);

  /** What there is to say about the results. @param {SearchGroup[]} groups @param {string} query */
  function said(groups, query) {
    if (failed) return sitegen.text("search.failed");
    if (!index) return sitegen.text("search.loading");
    if (sitegen.search.words(query).length === 0) return "";
    const total = groups.reduce((sum, group) => sum + group.items.length, 0);
    return total ? results(total) : sitegen.text("search.none", { query: query.trim() });
  }

  /** Names of settings in backticks as code. @param {string} text @returns {Node[]} */
  function prose(text) {
    return text
      .split("`")
      .map((part, at) => (at % 2 ? make("code", "", part) : document.createTextNode(part)));
  }

  /** @param {SearchIndex | null} found */
  function hints(found) {
    const left = (found ? found.left : []).map((what) => make("p", "", sitegen.text(`search.left-${what}`)));
    return [make("p", "", prose(sitegen.text("search.hint"))), ...left];
  }

  sitegen.searching = { open: () => undefined };
  const field = document.getElementById("search-field");
  const list = document.getElementById("search-results");
  if (field instanceof HTMLInputElement && list) wholePage(field, list);
  else dialog();

  // ------------------------------------------------------------ the page

  /** @param {HTMLInputElement} input @param {HTMLElement} place */
  function wholePage(input, place) {
    const found = document.getElementById("search-said");
    let writing = 0;

    /** @param {Record<string, string>} state */
    function show(state) {
      const query = state.q || "";
      if (document.activeElement !== input || !writing) input.value = query;
      const groups = index ? sitegen.search.find(index, query, lang) : [];
      if (found) found.textContent = said(groups, query);
      place.replaceChildren(...(query.trim() ? groups.map((group) => section(group, query)) : hints(index)));
    }

    input.addEventListener("input", function () {
      window.clearTimeout(writing);
      writing = window.setTimeout(() => {
        sitegen.state.set({ q: input.value });
        writing = 0;
      }, 60);
    });
    const form = input.closest("form");
    if (form) form.addEventListener("submit", (event) => event.preventDefault());
    sitegen.state.watch(show);
    show(sitegen.state.get());
    load(() => show(sitegen.state.get()));
    if (!sitegen.state.get().q) input.focus();
    sitegen.searching.open = () => input.select();
    for (const opener of document.querySelectorAll("a[data-open-search]")) {
      opener.addEventListener("click", (event) => {
        event.preventDefault();
        input.select();
      });
    }
  }

  /** @param {SearchGroup} group @param {string} query */
  function section(group, query) {
    const node = make("section", "found-kind");
    const heading = make("h2", "", [document.createTextNode(`${title(group.kind)} `)]);
    heading.append(make("span", "count", sitegen.numbers.fixed(group.items.length, 0)));
    heading.id = `found-${group.kind}`;
    node.setAttribute("aria-labelledby", heading.id);
    const items = make("ul", "found-list");
    const more = make("button", "btn");
    more.type = "button";
    let shown = 0;

    /** @param {number} count */
    function grow(count) {
      const next = group.items.slice(shown, shown + count).map((item) => make("li", "", whole(item, query)));
      items.append(...next);
      shown += next.length;
      const left = group.items.length - shown;
      more.hidden = left === 0;
      more.textContent = sitegen.text("search.more", { n: left });
      return next[0];
    }

    more.addEventListener("click", function () {
      const first = grow(MORE);
      const link = first && first.querySelector("a");
      if (link) link.focus();
    });
    grow(ON_PAGE);
    node.append(heading, items, more);
    return node;
  }

  /** A result with links to the runs that have it. @param {SearchItem} item @param {string} query @returns {Node[]} */
  function whole(item, query) {
    const link = make("a", "found-item", described(item, query));
    link.href = address(item);
    if (!index || item.set < 0) return [link];
    const places = sitegen.search.runsOf(index, item.set);
    const line = make("p", "found-runs", [make("span", "", `${sitegen.text("search.in-runs")} `)]);
    for (const place of places.slice(0, RUNS_SHOWN)) {
      const run = make("a", "", index.runs[place].title);
      run.lang = "en";
      run.href = sitegen.pageLink(runPage(item, index.runs[place].slug));
      line.append(run, " ");
    }
    const left = places.length - RUNS_SHOWN;
    if (left > 0) line.append(make("span", "", sitegen.text("search.more-runs", { n: left })));
    return [link, line];
  }

  /** Where a run shows what was found. @param {SearchItem} item @param {string} slug */
  function runPage(item, slug) {
    const name = encodeURIComponent(item.kind === "value" ? item.name.slice(0, item.name.indexOf("=")) : item.name);
    if (item.kind === "metric") return `runs/${slug}/metrics.html#q=${name}`;
    if (item.kind === "setting" || item.kind === "value") return `runs/${slug}/config.html#q=${name}`;
    return `runs/${slug}/index.html`;
  }

  // ------------------------------------------------------------ the dialog

  function dialog() {
    /** @type {ReturnType<typeof build> | null} */
    let parts = null;

    function open() {
      parts = parts || build();
      parts.show();
    }

    sitegen.searching.open = open;
    for (const opener of document.querySelectorAll("a[data-open-search]")) {
      opener.setAttribute("role", "button");
      opener.setAttribute("aria-haspopup", "dialog");
      opener.addEventListener("click", (event) => {
        const mouse = /** @type {MouseEvent} */ (event);
        if (mouse.ctrlKey || mouse.metaKey || mouse.shiftKey) return;
        event.preventDefault();
        open();
      });
      opener.addEventListener("keydown", (event) => {
        if (/** @type {KeyboardEvent} */ (event).key !== " ") return;
        event.preventDefault();
        open();
      });
    }
  }

  /** The dialog's elements. */
  function frame() {
    const box = make("dialog", "find-box");
    box.setAttribute("aria-label", sitegen.text("search.field"));
    const input = make("input");
    input.type = "text";
    const attributes = {
      role: "combobox",
      "aria-label": sitegen.text("search.field"),
      "aria-autocomplete": "list",
      "aria-expanded": "false",
      "aria-controls": "find-list",
      placeholder: sitegen.text("search.placeholder"),
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      enterkeyhint: "go",
    };
    for (const [name, value] of Object.entries(attributes)) input.setAttribute(name, value);
    const close = make("button", "btn", sitegen.text("search.close"));
    close.type = "button";
    close.addEventListener("click", () => box.close());
    const options = make("div", "find-list");
    options.id = "find-list";
    options.setAttribute("role", "listbox");
    options.setAttribute("aria-label", sitegen.text("search.results"));
    const status = make("p", "find-said");
    status.setAttribute("aria-live", "polite");
    const help = make("div", "find-hint");
    const all = make("a", "find-all", sitegen.text("search.all"));
    const foot = make("div", "find-foot", [status, keys(), all]);
    const head = make("div", "find-head", [input, close]);
    box.append(head, help, options, foot);
    document.body.append(box);
    return { box, input, options, status, help, all };
  }

  function keys() {
    const row = make("span", "find-keys");
    row.setAttribute("aria-hidden", "true");
    for (const [key, words] of [["↑↓", "move"], ["↵", "open"], ["esc", "close"]]) {
      row.append(make("span", "", [make("kbd", "", key), document.createTextNode(` ${sitegen.text(`search.keys-${words}`)}`)]));
    }
    return row;
  }

  function build() {
    const { box, input, options, status, help, all } = frame();
    /** @type {HTMLAnchorElement[]} */
    let links = [];
    let active = -1;
    let moved = false;

    /** @param {number} place */
    function choose(place) {
      if (links[active]) links[active].setAttribute("aria-selected", "false");
      active = place;
      const link = links[active];
      if (link) {
        link.setAttribute("aria-selected", "true");
        link.scrollIntoView({ block: "nearest" });
        input.setAttribute("aria-activedescendant", link.id);
      } else input.removeAttribute("aria-activedescendant");
    }

    /** @param {SearchItem} item @param {string} query */
    function option(item, query) {
      const link = make("a", "find-item", described(item, query));
      link.href = address(item);
      link.id = `find-${links.length}`;
      link.tabIndex = -1;
      link.setAttribute("role", "option");
      link.setAttribute("aria-selected", "false");
      links.push(link);
      return link;
    }

    /** @param {SearchGroup} group @param {string} query */
    function part(group, query) {
      const node = make("div", "find-group");
      node.setAttribute("role", "group");
      const label = make("div", "find-kind", title(group.kind));
      label.id = `find-kind-${group.kind}`;
      const left = group.items.length - IN_DIALOG;
      if (left > 0) label.append(" ", make("span", "count", sitegen.numbers.fixed(group.items.length, 0)));
      node.setAttribute("aria-labelledby", label.id);
      node.append(label, ...group.items.slice(0, IN_DIALOG).map((item) => option(item, query)));
      return node;
    }

    function update() {
      const query = input.value;
      const groups = index ? sitegen.search.find(index, query, lang) : [];
      links = [];
      active = -1;
      moved = false;
      options.replaceChildren(...groups.map((group) => part(group, query)));
      options.hidden = links.length === 0;
      help.hidden = query.trim() !== "";
      help.replaceChildren(...hints(index));
      input.setAttribute("aria-expanded", String(links.length > 0));
      status.textContent = said(groups, query);
      all.hidden = links.length === 0;
      all.href = `${sitegen.pageLink("search.html")}${sitegen.hash.write({ q: query.trim() })}`;
      options.scrollTop = 0;
      choose(links.length ? 0 : -1);
    }

    /** @param {number} direction */
    function step(direction) {
      moved = true;
      if (links.length) choose((active + direction + links.length) % links.length);
    }

    /** @type {Record<string, (event: KeyboardEvent) => void>} */
    const moves = {
      ArrowDown: () => step(1),
      ArrowUp: () => step(-1),
      Home: () => choose(links.length ? 0 : -1),
      End: () => choose(links.length - 1),
      Enter: (event) => follow(event),
    };

    /** @param {KeyboardEvent} event */
    function follow(event) {
      const { ctrlKey, metaKey, shiftKey } = event;
      const target = links[active];
      if (target) target.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }));
    }

    input.addEventListener("keydown", function (event) {
      const inText = (event.key === "Home" || event.key === "End") && !moved;
      if (event.isComposing || event.keyCode === 229 || inText || !(event.key in moves)) return;
      if (event.key.startsWith("Arrow") && (event.ctrlKey || event.metaKey || event.altKey)) return;
      event.preventDefault();
      moves[event.key](event);
    });
    input.addEventListener("input", update);
    options.addEventListener("pointermove", function (event) {
      const link = event.target instanceof Element ? event.target.closest("a") : null;
      const place = link ? links.indexOf(link) : -1;
      if (place >= 0 && place !== active) choose(place);
    });
    box.addEventListener("click", function (event) {
      const link = event.target instanceof Element ? event.target.closest("a") : null;
      const away = link && !(event.ctrlKey || event.metaKey || event.shiftKey);
      if (event.target === box || away) box.close();
    });

    return {
      show() {
        if (box.open) return;
        box.showModal();
        input.select();
        update();
        load(update);
      },
    };
  }
});
