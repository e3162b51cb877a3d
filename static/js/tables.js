/* Sortable tables: `table[data-sortable]` gets real buttons in its headings. */
sitegen.ready(function () {
  "use strict";

  /** @param {HTMLTableElement} table */
  function sortable(table) {
    const heads = /** @type {HTMLTableCellElement[]} */ ([...table.querySelectorAll("thead th")]);
    const body = table.tBodies[0];
    const rows = [...body.rows];

    /** @param {HTMLTableCellElement} head @param {boolean} descending */
    function sort(head, descending) {
      const column = head.cellIndex;
      const kind = head.dataset.sort || "text";
      const cells = rows.map((row) => {
        const cell = row.cells[column];
        return cell ? sitegen.table.cell(kind, cell.dataset.v, cell.textContent || "") : null;
      });
      body.replaceChildren(...sitegen.table.order(cells, descending).map((index) => rows[index]));
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
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
        sort(head, now ? now === "ascending" : head.dataset.first === "descending");
      });
    }

    heads.filter((head) => head.dataset.sort).forEach(wire);
  }

  for (const table of document.querySelectorAll("table[data-sortable]")) {
    sortable(/** @type {HTMLTableElement} */ (table));
  }
});
