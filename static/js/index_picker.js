/* The picker of columns: what every run has, any metric (which value of it), any setting. */
(function () {
  "use strict";
  const own = sitegen.index;
  const FIRST = 12;
  const STATS = /** @type {MetricStat[]} */ (["last", "best", "mean", "ckpt", "step"]);
  const details = /** @type {HTMLDetailsElement | null} */ (document.querySelector("details.picker"));
  const panel = /** @type {HTMLElement | null} */ (document.querySelector("[data-picker]"));
  const count = document.querySelector("[data-column-count]");
  let query = "";
  let built = false;

  /** @param {string[]} ids */
  function choose(ids) {
    sitegen.state.set({ cols: sitegen.columns.write(ids, own.config.columns) }, true);
  }

  const chosen = () => sitegen.columns.chosen(sitegen.state.get().cols, own.config.columns);

  /** Puts a column in its usual place, or at the end. @param {string} id */
  function add(id) {
    const order = own.config.columns.map((column) => column.id);
    const now = [...chosen(), id];
    const usual = now.filter((each) => order.includes(each)).sort((a, b) => order.indexOf(a) - order.indexOf(b));
    choose([...usual, ...now.filter((each) => !order.includes(each))]);
  }

  /** @param {string} key @param {boolean} on @param {Node} words @param {(on: boolean) => void} change */
  function option(key, on, words, change) {
    const line = own.make("div", "opt");
    const label = own.make("label");
    const box = own.make("input", "cb");
    box.type = "checkbox";
    box.checked = on;
    box.dataset.option = key;
    box.addEventListener("change", () => change(box.checked));
    label.append(box, words);
    line.append(label);
    return line;
  }

  /** The value of a metric that a chosen column shows. @param {string} key */
  function chosenStat(key) {
    for (const id of chosen()) {
      const parsed = sitegen.columns.parse(id, own.config.columns);
      if (parsed && parsed.type === "metric" && parsed.key === key) return parsed;
    }
    return null;
  }

  /** @param {MetricEntry} metric @param {ColumnId} now */
  function stats(metric, now) {
    const box = own.make("span", "stat");
    const select = own.make("select");
    select.setAttribute("aria-label", own.say("stat", { name: metric.key }));
    for (const stat of STATS) {
      if (stat === "best" && !metric.best) continue;
      const item = own.make("option", "", own.say(`stat-${stat}`));
      item.value = stat;
      item.selected = stat === now.stat;
      select.append(item);
    }
    const step = own.make("input");
    step.type = "number";
    step.min = "0";
    step.value = String(now.step || usualStep());
    step.hidden = now.stat !== "step";
    step.setAttribute("aria-label", own.say("step-number", { name: metric.key }));
    const change = () => {
      const id = `${select.value}${select.value === "step" ? Math.max(0, Math.round(Number(step.value) || 0)) : ""}.${metric.key}`;
      step.hidden = select.value !== "step";
      choose(chosen().map((each) => (each === now.id ? id : each)));
    };
    select.addEventListener("change", change);
    step.addEventListener("change", change);
    box.append(select, step);
    return box;
  }

  /** The step that half of the runs with steps reached. */
  function usualStep() {
    const steps = own.runs.numbers.steps.filter((n) => n).map(Number).sort((a, b) => a - b);
    return steps.length ? steps[Math.floor((steps.length - 1) / 2)] : 1;
  }

  /** @param {MetricEntry} metric */
  function metricOption(metric) {
    const now = chosenStat(metric.key);
    const name = own.make("code");
    name.lang = "en";
    name.append(own.wrapped(metric.key));
    name.title = own.lang === "zh" ? metric.zh : metric.en;
    const line = option(`metric:${metric.key}`, now !== null, name, (on) => {
      if (on) add(`last.${metric.key}`);
      else choose(chosen().filter((id) => (sitegen.columns.parse(id, own.config.columns) || { key: "" }).key !== metric.key));
    });
    if (now) line.append(stats(metric, now));
    else line.append(own.make("span", "count", sitegen.numbers.fixed(metric.runs, 0)));
    return line;
  }

  /** @param {{key: string, runs: number, values: number}} setting */
  function settingOption(setting) {
    const id = `set.${setting.key}`;
    const name = own.make("code");
    name.lang = "en";
    name.append(own.wrapped(setting.key));
    const line = option(id, chosen().includes(id), name, (on) => (on ? add(id) : choose(chosen().filter((each) => each !== id))));
    line.append(own.make("span", "count", sitegen.numbers.fixed(setting.runs, 0)));
    return line;
  }

  /** @param {BuiltColumn} column */
  function builtOption(column) {
    const words = own.make("span", "", column.label);
    return option(column.id, chosen().includes(column.id), words, (on) =>
      on ? add(column.id) : choose(chosen().filter((id) => id !== column.id)),
    );
  }

  /** A list of which the first are drawn, the rest named by number.
      @template T @param {string} title @param {T[]} items @param {(item: T) => HTMLElement} draw @param {number} [first] */
  function list(title, items, draw, first = FIRST) {
    const set = own.make("fieldset");
    set.append(own.make("legend", "lg", title));
    const rest = items.length - first;
    set.append(...items.slice(0, rest > 3 ? first : items.length).map(draw));
    if (!items.length) set.append(own.make("span", "quiet", own.say("no-match")));
    if (rest > 3) {
      const button = own.make("button", "linklike", own.say("more", { n: rest }));
      button.type = "button";
      button.addEventListener("click", () => {
        button.replaceWith(...items.slice(first).map(draw));
      });
      set.append(button);
    }
    return set;
  }

  /** @param {...string} words */
  const fits = (...words) => sitegen.filter.matches(sitegen.filter.fold(words.join(" ")), query);

  function lists() {
    const data = own.columnData();
    const place = panel && panel.querySelector(".picker-cols");
    if (!place) return;
    const summary = own.config.columns.filter((column) => column.id !== "run" && fits(column.label, column.id));
    const found = [list(own.say("summary"), summary, builtOption, Infinity)];
    if (data) {
      const on = new Set(chosen().map((id) => (sitegen.columns.parse(id, own.config.columns) || { key: "" }).key));
      /** @param {{key: string, runs: number}} a @param {{key: string, runs: number}} b */
      const order = (a, b) => Number(on.has(b.key)) - Number(on.has(a.key)) || b.runs - a.runs;
      const metrics = data.metrics
        .filter((metric) => fits(metric.key, metric.en, metric.zh))
        .sort((a, b) => Number(on.has(b.key)) - Number(on.has(a.key)) || Number(b.first) - Number(a.first) || order(a, b));
      const settings = data.settings.filter((setting) => fits(setting.key));
      const n = own.runs.slugs.length;
      const differ = settings.filter((setting) => setting.values > 1 || setting.runs < n).sort(order);
      const shown = query ? [...differ, ...settings.filter((setting) => !differ.includes(setting))] : differ;
      found.push(
        list(own.say("metrics"), metrics, metricOption),
        list(own.say(query ? "other-settings" : "settings"), shown, settingOption),
      );
    } else found.push(own.make("fieldset", "", own.say("loading")));
    place.replaceChildren(...found);
  }

  function frame() {
    if (!panel) return;
    const data = own.columnData();
    const search = own.make("label", "search");
    const field = own.make("input");
    field.type = "search";
    const words = own.say("find-column", {
      metrics: data ? data.metrics.length : "…",
      settings: data ? data.settings.length : "…",
    });
    field.placeholder = words;
    field.setAttribute("aria-label", words);
    field.value = query;
    field.addEventListener("input", () => {
      query = field.value;
      lists();
    });
    search.append(own.mark("i-search"), field);
    const foot = own.make("div", "picker-foot");
    const reset = own.make("button", "btn", own.say("reset"));
    reset.type = "button";
    reset.addEventListener("click", () => sitegen.state.set({ cols: "" }, true));
    foot.append(own.make("span", "", own.say("in-address")), reset);
    panel.replaceChildren(search, own.make("div", "picker-cols"), foot);
    lists();
    field.focus();
  }

  /** @param {IndexView} view */
  function draw(view) {
    if (count) count.textContent = String(view.columns.length - 1);
    if (!built || !details || !details.open || !panel) return;
    const box = document.activeElement instanceof HTMLInputElement ? document.activeElement.dataset.option : "";
    lists();
    const again = box && [...panel.querySelectorAll("input")].find((input) => input.dataset.option === box);
    if (again) again.focus();
  }

  if (details) {
    details.addEventListener("toggle", async function () {
      if (!details.open) return;
      built = true;
      frame();
      if (own.columnData()) return;
      await own.load(own.config.data).then(frame, () => {
        const place = panel && panel.querySelector(".picker-cols");
        if (place) place.replaceChildren(own.make("p", "quiet", own.say("not-loaded")));
      });
    });
    document.addEventListener("click", (event) => {
      const target = event.target;
      if (details.open && target instanceof Node && document.contains(target) && !details.contains(target)) details.open = false;
    });
    details.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      details.open = false;
      const summary = details.querySelector("summary");
      if (summary) summary.focus();
      event.stopPropagation();
    });
  }
  own.parts.push(draw);
})();
