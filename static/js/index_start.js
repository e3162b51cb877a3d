/* Puts the index together: from the address to the rows that pass, in order, drawn by every part. */
(function () {
  "use strict";
  const own = sitegen.index;
  const given = document.getElementById("index-config");
  if (!given) return;
  own.config = JSON.parse(given.textContent || "{}");
  own.lang = document.documentElement.dataset.lang === "zh" ? "zh" : "en";
  const dated = own.config.columns.some((column) => column.id === "started");

  /** Columns that the state speaks of. @param {Record<string, string>} state */
  function spoken(state) {
    const sort = (state.sort || "").replace(/^-/, "");
    const chosen = sitegen.columns.chosen(state.cols, own.config.columns);
    return { chosen, sort, all: [...chosen, ...(sort ? [sort] : []), ...own.rangeIds(state)] };
  }

  /** @param {Record<string, string>} state @returns {IndexView} */
  function viewOf(state) {
    const { chosen, sort } = spoken(state);
    const columns = chosen.map((id) => own.column(id)).filter((column) => column !== null);
    const usual = dated ? "-started" : "";
    const order = own.column(sort) ? state.sort : usual;
    const matching = sitegen.runRows.matches(own.model, state.q || "", own.configData());
    const { rows, counts } = sitegen.runRows.filtered(own.model, matching, own.chosen(state), own.ranges(state));
    const picked = [...new Set(sitegen.hash.list(state.sel))].filter((slug) => own.runs.slugs.includes(slug));
    /** @type {IndexView} */
    const view = {
      state,
      columns: /** @type {RunColumn[]} */ (columns),
      sort: order ? own.column(order.replace(/^-/, "")) : null,
      descending: order.startsWith("-"),
      rows,
      counts,
      picked,
      tones: sitegen.runColors.assign(picked),
    };
    view.rows = own.ranked(view);
    return view;
  }

  function draw() {
    own.view = viewOf(sitegen.state.get());
    for (const part of own.parts) part(own.view);
  }

  /** What the field of text searches beside names; loaded before it is needed. */
  own.prepare = function () {
    return own.want([], true).then(
      (more) => (more && own.view.state.q ? draw() : undefined),
      () => undefined, // names are still searched
    );
  };

  own.refresh = function () {
    const state = sitegen.state.get();
    draw();
    own.want(spoken(state).all, Boolean(state.q)).then(
      (more) => (more ? draw() : undefined),
      () => {
        const found = document.querySelector("[data-found]");
        if (found) found.textContent = own.say("not-loaded");
      },
    );
  };

  /** Once the runs are there, which are the script after this one. */
  function start() {
    const runs = /** @type {any} */ (sitegen.registered).runs;
    if (!runs || own.runs) return;
    own.runs = runs;
    own.model = sitegen.runRows.model(runs);
    sitegen.state.watch(own.refresh);
    own.refresh();
  }

  document.addEventListener("sitegen:registered", start);
  start();
})();
