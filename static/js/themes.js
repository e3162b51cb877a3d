/* The theme switch: as the system, light, dark. Other pages that are open follow. */
sitegen.ready(function () {
  "use strict";
  const button = document.getElementById("theme");
  if (!button) return;
  const CHOICES = ["system", "light", "dark"];
  let chosen = document.documentElement.dataset.theme || "system";

  function show() {
    const words = sitegen.text(`theme.${chosen}`);
    if (!button) return;
    button.title = words;
    const label = button.querySelector(".sr");
    if (label) label.textContent = words;
    if (chosen === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen;
  }

  /** @param {string | null} theme */
  function use(theme) {
    const next = theme && CHOICES.includes(theme) ? theme : "system";
    if (next === chosen) return;
    chosen = next;
    show();
    document.dispatchEvent(new CustomEvent("sitegen-theme"));
  }

  button.addEventListener("click", function () {
    const next = CHOICES[(CHOICES.indexOf(chosen) + 1) % CHOICES.length];
    sitegen.storage.set("theme", next === "system" ? null : next);
    use(next);
  });
  window.addEventListener("storage", (event) => event.key === "sitegen-theme" && use(event.newValue));
  window.addEventListener("pageshow", (event) => event.persisted && use(sitegen.storage.get("theme")));
  show();
});
