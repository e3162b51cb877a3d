/* Trials as columns: which rows pass the filters, and what a cell says. No document here. */
(function () {
  "use strict";

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

  sitegen.trialRows = {
    value,

    /** Rows that pass, in table order. */
    passing(data, query) {
      const find = sitegen.filter.fold(query.find || "");
      const tasks = (data.names.task || []).map((name) => sitegen.filter.fold(name).includes(find));
      const trial = data.columns.trial;
      const wanted = query.exception ? (data.names.exception || []).indexOf(query.exception.slice(1)) : -1;
      const low = query.from ? Number(query.from) : null;
      const high = query.to ? Number(query.to) : null;
      /** @type {number[]} */
      const rows = [];
      for (let row = 0; row < data.total; row += 1) {
        if (find && !tasks[data.columns.task[row]]) {
          if (!trial || trial[row] === null || !sitegen.filter.fold(trial[row]).includes(find)) continue;
        }
        if (query.outcome && String(data.columns.outcome[row]) !== query.outcome) continue;
        if (query.exception) {
          const code = data.columns.exception ? data.columns.exception[row] : -1;
          const out = { none: code >= 0, any: code < 0 }[query.exception];
          if (out === undefined ? code < 0 || code !== wanted : out) continue; // a name never seen has no rows
        }
        if (low !== null || high !== null) {
          const turns = data.columns.turns ? data.columns.turns[row] : null;
          if (turns === null || (low !== null && turns < low) || (high !== null && turns > high)) continue;
        }
        rows.push(row);
      }
      return rows;
    },

    /** Rows in the order of a column; missing values last either way. Names compare by code unit: a collator takes
        too long over 45,000 of them. */
    sorted(data, rows, column, descending) {
      const names = data.names[column];
      const values = data.columns[column];
      if (column !== "trial") {
        const cells = rows.map((row) => (names && values[row] < 0 ? null : values[row])); // names are sorted
        return sitegen.table.order(cells, descending).map((index) => rows[index]);
      }
      const sign = descending ? -1 : 1;
      const named = rows.filter((row) => values[row] !== null);
      named.sort((a, b) => (values[a] < values[b] ? -sign : values[a] > values[b] ? sign : a - b));
      return named.concat(rows.filter((row) => values[row] === null));
    },
  };
})();
