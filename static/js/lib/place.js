/* Where a popover goes: below its word, above when there is more room or when asked to and there is room, never
   outside the window. */
(function () {
  "use strict";
  const GAP = 8;
  const EDGE = 16;

  sitegen.place = {
    below(anchor, size, view, over = false) {
      const right = view.left + view.width - EDGE - size.width;
      const left = Math.max(view.left + EDGE, Math.min(anchor.left, right));
      const under = view.top + view.height - (anchor.top + anchor.height);
      const room = anchor.top - view.top;
      const needed = size.height + 2 * GAP;
      const above = over ? room >= needed : under < needed && room > under;
      const top = above ? anchor.top - GAP - size.height : anchor.top + anchor.height + GAP;
      return { left, top, above };
    },
  };
})();
