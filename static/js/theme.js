/* Sets the chosen theme before the first paint. The only script that is not deferred; it works when storage is
   blocked (the theme then follows the system). */
(function () {
  "use strict";
  document.documentElement.classList.add("has-js");
  try {
    var theme = window.localStorage.getItem("sitegen-theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch (error) {
    /* storage is blocked: follow the system */
  }
})();
