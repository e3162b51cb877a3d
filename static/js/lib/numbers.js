/* Numbers and days as the pages' own code writes them (`sitegen/format.py`); the same cases test both. */
(function () {
  "use strict";
  const MINUS = "\u2212";
  const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

  /** Decimals with ties to the even digit. @param {number} size @param {number} places */
  function decimals(size, places) {
    const text = size.toFixed(places);
    const long = size.toFixed(Math.min(places + 26, 100));
    const tail = long.slice(long.length - 26);
    if (!/^50*$/.test(tail)) return text;
    const cut = long.slice(0, long.length - 26).replace(/\.$/, "");
    return Number(cut[cut.length - 1]) % 2 === 0 ? cut : text;
  }

  /** @param {string} text */
  function grouped(text) {
    const [whole, rest] = text.split(".");
    const parts = whole.replace(/\B(?=(\d{3})+$)/g, ",");
    return rest === undefined ? parts : `${parts}.${rest}`;
  }

  /** @param {number} value @param {number} digits */
  function power(value, digits) {
    const [mantissa, exponent] = Math.abs(value).toExponential(digits - 1).split("e");
    const short = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
    return `${value < 0 ? MINUS : ""}${short}e${Number(exponent)}`;
  }

  /** @param {number | null} value */
  function special(value) {
    if (value === null || value === undefined) return "–";
    if (Number.isNaN(value)) return "NaN";
    if (!Number.isFinite(value)) return value > 0 ? "∞" : `${MINUS}∞`;
    return null;
  }

  sitegen.numbers = {
    number(value, digits = 4) {
      const odd = special(value);
      if (odd !== null || value === null) return odd || "";
      const size = Math.abs(value);
      if (size === 0) return "0";
      if (size < 1e-4 || size >= 1e9) return power(value, digits);
      const sign = value < 0 ? MINUS : "";
      if (Number.isInteger(value)) return sign + grouped(size.toFixed(0));
      const exponent = Number(size.toExponential(digits - 1).split("e")[1]);
      return sign + grouped(decimals(size, Math.max(digits - 1 - exponent, 0)));
    },

    fixed(value, places) {
      const odd = special(value);
      if (odd !== null || value === null) return odd || "";
      if (Math.abs(value) >= 1e15) return power(value, 4);
      const text = grouped(decimals(Math.abs(value), places));
      return /[1-9]/.test(text) && value < 0 ? MINUS + text : text;
    },

    date(unix, lang) {
      if (unix === null || !Number.isFinite(new Date(unix * 1000).getTime())) return "–";
      const day = new Date(unix * 1000);
      if (lang === "zh") return sitegen.numbers.iso(unix).slice(0, 10);
      return `${day.getUTCDate()}\u00a0${MONTHS[day.getUTCMonth()]}\u00a0${day.getUTCFullYear()}`;
    },

    iso(unix) {
      return `${new Date(unix * 1000).toISOString().slice(0, 19)}Z`;
    },
  };
})();
