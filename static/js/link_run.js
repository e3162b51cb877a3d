/* "Link this run": where the site's address is not set, the one at which the page was opened stands in the texts.
   It is put in when the panel is opened, since a static Space or a copy of the folder has another one. */
sitegen.ready(function () {
  "use strict";
  const panel = document.getElementById("share");
  if (!(panel instanceof HTMLDetailsElement)) return;
  const texts = Array.from(panel.querySelectorAll("pre"), (node) => ({ node, text: node.textContent || "" }));
  const local = document.getElementById("share-local");
  const root = () => new URL(`${(document.documentElement.dataset.root || ".").replace(/\/$/, "")}/`, location.href);

  panel.addEventListener("toggle", () => {
    const site = root();
    for (const { node, text } of texts) node.textContent = text.replaceAll("{site}/", site.href);
    const here = site.protocol === "file:" || ["localhost", "127.0.0.1", "[::1]"].includes(site.hostname);
    if (local) local.hidden = !(here && texts.some(({ text }) => text.includes("{site}/")));
  });
  document.addEventListener("click", (event) => {
    if (panel.open && event.target instanceof Node && !panel.contains(event.target)) panel.open = false;
  });
  panel.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !panel.open) return;
    panel.open = false;
    const opener = panel.querySelector("summary");
    if (opener) opener.focus();
  });
});
