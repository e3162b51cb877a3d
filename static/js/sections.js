/* A long page's sections as a list that opens from its sticky key. It scrolls and does not touch the address, which
   holds the state of the charts. The list lies in the top layer: the key clips what hangs out of it. */
sitegen.ready(function () {
  "use strict";
  const FEWEST = 4;
  const GAP = 4;
  const EDGE = 16;
  const key = document.querySelector(".key .end");
  const heads = /** @type {HTMLElement[]} */ ([
    ...document.querySelectorAll("main [data-section], main section[id] > .section-head h2"),
  ]);
  if (!key || heads.length < FEWEST || !("popover" in HTMLElement.prototype)) return;

  const list = document.createElement("nav");
  list.className = "sections";
  list.setAttribute("popover", "");
  list.setAttribute("aria-label", sitegen.text("help.sections"));
  const button = document.createElement("button");
  button.type = "button";
  button.className = "pick";
  button.textContent = sitegen.text("help.sections");
  button.popoverTargetElement = list;

  /** @param {HTMLElement} head */
  function link(head) {
    const section = head.dataset.section ? head : /** @type {HTMLElement} */ (head.closest("section"));
    const to = document.createElement("a");
    to.href = `#${section.id}`;
    to.textContent = head.dataset.section || head.textContent;
    to.addEventListener("click", function (event) {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      list.hidePopover();
      section.scrollIntoView();
      head.tabIndex = -1;
      head.focus({ preventScroll: true });
    });
    return to;
  }

  /** Under the button, right edges together where the left would leave the window. */
  list.addEventListener("toggle", function () {
    if (!list.matches(":popover-open")) return;
    const at = button.getBoundingClientRect();
    const most = document.documentElement.clientWidth - list.offsetWidth - EDGE;
    list.style.insetInline = `${Math.max(EDGE, Math.min(at.left, most))}px auto`;
    list.style.insetBlock = `${at.bottom + GAP}px auto`;
    list.style.maxHeight = `${window.innerHeight - at.bottom - GAP - EDGE}px`;
  });

  list.append(...heads.map(link));
  key.prepend(button);
  document.body.append(list);
});
