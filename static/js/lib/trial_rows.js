/* Trials and tasks as columns: which rows pass the filters, how many more each choice would leave, in which order they
   stand. No document here. What is asked for with every key is put ready once: folded names, numbers as typed arrays,
   the order of each column. */
(function () {
  "use strict";
  const MISSING = Number.NaN;

  /** The text that a row's cell shows, or the number it holds.
      @param {TrialData} data
      @param {string} column
      @param {number} row
      @returns {Cell} */
  function value(data, column, row) {
    const raw = data.columns[column][row];
    const names = data.names[column];
    if (names) return raw < 0 ? null : names[raw];
    return raw;
  }

  /** A column as numbers: of names their places, which are sorted. @param {TrialIndex} index @param {string} column */
  function numbers(index, column) {
    const known = index.numbers[column];
    if (known) return known;
    const cells = index.data.columns[column];
    const names = index.data.names[column];
    const made = new Float64Array(index.data.total);
    if (!names && cells.some((/** @type {Cell} */ cell) => typeof cell === "string")) {
      const distinct = [...new Set(cells)].filter((cell) => cell !== null).sort(); // by code unit: quick
      const places = new Map(distinct.map((cell, at) => [cell, at]));
      for (let row = 0; row < made.length; row += 1) made[row] = places.get(cells[row]) ?? MISSING;
    } else {
      for (let row = 0; row < made.length; row += 1) {
        const cell = cells[row];
        made[row] = cell === null || (names && cell < 0) ? MISSING : cell;
      }
    }
    return (index.numbers[column] = made);
  }

  /** Rows of the whole table in the order of a column; missing values last either way, ties in table order.
      @param {TrialIndex} index @param {string} column @param {boolean} descending */
  function order(index, column, descending) {
    const key = (descending ? "-" : "") + column;
    const known = index.orders[key];
    if (known) return known;
    const cells = numbers(index, column);
    const distinct = Float64Array.from(new Set(cells.filter((cell) => !Number.isNaN(cell)))).sort();
    if (descending) distinct.reverse();
    const places = new Map(Array.from(distinct, (cell, at) => [cell, at]));
    // the place of each row's value, then a count per place: the order without comparing rows
    const at = new Int32Array(cells.length);
    const starts = new Int32Array(distinct.length + 2);
    for (let row = 0; row < cells.length; row += 1) {
      at[row] = places.get(cells[row]) ?? distinct.length;
      starts[at[row] + 1] += 1;
    }
    for (let place = 1; place < starts.length; place += 1) starts[place] += starts[place - 1];
    const rows = new Int32Array(cells.length);
    for (let row = 0; row < cells.length; row += 1) rows[starts[at[row]]++] = row;
    return (index.orders[key] = rows);
  }

  /** Rows whose task or trial holds all words; null when nothing is asked for.
      @param {TrialIndex} index @param {string} query */
  function found(index, query) {
    const words = sitegen.filter.fold(query).split(/\s+/).filter(Boolean);
    if (!words.length) return null;
    const { data } = index;
    const tasks = data.names.task || [];
    if (!index.tasks) index.tasks = tasks.map(sitegen.filter.fold);
    const trials = data.columns.trial;
    if (!index.trials) {
      index.trials = trials ? trials.map((/** @type {string | null} */ name) => sitegen.filter.fold(name || "")) : [];
    }
    const folded = index.tasks;
    const names = index.trials;
    const hits = folded.map((task) => words.map((word) => task.includes(word)));
    const whole = hits.map((each) => each.every(Boolean));
    const joined = words.some((word) => word.includes("_")); // a whole name, as people copy it from a folder
    const mask = new Uint8Array(data.total);
    for (let row = 0; row < data.total; row += 1) {
      const task = data.columns.task ? data.columns.task[row] : -1;
      if (task >= 0 && whole[task]) mask[row] = 1;
      else if (names.length) {
        const name = joined && task >= 0 ? `${folded[task]}__${names[row]}` : names[row];
        const said = task >= 0 ? hits[task] : [];
        let all = true;
        for (let word = 0; all && word < words.length; word += 1) all = said[word] || name.includes(words[word]);
        mask[row] = Number(all);
      }
    }
    return mask;
  }

  /** @param {string | undefined} text */
  function bound(text) {
    const number = text ? Number(text) : MISSING;
    return Number.isNaN(number) ? null : number;
  }

  /** Marks off the rows outside a range; those without a value are outside of any.
      @param {Uint8Array} mask @param {Float64Array} cells @param {number | null} low @param {number | null} high */
  function within(mask, cells, low, high) {
    for (let row = 0; row < mask.length; row += 1) {
      const cell = cells[row];
      if (Number.isNaN(cell) || (low !== null && cell < low) || (high !== null && cell > high)) mask[row] = 0;
    }
  }

  sitegen.trialRows = {
    value,
    order,

    /** Puts ready what takes longest, before it is asked for. */
    warm(index) {
      found(index, "\u0000");
      if (index.data.columns.trial) order(index, "trial", false);
    },

    index(data) {
      return { data, numbers: {}, orders: {}, tasks: null, trials: null };
    },

    /** Rows that pass, in the order asked for, and for each outcome and exception the rows that pass the others. */
    passing(index, query) {
      const { data } = index;
      const mask = found(index, query.find || "") || new Uint8Array(data.total).fill(1);
      if (query.task) {
        const wanted = (data.names.task || []).indexOf(query.task);
        const tasks = data.columns.task;
        for (let row = 0; row < mask.length; row += 1) if (!tasks || tasks[row] !== wanted) mask[row] = 0;
      }
      for (const [column, low, high] of query.ranges || []) {
        const [from, to] = [bound(low), bound(high)];
        if (from === null && to === null) continue;
        if (data.columns[column]) within(mask, numbers(index, column), from, to);
        else mask.fill(0);
      }
      const outcomes = data.columns.outcome;
      const codes = data.columns.exception;
      const names = data.names.exception || [];
      const wanted = query.exception && query.exception[0] === "=" ? names.indexOf(query.exception.slice(1)) : -1;
      /** @type {TrialCounts} */
      const counts = { outcome: {}, exception: { none: 0, any: 0 }, names: names.map(() => 0) };
      for (const outcome of ["-1", "0", "1", "2"]) counts.outcome[outcome] = 0;
      for (let row = 0; row < mask.length; row += 1) {
        if (!mask[row]) continue;
        const code = codes ? codes[row] : -1;
        const outcome = String(outcomes[row]);
        const fits = !query.outcome || outcome === query.outcome;
        const raised =
          !query.exception ||
          (query.exception === "none" ? code < 0 : query.exception === "any" ? code >= 0 : code >= 0 && code === wanted);
        if (raised) counts.outcome[outcome] += 1;
        if (fits) {
          counts.exception[code < 0 ? "none" : "any"] += 1;
          if (code >= 0) counts.names[code] += 1;
        }
        if (!fits || !raised) mask[row] = 0;
      }
      const column = (query.sort || "").replace(/^-/, "");
      /** @type {number[]} */
      const rows = [];
      if (data.columns[column]) {
        for (const row of order(index, column, (query.sort || "").startsWith("-"))) if (mask[row]) rows.push(row);
      } else for (let row = 0; row < mask.length; row += 1) if (mask[row]) rows.push(row);
      return { rows, counts };
    },
  };
})();
