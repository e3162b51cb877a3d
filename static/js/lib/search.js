/* Search: what fits a query, and how well. Pure. Every word must fit; a word fits a name best when it is the whole
   name, then its beginning, a whole part, the beginning of a part, the middle. What parts a name does not matter:
   `policy_loss`, `policy/loss` and `policy loss` are one. A Latin word that begins nowhere is taken for a slip, and
   words near it are found instead. Chinese is found by substrings, by pairs of characters where the words stand
   apart, and with one other character. */
(function () {
  "use strict";

  /** @type {SearchKind[]} */
  const KINDS = ["run", "metric", "term", "setting", "value", "exception", "facet", "page"];
  /** Added by kind, so that of equal names the run or the metric comes before a setting. @type {Record<SearchKind, number>} */
  const WEIGHT = { run: 12, metric: 12, exception: 9, term: 5, setting: 5, facet: 2, page: 2, value: 0 };
  const HAN = "\\u3005\\u3007\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff";
  const SCRIPTS = new RegExp(`[${HAN}]+|[^${HAN}]+`, "g");
  const IS_HAN = new RegExp(`[${HAN}]`);
  const LETTER = /[\p{L}\p{N}]/u;
  /** What parts a name. */
  const PARTS = /[\s/_.:=-]+/g;
  /** Share of its pairs that a Chinese word needs where it does not stand as a whole. */
  const PAIRS = 0.6;
  /** Fewest letters of a word in which one slip is forgiven, and in which two are. */
  const SLIPS = [4, 8];
  /** What a word near the one asked for counts of what that one would, by slips: less than a middle; and what one
      counts of which only the beginning is near. */
  const NEAR = [0.39, 0.39, 0.34];
  const BEGUN = [0.3, 0.3, 0.26];
  /** Words that are looked for without their s too, and what that counts. */
  const PLURAL = /^[a-z]{3,}[a-rt-z]s$/;
  const SINGULAR = 0.9;
  /** How well a name fits that has the word when nothing parts it: `gradnorm` finds `grad_norm`. */
  const JOINED = 38;
  /** Most words that are taken for one with a slip. */
  const MOST_NEAR = 12;

  /** Text as it is compared: width and case aside, and whatever parts a name is a space. @param {string} text */
  const fold = (text) => sitegen.filter.fold(text).replace(PARTS, " ").trim();

  /** A name with its camel-case parts apart: `AgentTimeoutError` is found by `timeout` as a part. @param {string} name */
  function parted(name) {
    return name.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/([A-Z])([A-Z][a-z])/g, "$1 $2");
  }

  /** @param {string} name */
  function forms(name) {
    return [...new Set([name, parted(name)].map(fold))];
  }

  /** Whether a character goes on a word: letters and digits, but Chinese ones stand alone. @param {string} text @param {number} at */
  function inWord(text, at) {
    const code = text.charCodeAt(at); // NaN outside
    if (code < 128) return (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
    return code >= 128 && LETTER.test(text[at]) && !IS_HAN.test(text[at]);
  }

  /** Whether a part of a folded text begins or ends before a place. @param {string} text @param {number} at */
  function edge(text, at) {
    return !inWord(text, at - 1) || !inWord(text, at);
  }

  /** @param {string} text @param {string} word */
  function fitHan(text, word) {
    const at = text.indexOf(word);
    if (at >= 0) return text.length === word.length ? 100 : at === 0 ? 85 : 75;
    if (word.length < 3) return 0;
    let pairs = 0;
    for (let i = 0; i + 1 < word.length; i++) pairs += Number(text.includes(word.slice(i, i + 2)));
    const share = pairs / (word.length - 1);
    return share >= PAIRS ? 50 * share : 0;
  }

  /** @param {string} text @param {string} word @param {boolean} inside */
  function fit(text, word, inside) {
    if (IS_HAN.test(word)) return fitHan(text, word);
    let best = 0;
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
      const begins = edge(text, at);
      const ends = edge(text, at + word.length);
      if (at === 0 && text.length === word.length) return 100;
      const found = begins ? (at === 0 ? 78 : 64) + (ends ? 10 : 0) : inside && word.length > 1 ? 40 : 0;
      best = Math.max(best, found);
      if (best >= 74) return best;
    }
    return best;
  }

  /** Whether a word stands at the beginning of one of a text's. @param {string} text @param {string} word */
  function begins(text, word) {
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) if (!inWord(text, at - 1)) return true;
    return false;
  }

  /** Slips between a word and another, and the beginning of that which is nearest: letters that are wrong, missing, too
      many, or two of them exchanged; more than `most` when there are more.
      @param {string} word @param {string} other @param {number} most */
  function slips(word, other, most) {
    let [before, last] = [[0], Array.from({ length: other.length + 1 }, (_, at) => at)];
    for (let i = 1; i <= word.length; i++) {
      const row = [i];
      for (let j = 1; j <= other.length; j++) {
        const wrong = last[j - 1] + Number(word[i - 1] !== other[j - 1]);
        row[j] = Math.min(wrong, last[j] + 1, row[j - 1] + 1);
        const turned = i > 1 && j > 1 && word[i - 1] === other[j - 2] && word[i - 2] === other[j - 1];
        if (turned) row[j] = Math.min(row[j], before[j - 2] + 1);
      }
      if (Math.min(...row) > most) return { whole: most + 1, begun: most + 1 };
      [before, last] = [last, row];
    }
    return { whole: last[other.length], begun: Math.min(...last.slice(word.length - most)) };
  }

  /** The words of everything, for what is like a word that begins none of them. @param {SearchIndex} index */
  function vocabulary(index) {
    index.words = index.words || [...new Set(index.items.flatMap((item) => item.all.match(/[a-z][a-z0-9]{2,}/g) || []))];
    return index.words;
  }

  /** Words near one, and what each counts, the nearest and shortest first. @param {SearchIndex} index @param {string} word */
  function like(index, word) {
    const most = SLIPS.filter((least) => word.length >= least).length;
    if (!most || /^\d/.test(word)) return [];
    return vocabulary(index)
      .filter((other) => other.length >= word.length - most)
      .map((other) => {
        const { whole, begun } = slips(word, other.slice(0, word.length + most + 1), most);
        return { text: other, share: whole <= most ? NEAR[whole] : begun <= most ? BEGUN[begun] : 0 };
      })
      .filter(({ share }) => share > 0)
      .sort((a, b) => b.share - a.share || a.text.length - b.text.length || (a.text < b.text ? -1 : 1))
      .slice(0, MOST_NEAR);
  }

  /** A Chinese word with any one of its characters another. @param {SearchIndex} index @param {string} word */
  function likeHan(index, word) {
    if (word.length < 3) return [];
    const forms = [...word].map((_, at) => `${word.slice(0, at)}[${HAN}]${word.slice(at + 1)}`);
    const near = new RegExp(forms.join("|"), "g");
    const found = new Set(index.items.flatMap((item) => (item.han ? item.all.match(near) || [] : [])));
    return [...found].slice(0, MOST_NEAR).map((text) => ({ text, share: NEAR[1] }));
  }

  /** A word of a query with what need not be asked again for each item, and words near it where it is a slip.
      @param {SearchIndex} index @param {string} text */
  function term(index, text) {
    const han = IS_HAN.test(text);
    const known = index.items.some((item) => (han ? item.han && fitHan(item.all, text) > 0 : begins(item.all, text)));
    const singular = PLURAL.test(text) ? [{ text: text.slice(0, -1), share: SINGULAR }] : [];
    const near = known ? [] : han ? likeHan(index, text) : like(index, text);
    return { text, han, known, near: [...singular, ...near] };
  }

  /** Whether a name has a word that begins nothing when what parts the name is left out.
      @param {SearchItem} item @param {ReturnType<typeof term>} word */
  function joined(item, word) {
    if (word.known || word.han || word.text.length < SLIPS[0]) return false;
    item.joined = item.joined ?? item.names.join("\n").replace(/ /g, "");
    return item.joined.includes(word.text);
  }

  /** Whether a word can fit an item at all. @param {SearchItem} item @param {ReturnType<typeof term>} word */
  function possible(item, word) {
    if (word.han) return item.han;
    return item.all.includes(word.text) || joined(item, word) || word.near.some(({ text }) => item.all.includes(text));
  }

  /** How well one word fits an item. @param {SearchItem} item @param {string} word @param {number} lang */
  function fitItem(item, word, lang) {
    let best = 0;
    for (const name of item.names) best = Math.max(best, fit(name, word, true));
    if (best < 95) best = Math.max(best, 0.95 * fit(item.folded[lang] || item.folded[0], word, true));
    if (best < 80) best = Math.max(best, 0.8 * fit(item.folded[1 - lang], word, true));
    if (best < 30) best = Math.max(best, 0.3 * fit(item.text, word, word.length > 3));
    return best;
  }

  /** A word, or one near it. @param {SearchItem} item @param {ReturnType<typeof term>} word @param {number} lang */
  function fitWord(item, word, lang) {
    const near = word.near.map(({ text, share }) => share * fitItem(item, text, lang));
    return Math.max(fitItem(item, word.text, lang), joined(item, word) ? JOINED : 0, ...near);
  }

  /** Where a setting is read about that no entry explains: the configuration of its only run, else the list of its runs.
      @param {{ slug: string }[]} runs @param {number[]} places @param {string} key @param {string} query */
  function configPage(runs, places, key, query) {
    if (places.length === 1) return `runs/${runs[places[0]].slug}/config.html#q=${encodeURIComponent(key)}`;
    return `search.html#q=${encodeURIComponent(query)}`;
  }

  /** A value is meant when the query says it, not when it happens to hold a digit of it.
      @param {SearchItem} item @param {string[]} said */
  function meansValue(item, said) {
    const value = item.folded[0];
    return said.some((wanted) => value === wanted || (wanted.length > 2 && value.startsWith(wanted)));
  }

  /** What a query may say as a value: each of its words as typed, of a setting what comes after `=`. @param {string} query */
  function values(query) {
    const typed = sitegen.filter.fold(query).split(/[\s,、。;]+/);
    return typed.map((word) => fold(word.slice(word.lastIndexOf("=") + 1))).filter(Boolean);
  }

  /** @param {SearchItem} item @param {ReturnType<typeof term>[]} terms @param {string} whole @param {number} lang */
  function score(item, terms, whole, lang) {
    for (const word of terms) if (!possible(item, word)) return 0;
    let sum = 0;
    for (const word of terms) {
      const fits = fitWord(item, word, lang);
      if (fits === 0) return 0;
      sum += fits;
    }
    const straight = terms.length > 1 ? fitItem(item, whole, lang) : 0;
    return Math.max(sum / terms.length + straight / 10, straight) + WEIGHT[item.kind];
  }

  /** Order of items that fit equally well: newer runs, then shorter names. @param {SearchItem} one @param {SearchItem} other */
  function byName(one, other) {
    const [a, b] = [one.names[0] || one.folded[0], other.names[0] || other.folded[0]];
    return other.day - one.day || a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
  }

  /** @param {string} query */
  function words(query) {
    const found = fold(query)
      .split(/[\s,、。;]+/)
      .flatMap((word) => word.match(SCRIPTS) || []);
    return [...new Set(found)].slice(0, 12);
  }

  sitegen.search = {
    VERSION: 1,
    prepare: (data) => (data && data.version === sitegen.search.VERSION ? prepared(data) : null),
    words,
    fit,

    find(index, query, lang) {
      const wanted = words(query).map((word) => term(index, word));
      if (wanted.length === 0) return [];
      const [whole, said] = [fold(query), values(query)];
      const own = lang === "zh" ? 1 : 0;
      /** @type {Map<SearchKind, { item: SearchItem, score: number }[]>} */
      const kinds = new Map();
      for (const item of index.items) {
        const fits = item.kind === "value" && !meansValue(item, said) ? 0 : score(item, wanted, whole, own);
        if (fits === 0) continue;
        const list = kinds.get(item.kind);
        if (list) list.push({ item, score: fits });
        else kinds.set(item.kind, [{ item, score: fits }]);
      }
      const groups = [...kinds].map(([kind, list]) => {
        list.sort((a, b) => b.score - a.score); // stable: among equals the order of the index
        return { kind, best: list[0].score, items: list.map((found) => found.item) };
      });
      groups.sort((a, b) => b.best - a.best || KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
      return groups.map(({ kind, items }) => ({ kind, items }));
    },

    runsOf(index, set) {
      /** @type {number[]} */
      const places = [];
      let at = 0;
      (index.sets[set] || []).forEach((length, turn) => {
        if (turn % 2) for (let i = 0; i < length; i++) places.push(at + i);
        at += length;
      });
      return places;
    },

    count(index, set) {
      return (index.sets[set] || []).reduce((sum, length, turn) => sum + (turn % 2 ? length : 0), 0);
    },

    marked(text, query) {
      const folded = sitegen.filter.fold(text);
      if (folded.length !== text.length) return [{ text, hit: false }];
      const hits = new Uint8Array(text.length);
      for (const word of words(query)) {
        for (let at = folded.indexOf(word); at >= 0; at = folded.indexOf(word, at + 1)) hits.fill(1, at, at + word.length);
      }
      /** @type {{ text: string, hit: boolean }[]} */
      const parts = [];
      for (let from = 0, to = 1; from < text.length; from = to++) {
        while (to < text.length && hits[to] === hits[from]) to++;
        parts.push({ text: text.slice(from, to), hit: hits[from] === 1 });
      }
      return parts;
    },
  };

  /** @param {Partial<SearchItem> & { kind: SearchKind, page: string }} given @returns {SearchItem} */
  function made(given) {
    const item = { name: "", titles: ["", ""], notes: ["", ""], side: ["", ""], set: -1, text: "", day: 0, ...given };
    const names = item.names || (item.name ? forms(item.name) : []);
    const folded = item.titles.map(fold);
    // what is a name already, or the same in both languages, is looked at once
    const titles = folded.map((title, at) => (names.includes(title) || (at > 0 && title === folded[0]) ? "" : title));
    const text = fold(item.text);
    const all = [...names, ...titles, text].join("\n");
    return /** @type {SearchItem} */ ({ ...item, names, folded: titles, text, all, han: IS_HAN.test(all) });
  }

  /** @param {SearchData} data @returns {SearchIndex} */
  function prepared(data) {
    const runs = data.runs.t.map((title, place) => ({ title, slug: data.runs.s[place] }));
    const items = [...runItems(data), ...namedItems(data, runs), ...valueItems(data, runs), ...otherItems(data)];
    return { items: items.sort(byName), runs, sets: data.sets, left: data.left };
  }

  /** @param {SearchData} data */
  function runItems(data) {
    return data.runs.t.map((title, place) => {
      const [slug, about, day] = [data.runs.s[place], data.runs.a[place], data.runs.d[place]];
      return made({
        kind: "run",
        titles: [title, title],
        notes: [about, about],
        page: `runs/${slug}/index.html`,
        names: [...new Set([...forms(title), fold(slug)])],
        text: `${about} ${data.runs.x[place]}`,
        day: day || 0,
      });
    });
  }

  /** @param {SearchData} data @param {number} set */
  const places = (data, set) => sitegen.search.runsOf({ items: [], runs: [], sets: data.sets, left: [] }, set);

  /** An entry's part of an item. @param {SearchData} data @param {number} place @returns {Partial<SearchItem> & { page: string }} */
  function explained(data, place) {
    const { i, n, te, tz, se, sz, fe, fz } = data.entries;
    return {
      titles: [te[place], tz[place]],
      notes: [se[place], sz[place]],
      side: [fe[place], fz[place]],
      page: `glossary/${i[place]}.html`,
      text: `${i[place]} ${n[place]} ${se[place]} ${sz[place]}`,
    };
  }

  /** Logged names, exceptions and settings, and the entries that none of them is explained by.
      @param {SearchData} data @param {{ slug: string }[]} runs */
  function namedItems(data, runs) {
    const used = new Set([...data.metrics.e, ...data.exceptions.e, ...data.settings.e]);
    /** @param {SearchKind} kind @param {{ n: string[], e: number[], r: number[] }} columns */
    const named = (kind, columns) =>
      columns.n.map((name, at) => {
        const entry = columns.e[at];
        const set = columns.r[at];
        if (entry >= 0) return made({ kind, name, set, ...explained(data, entry) });
        return made({ kind, name, set, page: configPage(runs, places(data, set), name, name) });
      });
    const terms = data.entries.i.flatMap((_, place) => {
      if (used.has(place)) return [];
      const name = data.entries.n[place];
      return [made({ kind: "term", name: name.includes(" ") ? "" : name, ...explained(data, place) })];
    });
    return [
      ...named("metric", data.metrics),
      ...named("setting", data.settings),
      ...named("exception", data.exceptions),
      ...terms,
    ];
  }

  /** @param {SearchData} data @param {{ slug: string }[]} runs */
  function valueItems(data, runs) {
    return data.values.k.map((setting, at) => {
      const [key, value, set] = [data.settings.n[setting], data.values.v[at], data.values.r[at]];
      const name = `${key}=${value}`;
      return made({ kind: "value", name, titles: [value, value], set, page: configPage(runs, places(data, set), key, name) });
    });
  }

  /** @param {SearchData} data */
  function otherItems(data) {
    const { facets, pages } = data;
    const groups = facets.te.map((title, at) =>
      made({
        kind: "facet",
        titles: [title, facets.tz[at]],
        side: [facets.fe[at], facets.fz[at]],
        text: `${facets.fe[at]} ${facets.fz[at]}`,
        page: facets.l[at],
        set: facets.r[at],
      }),
    );
    const sections = pages.te.map((title, at) =>
      made({
        kind: "page",
        titles: [title, pages.tz[at]],
        notes: [pages.se[at], pages.sz[at]],
        text: `${pages.se[at]} ${pages.sz[at]}`,
        page: pages.l[at],
      }),
    );
    return [...groups, ...sections];
  }
})();
