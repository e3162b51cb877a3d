/* The theme switch: as the system, light, dark. */
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

  button.addEventListener("click", function () {
    chosen = CHOICES[(CHOICES.indexOf(chosen) + 1) % CHOICES.length];
    sitegen.storage.set("theme", chosen === "system" ? null : chosen);
    show();
    document.dispatchEvent(new CustomEvent("sitegen-theme"));
  });
  show();
});
