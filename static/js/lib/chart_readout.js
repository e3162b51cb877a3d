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
    return value.smooth === null ? plain : `${plain} (${sitegen.chartData.text(value.smooth)})`;
  }

  /** @param {ReadoutEntry} entry */
  function item(entry) {
    const made = element("li", entry.leads ? "leads" : "");
    made.append(element("span", "what", entry.title));
    for (const value of entry.values) {
      const line = element("span", "val");
      line.append(element("i", `sw sw-${value.series}`), element("b", "", sitegen.chartData.text(value.value)));
      if (value.smooth !== null) line.append(element("span", "smooth", `(${sitegen.chartData.text(value.smooth)})`));
      if (value.name) line.append(element("span", "series", value.name));
      if (value.at) line.append(element("span", "series", value.at));
      made.append(line);
    }
    return made;
  }

  /** Whether the bar at the foot of the window would hide the axis of a chart, and would not hide its top instead.
      @param {HTMLElement} bar
      @param {HTMLElement | null} box */
  function covers(bar, box) {
    if (!box) return false;
    const { top, bottom } = box.getBoundingClientRect();
    const height = bar.offsetHeight;
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
        bar.hidden = false;
        bar.dataset.kept = String(kept);
        place.textContent = at;
        row.replaceChildren(...entries.slice(0, IN_BAR).map(item));
        if (all && !all.hidden) all.replaceChildren(...entries.map(item));
        bar.classList.toggle("at-top", covers(bar, over));
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
