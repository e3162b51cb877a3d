/* A long page's sections as a list that opens from its sticky key. It scrolls and does not touch the address, which
   holds the state of the charts. The list lies in the top layer: the key clips what hangs out of it. */
sitegen.ready(function () {
  "use strict";
  const FEWEST = 4;
  const key = document.querySelector(".key .end");
  const heads = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("main section[id] > .section-head h2")]);
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
    const section = /** @type {HTMLElement} */ (head.closest("section"));
    const to = document.createElement("a");
    to.href = `#${section.id}`;
    to.textContent = head.textContent;
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

  list.append(...heads.map(link));
  key.prepend(button);
  document.body.append(list);
});
