/* Ticked runs: their colours, the bar that names them, and the way to compare them. */
(function () {
  "use strict";
  const own = sitegen.index;
  const MOST = 12;

  /** @param {string[]} slugs @param {boolean} push */
  function pick(slugs, push) {
    sitegen.state.set({ sel: sitegen.hash.join(slugs) }, push);
  }

  /** The box that ticks a run. @param {number} run */
  own.tick = function (run) {
    const slug = own.runs.slugs[run];
    const box = own.make("input", "cb");
    box.type = "checkbox";
    box.autocomplete = "off";
    box.dataset.pick = slug;
    box.setAttribute("aria-label", own.say("select", { name: own.runs.titles[run] }));
    box.addEventListener("change", function () {
      const rest = own.view.picked.filter((other) => other !== slug);
      pick(box.checked ? [...rest, slug] : rest, true);
    });
    return box;
  };

  /** Shows on a row, a tile, whether its run is ticked. @param {Element} node @param {number} run @param {string} css */
  own.colour = function (node, run, css) {
    const tone = own.view.tones.get(own.runs.slugs[run]);
    node.classList.toggle(css, Boolean(tone));
    const box = node.querySelector("input[data-pick]");
    if (box instanceof HTMLInputElement) box.checked = Boolean(tone);
    const spark = node.querySelector("svg.spark");
    if (!spark) return;
    spark.setAttribute("class", `spark r${tone ? tone.tone : 0}`);
    const line = spark.querySelector(".ema");
    if (line) line.classList.toggle("dash-2", Boolean(tone && tone.dash));
  };

  /** @param {string} name */
  function middle(name) {
    return name.length <= 36 ? name : `${name.slice(0, 20)}…${name.slice(-15)}`;
  }

  /** @param {string} slug @param {IndexView} view */
  function item(slug, view) {
    const run = own.runs.slugs.indexOf(slug);
    const tone = view.tones.get(slug) || { tone: 1, dash: false };
    const line = own.make("li");
    const swatch = own.drawn("svg", { class: `sw r${tone.tone}`, "aria-hidden": "true" });
    swatch.append(own.drawn("path", { class: `ema${tone.dash ? " dash-2" : ""}`, d: "M1 4H21" }));
    const name = own.make("span", "", middle(own.runs.titles[run]));
    name.title = own.runs.titles[run];
    const remove = own.make("button", "quiet");
    remove.type = "button";
    remove.setAttribute("aria-label", own.say("deselect", { name: own.runs.titles[run] }));
    remove.append(own.mark("i-x"));
    remove.addEventListener("click", () => pick(view.picked.filter((other) => other !== slug), true));
    line.append(swatch, name, remove);
    return line;
  }

  /** @param {IndexView} view */
  function ending(view) {
    const end = own.make("span", "end");
    const n = view.picked.length;
    if (n < 2) end.append(own.make("span", "quiet", own.say("one-more")));
    if (n > MOST) end.append(own.make("span", "quiet", own.say("most", { n: MOST })));
    const clear = own.make("button", "btn", own.say("clear"));
    clear.type = "button";
    clear.addEventListener("click", () => pick([], true));
    end.append(clear);
    if (n >= 2 && n <= MOST) {
      const compare = own.make("a", "btn primary", own.say("compare"));
      compare.href = `${sitegen.pageLink("compare/index.html")}${sitegen.hash.write({ runs: sitegen.hash.join(view.picked) })}`;
      compare.append(own.mark("i-arrow"));
      end.append(compare);
    }
    return end;
  }

  /** @param {IndexView} view */
  function draw(view) {
    const bar = document.getElementById("picked");
    if (!bar) return;
    bar.hidden = view.picked.length === 0;
    const inside = bar.contains(document.activeElement);
    const list = own.make("ul");
    list.append(...view.picked.map((slug) => item(slug, view)));
    const count = own.make("b", "", own.say("selected", { n: view.picked.length }));
    bar.replaceChildren(count, list, ending(view));
    if (inside && !bar.hidden) /** @type {HTMLElement} */ (bar.querySelector(".end .btn")).focus();
  }

  own.parts.push(draw);
})();
