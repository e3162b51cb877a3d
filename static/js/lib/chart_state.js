/* What all charts of a page share, as the keys `smooth`, `x`, `axis`, `step` and `card` of the address's hash. Pure.
   `#smooth=mean5&x=10-40&axis=clock&step=12`; a key at its default is not written. `x` and `step` are always said in
   the charts' own positions (steps; hours of engine samples), whatever the axis shows. */
(function () {
  "use strict";

  /** @type {ChartSmooth[]} */
  const SMOOTH = ["ema", "mean5", "off"];
  const ROOM = 0.5; // of a step, at least
  const SHARE = 0.015; // of the range
  const RANGE = /^(-?\d+(?:\.\d+)?)-(-?\d+(?:\.\d+)?)$/;

  /** A number with as many decimals as a range of that width needs.
      @param {number} value
      @param {number} width */
  function short(value, width) {
    const places = Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(width))));
    return String(Number(value.toFixed(places)));
  }

  /** @param {[number, number]} wanted
      @param {[number, number]} whole
      @param {number} least
      @returns {[number, number] | null} */
  function inside(wanted, whole, least) {
    const low = Math.max(wanted[0], whole[0]);
    const high = Math.min(wanted[1], whole[1]);
    const shortest = Math.max(least, (whole[1] - whole[0]) * 0.01);
    return high - low < shortest ? null : [low, high];
  }

  sitegen.chartState = {
    SMOOTH,

    /** First and last step of a drawn axis, without the room that a drawing leaves beside them. */
    ends(x0, x1) {
      const room = Math.max(ROOM, (SHARE * (x1 - x0)) / (1 + 2 * SHARE));
      return [Math.round(x0 + room), Math.round(x1 - room)];
    },

    /** A range of steps with the room that a drawing leaves beside them (`step_domain` of `charts/scales.py`). */
    padded([first, last]) {
      const room = Math.max(ROOM, SHARE * (last - first));
      return [first - room, last + room];
    },

    /** The whole steps inside a range; around it where it holds fewer than two, or when it grows. */
    snapped([from, to], outward = false) {
      const [low, high] = [Math.ceil(from), Math.floor(to)];
      if (low < high && !outward) return [low, high];
      const first = Math.floor(from);
      return [first, Math.max(first + 1, Math.ceil(to))];
    },

    /** The state that a hash says; what it cannot mean is left at its default. */
    read(keys) {
      const smooth = SMOOTH.find((known) => known === keys.smooth) || "ema";
      const found = RANGE.exec(keys.x || "");
      const [low, high] = found ? [Number(found[1]), Number(found[2])] : [0, 0];
      const step = /^-?\d+(?:\.\d+)?$/.test(keys.step || "") ? Number(keys.step) : null;
      const axis = /^[a-z]+$/.test(keys.axis || "") ? keys.axis : "step";
      return { smooth, x: low < high ? [low, high] : null, step, axis };
    },

    /** The keys that say a state; an empty value removes one. */
    write(state) {
      const width = state.x ? state.x[1] - state.x[0] : 1;
      return {
        smooth: state.smooth === "ema" ? "" : state.smooth,
        x: state.x ? `${short(state.x[0], width)}-${short(state.x[1], width)}` : "",
        step: state.step === null ? "" : String(Number(state.step.toFixed(6))),
        axis: state.axis === "step" ? "" : state.axis,
      };
    },

    /** The range that a drag over the plot means; null when it is too short to be meant. */
    range(from, to, whole, least = 1) {
      return inside([Math.min(from, to), Math.max(from, to)], whole, least);
    },

    /** The range `factor` times as wide around a position, which keeps its place on the screen; null for all. */
    zoom(shown, around, factor, whole, least = 1) {
      const at = around >= shown[0] && around <= shown[1] ? around : (shown[0] + shown[1]) / 2;
      const wanted = /** @type {[number, number]} */ ([at - (at - shown[0]) * factor, at + (shown[1] - at) * factor]);
      if (wanted[0] <= whole[0] && wanted[1] >= whole[1]) return null;
      return inside(wanted, whole, least) || shown;
    },

    /** The shown range moved by as little as it takes to hold a position; by whole steps where it is made of them. */
    holding(shown, at, whole, steps = false) {
      if (at >= shown[0] && at <= shown[1]) return shown;
      const width = shown[1] - shown[0];
      const low = at < shown[0] ? Math.max(whole[0], at - width * 0.1) : Math.min(whole[1], at + width * 0.1) - width;
      const start = !steps ? low : at < shown[0] ? Math.floor(low) : Math.ceil(low);
      return [start, start + width];
    },
  };
})();
