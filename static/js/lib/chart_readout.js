/* The one readout of a page's charts: a bar at the foot of the window with every chart's values at the marked step.
   Markup: `templates/partials/_chart_readout.html`. Without it, charts work and say nothing. */
(function () {
  "use strict";
  const IN_BAR = 12; // more have no room in the widest bar
  const AXIS = 24; // pixels of a box's foot that its axis takes
  const ANNOUNCE_AFTER = 350; // milliseconds of rest before a screen reader is told

  /** @param {string} tag
      @param {string} css
      @param {string} [text] */
  function element(tag, css, text) {
    const made = document.createElement(tag);
    made.className = css;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  /** @param {ReadoutValue} value */
  function valueText(value) {
    const plain = sitegen.chartData.text(value.value);
    return value.smooth === null ? plain : `${plain} (${smoothText(value.smooth)})`;
  }

  /** A smoothed value is made here: as many digits as pages print, not as many as it happens to have. @param {number | null} value */
  const smoothText = (value) => sitegen.numbers.number(value, 4);

  /** The texts of an entry that change from step to step, in the order in which they stand. @param {ReadoutEntry} entry */
  function texts(entry) {
    return entry.values.flatMap(({ value, smooth, at }) => [
      sitegen.chartData.text(value),
      ...(smooth === null ? [] : [`(${smoothText(smooth)})`]),
      ...(at ? [at] : []),
    ]);
  }

  /** What stays the same while a pointer moves along a chart. @param {ReadoutEntry} entry */
  function shape({ title, leads, values }) {
    return JSON.stringify([title, leads, values.map(({ series, name, smooth, at }) => [series, name, smooth === null, at === ""])]);
  }

  /** @param {ReadoutEntry} entry @returns {ReadoutItem} */
  function item(entry) {
    const node = element("li", entry.leads ? "leads" : "");
    /** @type {HTMLElement[]} */
    const slots = [];
    const slot = (/** @type {string} */ tag, /** @type {string} */ css) => slots[slots.push(element(tag, css)) - 1];
    node.append(element("span", "what", entry.title));
    for (const value of entry.values) {
      const line = element("span", "val");
      line.append(element("i", `sw sw-${value.series}`), slot("b", ""));
      if (value.smooth !== null) line.append(slot("span", "smooth"));
      if (value.name) line.append(element("span", "series", value.name));
      if (value.at) line.append(slot("span", "series"));
      node.append(line);
    }
    return { node, shape: shape(entry), slots };
  }

  /** Shows entries in a list; items of the same shape stay, and only their texts change.
      @param {HTMLElement} list @param {ReadoutItem[]} items @param {ReadoutEntry[]} entries @returns {ReadoutItem[]} */
  function fill(list, items, entries) {
    const now = entries.map((entry, at) => (items[at]?.shape === shape(entry) ? items[at] : item(entry)));
    if (now.length !== items.length || now.some((each, at) => each !== items[at])) {
      list.replaceChildren(...now.map(({ node }) => node));
    }
    entries.forEach((entry, at) => {
      texts(entry).forEach((text, place) => {
        const slot = now[at].slots[place];
        if (slot.textContent !== text) slot.textContent = text;
      });
    });
    return now;
  }

  /** Whether a bar of a height at the foot of the window would hide the axis of a chart, and would not hide its top
      instead.
      @param {number} height
      @param {HTMLElement | null} box */
  function covers(height, box) {
    if (!box) return false;
    const { top, bottom } = box.getBoundingClientRect();
    return bottom > window.innerHeight - height && bottom < window.innerHeight + AXIS && top > height;
  }

  sitegen.chartReadout = function () {
    const bar = document.getElementById("chart-readout");
    /** @param {string} name
        @returns {HTMLElement | null} */
    const find = (name) => (bar ? bar.querySelector(`[data-readout="${name}"]`) : null);
    const [place, row, all, open] = [find("at"), find("row"), find("all"), find("open")];
    const live = document.querySelector("[data-readout-live]");
    let timer = 0;
    /** @type {ReadoutItem[]} */
    let shown = [];
    /** @type {ReadoutItem[]} */
    let listed = [];

    if (open && all) {
      open.addEventListener("click", () => {
        all.hidden = !all.hidden;
        open.setAttribute("aria-expanded", String(!all.hidden));
      });
    }

    return {
      /** How many charts' values it shows: those in the bar, all when it is open. */
      room() {
        return all && !all.hidden ? Infinity : IN_BAR;
      },

      /** Shows the values at a position; `kept` when it stays without a pointer over a chart. At the top of the window
          while it would cover the axis of the chart that is read. */
      show(at, entries, kept, over) {
        if (!bar || !place || !row) return;
        const whole = all !== null && !all.hidden;
        const still = !bar.hidden && !whole; // as high as it was: nothing is laid out twice
        const before = still && covers(bar.offsetHeight, over);
        bar.hidden = false;
        bar.dataset.kept = String(kept);
        if (place.textContent !== at) place.textContent = at;
        shown = fill(row, shown, entries.slice(0, IN_BAR));
        if (whole) listed = fill(all, listed, entries);
        bar.classList.toggle("at-top", still ? before : covers(bar.offsetHeight, over));
      },

      hide() {
        if (!bar) return;
        bar.hidden = true;
        window.clearTimeout(timer);
      },

      /** Tells a screen reader, once the position rests. */
      say(at, entry) {
        window.clearTimeout(timer);
        timer = window.setTimeout(() => {
          const values = entry ? entry.values.map((value) => `${value.name} ${valueText(value)}`.trim()) : [];
          if (live) live.textContent = [at, entry ? entry.title : "", ...values].filter(Boolean).join(", ");
        }, ANNOUNCE_AFTER);
      },

      /** What one of the bar's buttons does. */
      on(name, action) {
        const button = find(name);
        if (button) button.addEventListener("click", action);
      },
    };
  };
})();
