/* Where a popover goes: below its word, above when there is more room, never outside the window. */
(function () {
  "use strict";
  const GAP = 8;
  const EDGE = 16;

  sitegen.place = {
    below(anchor, size, view) {
      const right = view.left + view.width - EDGE - size.width;
      const left = Math.max(view.left + EDGE, Math.min(anchor.left, right));
      const under = view.top + view.height - (anchor.top + anchor.height);
      const over = anchor.top - view.top;
      const above = under < size.height + 2 * GAP && over > under;
      const top = above ? anchor.top - GAP - size.height : anchor.top + anchor.height + GAP;
      return { left, top, above };
    },
  };
})();
