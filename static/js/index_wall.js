/* The wall: the reward of every run that passes, all on one range, in place of the table. */
(function () {
  "use strict";
  const own = sitegen.index;
  /** Tiles that are drawn at once; the others come after the picture. */
  const AT_ONCE = 30;
  let turn = 0;
  /** @type {Map<number, HTMLElement>} */
  const drawn = new Map();

  /** A status, with the word that it is a guess. @param {number} run */
  function statusOf(run) {
    const box = own.make("span", "tile-status");
    const guess = own.runs.numbers.guessed[run];
    box.append(own.mark(own.status(run).id));
    if (guess) box.append(" ", own.make("small", "", own.say(`guess-${own.runs.guesses[guess - 1]}`)));
    return box;
  }

  /** @param {number} run */
  function tile(run) {
    const made = own.make("article", own.runs.numbers.steps[run] ? "tile" : "tile none");
    made.dataset.row = String(run); // the keys j and k go from tile to tile
    const head = own.make("div", "tile-head");
    const link = own.make("a", "name");
    link.href = own.runLink(run);
    if (own.english(own.runs.titles[run])) link.lang = "en";
    link.append(own.wrapped(own.runs.titles[run]));
    head.append(link, own.tick(run));
    const drawing = own.spark(run, 256, 72);
    const foot = own.make("div", "cap");
    const { ema, checkpoint, steps } = own.runs.numbers;
    const words = { value: sitegen.numbers.fixed(ema[run], 3), step: sitegen.numbers.fixed(checkpoint[run], 0) };
    foot.append(own.make("span", "", ema[run] === null ? "" : own.say("ema-at", words)), statusOf(run));
    made.append(head, drawing || own.make("span", "quiet", own.say(steps[run] ? "no-curve" : "no-step")), foot);
    if (drawing) {
      drawing.removeAttribute("width");
      drawing.setAttribute("preserveAspectRatio", "none");
    }
    return made;
  }

  /** @param {IndexView} view */
  function draw(view) {
    const wall = document.getElementById("wall");
    if (!wall) return;
    wall.hidden = view.state.view !== "wall";
    for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-view]"))) {
      button.setAttribute("aria-pressed", String((button.dataset.view || "") === (view.state.view || "")));
    }
    if (wall.hidden) {
      turn += 1;
      return void wall.replaceChildren();
    }
    const { rows } = own.onPage(view);
    const mine = ++turn;
    /** @param {number[]} runs */
    const tiles = (runs) =>
      runs.map((run) => {
        const made = drawn.get(run) || tile(run);
        drawn.set(run, made);
        own.colour(made, run, "sel");
        return made;
      });
    const there = rows.every((run, at) => wall.children[at] && wall.children[at] === drawn.get(run));
    if (rows.length && there && rows.length === wall.children.length) return void tiles(rows);
    wall.replaceChildren(...(rows.length ? tiles(rows.slice(0, AT_ONCE)) : [own.make("p", "none-found", own.say("no-match"))]));
    const more = () => mine === turn && wall.append(...tiles(rows.slice(AT_ONCE)));
    if (rows.length > AT_ONCE) window.requestAnimationFrame(() => window.requestAnimationFrame(more));
  }

  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-view]"))) {
    button.addEventListener("click", () => sitegen.state.set({ view: button.dataset.view || "" }, true));
  }
  own.parts.push(draw);
})();
