/* What all charts of a page share, as the keys `smooth`, `x` and `step` of the address's hash. Pure.
   `#smooth=mean5&x=10-40&step=12`; a key at its default is not written. */
(function () {
  "use strict";

  /** @type {ChartSmooth[]} */
  const SMOOTH = ["ema", "mean5", "off"];
  const RANGE = /^(-?\d+(?:\.\d+)?)-(-?\d+(?:\.\d+)?)$/;

  /** @param {number} value */
  function short(value) {
    return String(Math.round(value * 10) / 10);
  }

  sitegen.chartState = {
    SMOOTH,

    /** The state that a hash says; what it cannot mean is left at its default. */
    read(keys) {
      const smooth = SMOOTH.find((known) => known === keys.smooth) || "ema";
      const found = RANGE.exec(keys.x || "");
      const [low, high] = found ? [Number(found[1]), Number(found[2])] : [0, 0];
      const step = /^-?\d+(?:\.\d+)?$/.test(keys.step || "") ? Number(keys.step) : null;
      return { smooth, x: low < high ? [low, high] : null, step };
    },

    /** The keys that say a state; an empty value removes one. */
    write(state) {
      return {
        smooth: state.smooth === "ema" ? "" : state.smooth,
        x: state.x ? `${short(state.x[0])}-${short(state.x[1])}` : "",
        step: state.step === null ? "" : String(state.step),
      };
    },

    /** The range that a drag over the plot means; null when it is too short to be meant. */
    range(from, to, whole) {
      const low = Math.max(Math.min(from, to), whole[0]);
      const high = Math.min(Math.max(from, to), whole[1]);
      return high - low < Math.max(1, (whole[1] - whole[0]) * 0.01) ? null : [low, high];
    },
  };
})();
