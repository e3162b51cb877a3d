/* Sorting: the order of rows from the values of one column. */
(function () {
  "use strict";

  /**
   * Compares names as people read them: digits by value, case aside.
   * @type {Intl.Collator}
   */
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

  /**
   * @param {Cell} a
   * @param {Cell} b
   * @returns {number}
   */
  function compare(a, b) {
    if (typeof a === "number" && typeof b === "number") return a - b;
    return collator.compare(String(a), String(b));
  }

  /** @param {Cell} value */
  function missing(value) {
    return value === null || value === "" || (typeof value === "number" && Number.isNaN(value));
  }

  sitegen.table = {
    /** Row indices in order; ties keep their order, missing values come last either way, groups stay together. */
    order(cells, descending, groups) {
      const sign = descending ? -1 : 1;
      const none = cells.map((cell) => Number(missing(cell)));
      return cells
        .map((_, index) => index)
        .sort((i, j) => {
          const apart = (groups ? groups[i] - groups[j] : 0) || none[i] - none[j];
          return apart || (none[i] ? 0 : sign * compare(cells[i], cells[j])) || i - j;
        });
    },

    /** The value of a cell: `data-v` as a number in numeric columns, its text otherwise. */
    cell(kind, data, text) {
      if (kind !== "number") return data === undefined ? text.trim() : data;
      if (data === undefined || data.trim() === "") return null;
      const value = Number(data);
      return Number.isNaN(value) ? null : value;
    },
  };
})();
