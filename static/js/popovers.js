/* Explanations of logged names: on hover, focus and first tap. Escape closes; nothing moves. A heading's button takes
   over the explanation of the name it stands for (`lend`): it sorts as well, on the same tap. */
(function () {
  "use strict";
  const OPEN_AFTER = 150;
  const CLOSE_AFTER = 220;
  /** @type {Record<string, Popover>} */
  let texts = {};
  /** @type {string[]} */
  let facts = [];
  /** @type {HTMLElement | null} */
  let box = null;
  /** @type {HTMLElement | null} */
  let owner = null;
  let timer = 0;

  /** @param {EventTarget | null} target */
  function termOf(target) {
    if (!(target instanceof Element)) return null;
    const term = target.closest("[data-term]");
    return term instanceof HTMLElement && texts[term.dataset.term || ""] ? term : null;
  }

  /** @param {string} tag @param {string} css @param {string} text */
  function line(tag, css, text) {
    const node = document.createElement(tag);
    node.className = css;
    node.textContent = text;
    return node;
  }

  function element() {
    if (box) return box;
    box = document.createElement("div");
    box.id = "popover";
    box.className = "pop";
    box.setAttribute("role", "note");
    box.addEventListener("mouseenter", () => window.clearTimeout(timer));
    box.addEventListener("mouseleave", () => later(close, CLOSE_AFTER));
    document.body.append(box);
    return box;
  }

  /** @param {() => void} action @param {number} delay */
  function later(action, delay) {
    window.clearTimeout(timer);
    timer = window.setTimeout(action, delay);
  }

  /** @param {HTMLElement} term */
  function open(term) {
    window.clearTimeout(timer);
    if (owner === term) return;
    close();
    const popover = texts[term.dataset.term || ""];
    const pop = element();
    const link = /** @type {HTMLAnchorElement} */ (line("a", "", sitegen.text("popover.more")));
    link.href = term instanceof HTMLAnchorElement ? term.href : term.dataset.href || "";
    const last = line("span", "pl", "");
    last.append(...popover.m.map((place) => line("span", "", facts[place])), link);
    pop.replaceChildren(line("span", "pt", popover.t), line("span", "ps", popover.s), last);
    pop.classList.add("open");
    owner = term;
    term.setAttribute("aria-describedby", pop.id);
    const word = term.getClientRects()[0] || term.getBoundingClientRect();
    // A label over its figure: the explanation leaves both readable.
    const stat = term.closest("dt") && term.closest("dl.heads > div, dl.facts > div");
    const whole = stat ? stat.getBoundingClientRect() : word;
    const rect = { left: word.left, top: whole.top, width: word.width, height: whole.height };
    const view = { left: 0, top: 0, width: document.documentElement.clientWidth, height: window.innerHeight };
    const size = { width: pop.offsetWidth, height: pop.offsetHeight };
    const spot = sitegen.place.below(rect, size, view, term.classList.contains("lent"));
    pop.style.left = `${spot.left + window.scrollX}px`;
    pop.style.top = `${spot.top + window.scrollY}px`;
  }

  function close() {
    window.clearTimeout(timer);
    if (!owner || !box) return false;
    owner.removeAttribute("aria-describedby");
    box.classList.remove("open");
    owner = null;
    return true;
  }

  /** @param {HTMLElement} button */
  function lend(button) {
    const term = button.querySelector("a[data-term]");
    if (!(term instanceof HTMLAnchorElement)) return;
    button.dataset.term = term.dataset.term;
    button.dataset.href = term.href;
    button.classList.add("lent");
    term.replaceWith(...term.childNodes);
  }

  /** Explanations of names that a script writes. @param {{terms: Record<string, Popover>, facts: string[]}} more */
  function add(more) {
    const first = facts.length;
    facts = [...facts, ...more.facts];
    for (const key of Object.keys(more.terms)) {
      const popover = more.terms[key];
      texts[key] = texts[key] || { ...popover, m: popover.m.map((place) => place + first) };
    }
  }

  sitegen.popovers = { close, lend, add };

  sitegen.ready(function () {
    const data = document.getElementById("popovers");
    if (data) ({ terms: texts, facts } = JSON.parse(data.textContent || '{"terms": {}, "facts": []}'));
    let touched = false;

    document.addEventListener("pointerdown", (event) => {
      touched = event.pointerType === "touch";
      if (owner && !termOf(event.target) && !(box && box.contains(/** @type {Node} */ (event.target)))) close();
    });
    document.addEventListener("mouseover", (event) => {
      const term = termOf(event.target);
      if (term && !touched) later(() => open(term), OPEN_AFTER);
    });
    document.addEventListener("mouseout", (event) => {
      if (termOf(event.target)) later(close, CLOSE_AFTER);
    });
    document.addEventListener("focusin", (event) => {
      const term = termOf(event.target);
      if (term && !touched) open(term);
    });
    document.addEventListener("focusout", (event) => {
      if (termOf(event.target)) later(close, CLOSE_AFTER);
    });
    document.addEventListener("click", (event) => {
      const term = termOf(event.target);
      if (!term || !touched || owner === term) return;
      if (term instanceof HTMLAnchorElement) event.preventDefault();
      open(term);
    });
  });
})();
