/* Copy buttons: `data-copy` names the element whose text is copied. Works from `file://`, where the clipboard
   interface may be missing, by selecting the text. */
sitegen.ready(function () {
  "use strict";

  /** @param {HTMLElement} source */
  function select(source) {
    const selection = window.getSelection();
    if (!selection) return false;
    selection.selectAllChildren(source);
    return document.execCommand("copy");
  }

  /** @param {HTMLElement} source @returns {Promise<boolean>} */
  async function copied(source) {
    if (!navigator.clipboard) return select(source);
    return navigator.clipboard.writeText(source.textContent || "").then(
      () => true,
      () => select(source),
    );
  }

  for (const node of document.querySelectorAll("button[data-copy]")) {
    const button = /** @type {HTMLButtonElement} */ (node);
    const label = button.querySelector("span") || button;
    button.addEventListener("click", async function () {
      const source = document.getElementById(button.dataset.copy || "");
      if (!source) return;
      label.textContent = sitegen.text((await copied(source)) ? "copy.done" : "copy.failed");
      window.setTimeout(() => (label.textContent = sitegen.text("copy.do")), 2000);
    });
  }
});
