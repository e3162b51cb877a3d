/* Sortable tables: `table[data-sortable]` gets real buttons in its headings. With `data-sortable="hash"` the order
   is part of the address. Columns marked `data-grouped` are ranked within each row's `data-group` only. */
sitegen.ready(function () {
  "use strict";

  /** @param {HTMLTableElement} table */
  function sortable(table) {
    const heads = /** @type {HTMLTableCellElement[]} */ ([...table.querySelectorAll("thead th")]);
    const body = table.tBodies[0];
    const inHash = table.dataset.sortable === "hash";
    const rows = [...body.rows];
    const groups = rows.map((row) => Number(row.dataset.group || 0));
    const several = new Set(groups).size > 1;

    /** @param {HTMLTableCellElement} head @param {boolean} descending */
    function sort(head, descending) {
      const column = head.cellIndex;
      const kind = head.dataset.sort || "text";
      const cells = rows.map((row) => {
        const cell = row.cells[column];
        return cell ? sitegen.table.cell(kind, cell.dataset.v, cell.textContent || "") : null;
      });
      const grouped = several && "grouped" in head.dataset;
      const order = sitegen.table.order(cells, descending, grouped ? groups : undefined);
      body.replaceChildren(...parted(order, grouped));
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    }

    /** The rows in order, with a heading before each group. @param {number[]} order @param {boolean} grouped */
    function parted(order, grouped) {
      /** @type {HTMLTableRowElement[]} */
      const shown = [];
      let last = -1;
      for (const index of order) {
        if (grouped && groups[index] !== last) {
          const row = document.createElement("tr");
          row.className = "group-row";
          const cell = document.createElement("td");
          cell.colSpan = heads.length;
          cell.textContent = rows[index].dataset.groupName || "";
          row.append(cell);
          shown.push(row);
        }
        last = groups[index];
        shown.push(rows[index]);
      }
      return shown;
    }

    /** @param {HTMLTableCellElement} head */
    function wire(head) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      sitegen.popovers.lend(button);
      button.addEventListener("click", function () {
        const now = head.getAttribute("aria-sort");
        const first = head.dataset.first === "descending";
        const descending = now ? now === "ascending" : first;
        if (inHash) sitegen.state.set({ sort: (descending ? "-" : "") + head.dataset.key }, true);
        else sort(head, descending);
      });
    }

    /** @param {Record<string, string>} state */
    function follow(state) {
      const key = (state.sort || table.dataset.initial || "").replace(/^-/, "");
      const head = heads.find((item) => item.dataset.key === key);
      if (head) sort(head, (state.sort || table.dataset.initial || "").startsWith("-"));
    }

    heads.filter((head) => head.dataset.sort).forEach(wire);
    if (inHash) {
      sitegen.state.watch(follow);
      if (sitegen.state.get().sort) follow(sitegen.state.get());
    }
  }

  for (const table of document.querySelectorAll("table[data-sortable]")) {
    sortable(/** @type {HTMLTableElement} */ (table));
  }
});
