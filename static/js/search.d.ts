/* Types of the search; not shipped. */

type SearchKind = "run" | "metric" | "term" | "setting" | "value" | "exception" | "facet" | "page";
type Column<T> = T[];

/** What `search-index.js` holds: columns; `sitegen/pages/search.py` says what each is. */
interface SearchData {
  version: number;
  runs: { t: string[]; s: string[]; a: string[]; x: string[]; d: (number | null)[] };
  entries: { i: string[]; n: string[]; te: string[]; tz: string[]; se: string[]; sz: string[]; fe: string[]; fz: string[] };
  metrics: { n: string[]; e: number[]; r: number[] };
  exceptions: { n: string[]; e: number[]; r: number[] };
  settings: { n: string[]; e: number[]; r: number[] };
  values: { k: number[]; v: string[]; r: number[] };
  facets: { fe: string[]; fz: string[]; te: string[]; tz: string[]; l: string[]; r: number[] };
  pages: { te: string[]; tz: string[]; se: string[]; sz: string[]; l: string[] };
  left: string[];
  sets: number[][];
}

interface SearchItem {
  kind: SearchKind;
  /** Name as logged or written; empty when it has only a title. */
  name: string;
  /** Titles in English and Chinese; empty without. */
  titles: [string, string];
  /** A sentence about it in English and Chinese; empty without. */
  notes: [string, string];
  /** Its framework, group or day; empty without. */
  side: [string, string];
  /** English site path, with anchor or state. */
  page: string;
  /** Place in `sets` of the runs that have it, -1 without. */
  set: number;
  /** Folded names that decide most. */
  names: string[];
  /** Folded titles. */
  folded: [string, string];
  /** Folded words that count less. */
  text: string;
  /** All folded text, to see at once that a word is nowhere. */
  all: string;
  /** Its names without what parts them; made when asked for. */
  joined?: string;
  /** Whether it has Chinese at all. */
  han: boolean;
  /** Day, to put newer runs first among equals; 0 unknown. */
  day: number;
}

interface SearchIndex {
  items: SearchItem[];
  runs: { title: string; slug: string }[];
  sets: number[][];
  left: string[];
  /** Every Latin word there is; made when a query holds one that is not among them. */
  words?: string[];
}

interface SearchGroup {
  kind: SearchKind;
  items: SearchItem[];
}

interface Sitegen {
  /** Set by `search-index.js`. */
  searchIndex?: SearchData;
  search: {
    VERSION: number;
    /** The index as it is searched; null when its form is not known. */
    prepare(data: SearchData | undefined): SearchIndex | null;
    /** The words of a query, folded; Chinese is parted from Latin, and parts of names from each other. */
    words(query: string): string[];
    /** How well a folded word fits a folded text, 0 to 100; `inside` says that the middle of a word counts. */
    fit(text: string, word: string, inside: boolean): number;
    /** Everything that fits every word of a query, by kind, best first. */
    find(index: SearchIndex, query: string, lang: string): SearchGroup[];
    /** Places of the runs of a set. */
    runsOf(index: SearchIndex, set: number): number[];
    /** How many runs a set has. */
    count(index: SearchIndex, set: number): number;
    /** The parts of a text, those that a query's words hit marked. */
    marked(text: string, query: string): { text: string; hit: boolean }[];
  };
  searching: {
    /** Opens the search, or goes to its field where the page is the search. */
    open(): void;
  };
}
