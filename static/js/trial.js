/* The page of one trial: keys from turn to turn, a link to a turn, everything unfolded at once. */
sitegen.ready(function () {
  "use strict";
  const found = document.querySelector("[data-turns]");
  if (!found) return;
  const section = found;
  const turns = /** @type {HTMLElement[]} */ ([...section.querySelectorAll("[data-turn]")]);

  /** The turn that has the focus, else the one at the top of the window, else none (-1). */
  function here() {
    const active = document.activeElement && document.activeElement.closest("[data-turn]");
    if (active) return turns.indexOf(/** @type {HTMLElement} */ (active));
    let last = -1;
    turns.forEach((turn, index) => turn.getBoundingClientRect().top <= 24 && (last = index));
    return last;
  }

  /** @param {number} index */
  function go(index) {
    const turn = turns[Math.max(0, Math.min(turns.length - 1, index))];
    if (!turn) return;
    window.history.replaceState(null, "", `#${turn.id}`);
    turn.focus({ preventScroll: true });
    turn.scrollIntoView({ block: "start" });
  }

  /** @param {boolean} [open] */
  function unfold(open) {
    const folds = /** @type {HTMLDetailsElement[]} */ ([...section.querySelectorAll("details.fold")]);
    const wanted = open === undefined ? folds.some((fold) => !fold.open) : open;
    for (const fold of folds) fold.open = wanted;
    if (button) button.textContent = (wanted ? button.dataset.close : button.dataset.open) || "";
  }

  const button = /** @type {HTMLElement | null} */ (section.querySelector("[data-unfold]"));
  if (button) button.addEventListener("click", () => unfold());

  /** @type {Record<string, () => void>} */
  const KEYS = { n: () => go(here() + 1), p: () => go(here() - 1), e: () => unfold() };
  sitegen.keys.add(KEYS);

  section.addEventListener("click", function (event) {
    const link = event.target instanceof Element ? event.target.closest("a.turn-link") : null;
    if (!(link instanceof HTMLAnchorElement) || !navigator.clipboard) return;
    navigator.clipboard.writeText(link.href).then(
      function () {
        const done = document.createElement("span");
        done.className = "done";
        done.setAttribute("role", "status");
        done.textContent = link.dataset.done || "";
        link.append(done);
        window.setTimeout(() => done.remove(), 1600);
      },
      () => undefined, // not allowed here: the address bar has the link
    );
  });

  const target = window.location.hash.slice(1);
  const named = turns.find((turn) => turn.id === target);
  if (named) named.focus({ preventScroll: true });
});
