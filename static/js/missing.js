/* The page for addresses that do not exist. A host shows it anywhere, so it looks for a picture of the site in every
   folder from its own upwards; where the picture is, the site begins. Then it makes the links, and offers to search
   for what the address names. */
(function () {
  "use strict";
  const page = document.documentElement;
  const probe = page.dataset.probe || "";
  try {
    const theme = window.localStorage.getItem("sitegen-theme");
    if (theme === "light" || theme === "dark") page.dataset.theme = theme;
  } catch (error) {
    /* storage is blocked: follow the system */
  }

  /** What the address names: the last of its parts that is no page that every run has.
      @param {string} root */
  function meant(root) {
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

  /** Makes the links.
      @param {string} root address of the folder where the site begins */
  function found(root) {
    const name = meant(root);
    page.dataset.root = root;
    page.classList.add("has-js");
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
  }

  /** Looks in a folder, and if the site does not begin there, in the one above.
      @param {URL} folder */
  function look(folder) {
    const picture = new Image();
    picture.onload = () => found(folder.href);
    picture.onerror = () => {
      if (folder.pathname !== "/") look(new URL("..", folder));
    };
    picture.src = folder.href + probe;
  }

  document.addEventListener("DOMContentLoaded", () => look(new URL(".", window.location.href)));
})();
