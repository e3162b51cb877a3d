/* One chart in one box: `sitegen.chartDraw(box, data, state)`. It knows nothing of the page around the box, so that a
   chart can stand alone in another page.

   The box has a fixed height and may hold a static drawing, which stays under the live one and shows again when that
   is given back. `data` is what a page registers for a chart, with its form; `state` is the state of `chart_state.js`
   with its axis resolved by `chart_axis.js`. Needs the forms and the Vega runtime. */
(function () {
  "use strict";
  const PAD = { left: 54, right: 14, top: 16, bottom: 24 }; // as in sitegen/charts/theme.py
  const NARROWEST = 120;
  const VALUES = ["y0", "y1", "yTicks", "yDiv", "yFormat", "ySuffix"]; // parameters of the value axis

  const OVER = ["chart-rule", "chart-dots", "chart-brush"]; // what lies over a drawing

  /** Forms whose x axis has no positions that charts could share.
      @param {string} form */
  function apart(form) {
    return form === "outcome";
  }

  /** The form with its data and the state.
      @param {ChartData} data
      @param {ChartView} state
      @param {number} width
      @param {number} height
      @returns {VegaForm} */
  function filled(data, state, width, height) {
    const base = sitegen.chartForms[data.form];
    const meanWord = document.documentElement.lang.startsWith("zh") ? "5 次平均 " : "mean of 5 ";
    const values = Object.assign({}, data.params, domain(data, state), { smooth: state.smooth, meanWord });
    const filledData = base.data.map((entry) =>
      data.datasets[entry.name] ? Object.assign({}, entry, { values: rows(data, entry.name, state) }) : entry,
    );
    const signals = base.signals.map((entry) =>
      entry.name in values ? Object.assign({}, entry, { value: values[entry.name] }) : entry,
    );
    return Object.assign({}, base, { data: filledData, signals, width, height });
  }

  /** @param {ChartData} data
      @param {string} name
      @param {ChartView} state */
  function rows(data, name, state) {
    const made = /** @type {Array<Record<string, any>>} */ (sitegen.chartData.rows(data.datasets[name]));
    return apart(data.form) ? made : sitegen.chartAxis.placed(made, state.along);
  }

  /** @param {ChartData} data
      @param {ChartView} state
      @returns {Record<string, any>} */
  function domain(data, state) {
    if (apart(data.form)) return {};
    const { params } = data;
    const whole = params.xStep ?? 1; // positions are whole steps, and the room beside them is the drawing's
    /** @type {[number, number]} */
    const shown = state.x ? (whole ? sitegen.chartState.padded(state.x) : state.x) : [params.x0, params.x1];
    const fit = state.x && sitegen.chartFit.axis(data, state.smooth, shown);
    const values = fit || Object.fromEntries(VALUES.map((name) => [name, params[name]]));
    const xStep = state.along.key === "step" ? whole : 0;
    return { x0: state.along.to(shown[0]), x1: state.along.to(shown[1]), xStep, ...values };
  }

  /** @param {HTMLElement} box */
  function plotWidth(box) {
    return Math.max(NARROWEST, box.clientWidth - PAD.left - PAD.right);
  }

  /** @param {HTMLElement} box
      @param {string} name */
  function part(box, name) {
    const found = /** @type {HTMLElement | null} */ (box.querySelector(`:scope > .${name}`));
    if (found) return found;
    const made = document.createElement("div");
    made.className = name;
    made.hidden = true;
    made.setAttribute("aria-hidden", "true");
    box.append(made);
    return made;
  }

  /** @param {string} series */
  function swatch(series) {
    const dot = document.createElement("i");
    dot.className = `sw sw-${series}`;
    return dot;
  }

  /** @param {HTMLElement} box
      @param {ChartData} data
      @param {ChartView} first
      @param {HTMLElement} host
      @param {VegaView} view
      @returns {ChartDrawing} */
  function drawing(box, data, first, host, view) {
    let state = first;
    let width = plotWidth(box);
    let readable = sitegen.chartData.readable(data.form, data.datasets, state.smooth);
    const whole = /** @type {[number, number]} */ ([data.params.x0, data.params.x1]);
    const [rule, holder, brush] = OVER.map((name) => part(box, name));
    let dotted = "";

    /** Pixels from the left edge of the box to a position; null when it is not in view.
        @param {number} at */
    function pixel(at) {
      const scale = view.scale("x");
      if (scale.bandwidth) {
        const place = scale.domain()[at];
        return place === undefined ? null : PAD.left + scale(place) + scale.bandwidth() / 2;
      }
      const x = scale(state.along.to(at));
      return x < -1 || x > width + 1 ? null : PAD.left + x;
    }

    /** A dot on each line at the marked position.
        @param {number | null} at
        @param {number} x */
    function dots(at, x) {
      const read = at === null || !data.form.startsWith("lines") ? [] : readable.readings.get(at) || [];
      const scale = view.scale("y");
      const shown = read.flatMap(({ series, value, smooth }) => {
        const height = smooth === null ? value : smooth;
        return height === null || series === "evaluation" ? [] : [{ series, y: Math.round(PAD.top + scale(height)) }];
      });
      const now = shown.map(({ series }) => series).join();
      if (now !== dotted) {
        holder.replaceChildren(...shown.map(({ series }) => swatch(series)));
        holder.hidden = shown.length === 0;
        dotted = now;
      }
      const made = /** @type {HTMLCollectionOf<HTMLElement>} */ (holder.children);
      shown.forEach(({ y }, place) => (made[place].style.transform = `translate(${Math.round(x)}px, ${y}px)`));
    }

    return {
      data,
      whole,
      apart: apart(data.form),
      readable: () => readable,
      positions: () => readable.at,

      update(wanted) {
        const moved = wanted.along.key !== state.along.key;
        state = wanted;
        readable = sitegen.chartData.readable(data.form, data.datasets, state.smooth);
        if (apart(data.form)) return Promise.resolve();
        const signals = domain(data, state);
        for (const name of Object.keys(signals)) view.signal(name, signals[name]);
        view.signal("smooth", state.smooth);
        if (moved) {
          for (const entry of sitegen.chartForms[data.form].data) {
            if (data.datasets[entry.name]) view.data(entry.name, rows(data, entry.name, state));
          }
        }
        return view.runAsync();
      },

      resized() {
        const now = plotWidth(box);
        if (box.clientWidth === 0 || now === width) return null;
        width = now;
        return view.width(width).runAsync();
      },

      /** The readable position under a pixel of the box. */
      position(x) {
        const scale = view.scale("x");
        const inside = x - PAD.left;
        if (scale.bandwidth) {
          return sitegen.chartData.nearest(readable.at, (inside / width) * scale.domain().length - 0.5);
        }
        return sitegen.chartData.nearest(readable.at, this.place(x) ?? inside);
      },

      /** The place on the shared axis, in steps, under a pixel of the box; null without such an axis. */
      place(x) {
        const scale = view.scale("x");
        return scale.invert ? state.along.back(scale.invert(x - PAD.left)) : null;
      },

      mark(at) {
        const x = at === null ? null : pixel(at);
        rule.hidden = x === null;
        if (x !== null) rule.style.transform = `translateX(${Math.round(x)}px)`;
        dots(x === null ? null : at, x || 0);
      },

      /** Shows the part of the plot that a drag covers; null for none. */
      brush(from, to) {
        brush.hidden = from === null || to === null;
        if (from === null || to === null) return;
        const edge = [PAD.left, PAD.left + width];
        const [low, high] = [Math.min(from, to), Math.max(from, to)].map((x) => Math.min(edge[1], Math.max(edge[0], x)));
        brush.style.left = `${low}px`;
        brush.style.width = `${high - low}px`;
      },

      /** The drawing as an SVG file's text, with the page's colours in it. */
      async svg() {
        const probe = document.createElement("span");
        box.append(probe);
        const text = sitegen.chartData.withColors(await view.toSVG(), (name) => {
          probe.style.color = `var(${name})`;
          return window.getComputedStyle(probe).color;
        });
        probe.remove();
        return text;
      },

      /** Gives the memory back; what was in the box before shows again. */
      finalise() {
        view.finalize();
        host.remove();
        for (const each of [rule, holder, brush]) each.remove();
        delete box.dataset.drawn;
      },
    };
  }

  sitegen.chartDraw = async function (box, data, state) {
    if (!sitegen.chartForms[data.form] || !sitegen.vegaView) return null;
    const host = document.createElement("div");
    host.className = "chart-live";
    host.setAttribute("aria-hidden", "true"); // the box says in words what is drawn
    box.append(host);
    const height = box.clientHeight - PAD.top - PAD.bottom;
    try {
      const spec = filled(data, state, plotWidth(box), height);
      const view = await sitegen.vegaView(host, spec);
      box.dataset.drawn = "true";
      return drawing(box, data, state, host, view);
    } catch (error) {
      host.remove();
      box.dataset.failed = "true";
      console.warn(`chart ${box.dataset.chart || data.form} was not drawn`, error);
      return null;
    }
  };
})();
