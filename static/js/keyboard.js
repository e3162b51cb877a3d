/* Keys and the list of keys. Single keys can be switched off there; the choice is kept. */
sitegen.ready(function () {
  "use strict";
  const step = sitegen.keys.machine();
  /** Keys of a chart that has the focus. @type {Array<[string, string]>} */
  const ON_CHARTS = [
    ["← →", "help.chart-step"],
    ["+ -", "help.chart-zoom"],
    ["[ ]", "help.chart-cut"],
    ["0", "help.chart-whole"],
  ];
  /** Keys of the page of one trial. @type {Array<[string, string]>} */
  const ON_TURNS = [
    ["n", "help.next-turn"],
    ["p", "help.previous-turn"],
    ["e", "help.unfold"],
  ];
  /** Keys of the table of trials. @type {Array<[string, string]>} */
  const ON_TRIALS = [
    ["n", "help.next-rows"],
    ["p", "help.previous-rows"],
  ];
  /** @type {HTMLDialogElement | null} */
  let dialog = null;

  function enabled() {
    return sitegen.storage.get("single-keys") !== "off";
  }

  /** @param {string} tag @param {string} [text] @param {string} [css] */
  function make(tag, text, css) {
    const node = document.createElement(tag);
    if (text) node.textContent = text;
    if (css) node.className = css;
    return node;
  }

  function build() {
    const made = document.createElement("dialog");
    made.className = "help";
    made.setAttribute("aria-labelledby", "help-h");
    const title = make("h2", sitegen.text("help.title"));
    title.id = "help-h";
    const list = make("dl");
    /** @type {Array<[string, string]>} */
    const keys = [
      ["/", "help.search"],
      ["f", "help.filter"],
      ["j", "help.next"],
      ["k", "help.previous"],
      ["g i", "help.index"],
      ["g g", "help.glossary"],
      ["l", "help.language"],
      ["Esc", "help.escape"],
      ["?", "help.list"],
    ];
    if (document.querySelector("[data-chart]")) keys.push(...ON_CHARTS);
    if (document.querySelector("[data-turns]")) keys.push(...ON_TURNS);
    if (document.querySelector("[data-trials]")) keys.push(...ON_TRIALS);
    for (const [combination, words] of keys) {
      const row = make("div");
      const term = make("dt");
      term.append(...combination.split(" ").map((key) => make("kbd", key)));
      row.append(term, make("dd", sitegen.text(words)));
      list.append(row);
    }
    const label = make("label", "", "opt");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.className = "cb";
    box.checked = enabled();
    box.addEventListener("change", () => sitegen.storage.set("single-keys", box.checked ? null : "off"));
    label.append(box, make("span", sitegen.text("help.single")));
    const close = make("button", sitegen.text("help.close"), "btn");
    close.addEventListener("click", () => made.close());
    made.append(title, list, label, close);
    made.addEventListener("click", (event) => event.target === made && made.close());
    document.body.append(made);
    return made;
  }

  function help() {
    dialog = dialog || build();
    if (!dialog.open) dialog.showModal();
  }

  /** Moves among the rows marked `data-row` of this page. @param {number} direction */
  function among(direction) {
    const links = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("[data-row]:not([hidden]) a")]);
    const firsts = links.filter((link) => link.closest("[data-row]")?.querySelector("a") === link);
    if (firsts.length === 0) return false;
    const active = document.activeElement && document.activeElement.closest("[data-row]");
    const at = active ? firsts.findIndex((link) => active.contains(link)) : -1;
    const next = at < 0 ? (direction > 0 ? 0 : firsts.length - 1) : at + direction;
    const target = firsts[Math.max(0, Math.min(firsts.length - 1, next))];
    target.focus();
    target.scrollIntoView({ block: "nearest" });
    return true;
  }

  /** Goes to the neighbour of this run; the list of runs is loaded when first needed. @param {number} direction */
  function neighbour(direction) {
    const here = document.documentElement.dataset.run;
    if (here === undefined) return;
    const go = () => {
      const runs = sitegen.runs || [];
      const target = runs[runs.indexOf(here) + direction];
      if (runs.includes(here) && target) window.location.assign(sitegen.pageLink(`runs/${target}/index.html`));
    };
    if (sitegen.runs) return go();
    const script = document.createElement("script");
    script.src = `${(document.documentElement.dataset.root || ".").replace(/\/$/, "")}/archive.js`;
    script.addEventListener("load", go);
    document.head.append(script);
  }

  /** @param {number} direction */
  function move(direction) {
    if (!among(direction)) neighbour(direction);
  }

  /** @type {Record<KeyAction, () => void>} */
  const ACTIONS = {
    index: () => window.location.assign(sitegen.pageLink("index.html")),
    glossary: () => window.location.assign(sitegen.pageLink("glossary/index.html")),
    next: () => move(1),
    previous: () => move(-1),
    search: () => sitegen.searching.open(),
    filter: () => {
      const field = document.querySelector("input[data-filter]");
      if (field instanceof HTMLElement) field.focus();
    },
    language: () => {
      const link = document.querySelector("a[data-keep-hash]:not([aria-current])");
      if (link instanceof HTMLElement) link.click();
    },
    help,
  };

  /** Whether a key is text. The field of a dialog that was closed keeps the focus until the next picture: a key that
      comes before is none of its own. @param {EventTarget | null} target */
  function typing(target) {
    return (
      target instanceof HTMLElement &&
      !target.closest("dialog:not([open])") &&
      (target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox]):not([type=radio])"))
    );
  }

  document.addEventListener("keydown", function (event) {
    if (event.key === "Escape") {
      const field = event.target instanceof HTMLInputElement && !event.target.closest("dialog") ? event.target : null;
      if (!sitegen.popovers.close() && field) field.blur();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || typing(event.target)) return;
    if (!enabled() || document.querySelector("dialog[open]")) return;
    const action = step(event.key, event.timeStamp);
    const run = action ? ACTIONS[action] : Object.hasOwn(sitegen.keys.own, event.key) && sitegen.keys.own[event.key];
    if (!run) return;
    event.preventDefault();
    run();
  });

  for (const opener of document.querySelectorAll("[data-open-help]")) opener.addEventListener("click", help);
});
