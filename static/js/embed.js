/* A chart in a frame: `#theme=dark` or `light` holds whatever the reader chose elsewhere, `lang=zh` leads to the page in
   that language. Not deferred, so that nothing is painted in the wrong theme. */
(function () {
  "use strict";
  const page = document.documentElement;

  function follow() {
    const wanted = new URLSearchParams(window.location.hash.slice(1));
    const theme = wanted.get("theme");
    if (theme === "light" || theme === "dark") page.dataset.theme = theme;
    else if (theme === "system") delete page.dataset.theme;
    const lang = wanted.get("lang");
    if ((lang === "en" || lang === "zh") && lang !== page.dataset.lang && page.dataset.other)
      window.location.replace(page.dataset.other + window.location.hash);
  }

  follow();
  window.addEventListener("hashchange", function () {
    follow();
    document.dispatchEvent(new CustomEvent("sitegen-theme"));
  });
})();
