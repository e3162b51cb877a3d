/* The page for addresses that do not exist. A host shows it anywhere, so it asks for this script at every depth; the
   one that was found knows by its own address where the site begins, makes the links, and offers to search for what
   the address names. */
(function () {
  "use strict";
  const page = document.documentElement;
  const own = document.currentScript instanceof HTMLScriptElement ? document.currentScript.src : "";
  const root = own.slice(0, own.lastIndexOf("/assets/") + 1);
  if (!root || page.dataset.root) return;
  page.dataset.root = root;
  page.classList.add("has-js");
  try {
    const theme = window.localStorage.getItem("sitegen-theme");
    if (theme === "light" || theme === "dark") page.dataset.theme = theme;
  } catch (error) {
    /* storage is blocked: follow the system */
  }

  /** What the address names: the last of its parts that is no page that every run has. */
  function meant() {
    const rest = window.location.href.startsWith(root) ? window.location.pathname.slice(new URL(root).pathname.length) : "";
    const parts = rest.split("/").map((part) => part.replace(/\.\w+$/, ""));
    const usual = /^(zh|runs|index|metrics|trials|engines|config|logs|sources|embed|glossary|list|404|data|assets|)$/;
    const name = parts.filter((part) => !usual.test(part)).pop() || "";
    try {
      return decodeURIComponent(name).slice(0, 80);
    } catch (error) {
      return name.slice(0, 80);
    }
  }

  const name = meant();
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll("a[data-to]"))) {
    link.href = root + link.dataset.to;
    const offer = link.closest("[data-meant]");
    if (!(offer instanceof HTMLElement) || !name) continue;
    link.textContent = name;
    link.href += `#q=${encodeURIComponent(name)}`;
    offer.hidden = false;
  }
  for (const part of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".ways"))) part.hidden = false;
  for (const part of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-lost]"))) part.hidden = true;
  const chinese = document.querySelector("section[lang|=zh]");
  const wanted = window.location.href.startsWith(`${root}zh/`) || /^zh\b/i.test(window.navigator.language);
  if (chinese && wanted) {
    const first = document.querySelector("main section");
    if (first) first.before(chinese);
    page.lang = chinese.getAttribute("lang") || page.lang;
  }
})();
