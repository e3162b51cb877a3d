/* Types of the index's scripts; not shipped. */

interface Coded {
  names: string[];
  en?: string[];
  zh?: string[];
  at: number[][];
}
interface RunData {
  slugs: string[];
  titles: string[];
  /** What a status that is a guess rests on; `numbers.guessed` counts them from 1, 0 is no guess. */
  guesses: string[];
  numbers: Record<string, Array<number | null>>;
  /** Column to the runs of which only a published report tells it. */
  told: Record<string, number[]>;
  range: [number, number];
  sparks: Array<string | null>;
  facets: Record<string, Coded>;
  meaning: { en: string[]; zh: string[]; at: number[] };
  reward: Array<string | null>;
}
/** best, its step, mean, at checkpoint, first step or all steps, values */
type MetricRecord = [number | null, number | null, number | null, number | null, number | number[], number[]];
interface MetricData {
  at: number[];
  runs: MetricRecord[];
}
interface MetricEntry {
  key: string;
  file: string;
  en: string;
  zh: string;
  runs: number;
  /** Better direction; empty when there is none. */
  best: string;
  /** Whether the glossary lists it among those to look at first. */
  first: boolean;
  /** Framework to the explanation of what the name means there: entry, and the name where the entry has several. */
  means: Record<string, string>;
}
interface ColumnData {
  metrics: MetricEntry[];
  /** `term`: its explanation, where the glossary has one. */
  settings: Array<{ key: string; runs: number; values: number; term?: string }>;
  configs: string;
}
type ConfigData = Record<string, [string[], number[]]>;
interface BuiltColumn {
  id: string;
  kind: string;
  label: string;
  shown: boolean;
  first: string;
  grouped: boolean;
}
type MetricStat = "last" | "best" | "mean" | "ckpt" | "step";
interface ColumnId {
  type: "built" | "metric" | "setting";
  id: string;
  key: string;
  stat: MetricStat | "";
  step: number;
}
/** A column ready to be drawn, sorted, filtered and saved. */
interface RunColumn {
  id: string;
  kind: string;
  label: string;
  title: string;
  numeric: boolean;
  /** What a shown number is of the stored one: 100 for shares. */
  scale: number;
  first: string;
  /** Value by run, for sorting, ranges and plots; null when there is none. */
  cells: Cell[];
  /** Step by run at which the value stands, where that is worth saying. */
  steps: Array<number | null> | null;
  /** Runs are ranked within one of these only; null: all together. */
  groups: number[] | null;
  groupNames: string[];
  /** Explanations: of the column, empty for none, and of its groups where they differ. */
  term: string;
  groupTerms: string[];
}
interface IndexConfig {
  rows: number;
  levels: string;
  data: string;
  /** The script that explains metrics and settings; empty for none. */
  terms: string;
  columns: BuiltColumn[];
  texts: Record<string, string>;
}
interface RunModel {
  n: number;
  texts: string[];
  facets: Record<string, { codes: Map<string, number>; labels: string[]; at: number[][] }>;
}
interface RangeFilter {
  cells: Cell[];
  low: number | null;
  high: number | null;
}
interface PlotAxis {
  kind: "linear" | "log" | "names";
  low: number;
  high: number;
  ticks: Array<{ at: number; text: string }>;
  /** Share of the axis for a value; null where it has no place. */
  place(value: Cell): number | null;
}
interface RunTone {
  tone: number;
  dash: boolean;
}
interface IndexView {
  state: Record<string, string>;
  columns: RunColumn[];
  sort: RunColumn | null;
  descending: boolean;
  rows: number[];
  /** Runs per value of each facet if that facet were not filtered. */
  counts: Record<string, number[]>;
  picked: string[];
  tones: Map<string, RunTone>;
}
interface SitegenIndex {
  config: IndexConfig;
  runs: RunData;
  model: RunModel;
  lang: "en" | "zh";
  say(key: string, values?: Record<string, string | number>): string;
  make<K extends keyof HTMLElementTagNameMap>(tag: K, css?: string, text?: string): HTMLElementTagNameMap[K];
  drawn(tag: string, attributes: Record<string, string | number>): SVGElement;
  mark(name: string): Element;
  wrapped(name: string): DocumentFragment;
  english(name: string): boolean;
  runLink(run: number): string;
  /** Loads a data script of the site once. */
  load(path: string): Promise<void>;
  columnData(): ColumnData | null;
  configData(): ConfigData | null;
  /** Loads what the columns need; false when all of it is there already. */
  want(ids: string[], configs: boolean): Promise<boolean>;
  column(id: string): RunColumn | null;
  numericIds(): string[];
  facetTitle(facet: string): string;
  /** Loads the explanations of metrics and settings, once. */
  explain(): void;
  status(run: number): { id: string; label: string };
  spark(run: number, width: number, height: number): SVGElement | null;
  shown(run: number, column: RunColumn): string;
  /** The box that ticks a run. */
  tick(run: number): HTMLInputElement;
  colour(node: Element, run: number, css: string): void;
  ranked(view: IndexView): number[];
  onPage(view: IndexView): { page: number; pages: number; first: number; rows: number[] };
  csv(view: IndexView): string;
  save(text: string, name: string, type?: string): void;
  rangeIds(state: Record<string, string>): string[];
  ranges(state: Record<string, string>): RangeFilter[];
  chosen(state: Record<string, string>): Record<string, string[]>;
  prepare(): Promise<void>;
  view: IndexView;
  parts: Array<(view: IndexView) => void>;
  refresh(): void;
}

interface Sitegen {
  index: SitegenIndex;
  numbers: {
    number(value: number | null, digits?: number): string;
    fixed(value: number | null, places: number): string;
    date(unix: number | null, lang: string): string;
    iso(unix: number): string;
  };
  runColors: { assign(slugs: string[]): Map<string, RunTone> };
  columns: {
    parse(id: string, built: BuiltColumn[]): ColumnId | null;
    chosen(text: string | undefined, built: BuiltColumn[]): string[];
    write(ids: string[], built: BuiltColumn[]): string;
    value(record: MetricRecord, stat: string, step: number): { value: number | null; step: number | null };
    range(text: string): { low: string; high: string } | null;
  };
  runRows: {
    model(runs: RunData): RunModel;
    matches(model: RunModel, query: string, configs: ConfigData | null): boolean[];
    filtered(
      model: RunModel,
      matching: boolean[],
      chosen: Record<string, string[]>,
      ranges: RangeFilter[],
    ): { rows: number[]; counts: Record<string, number[]> };
    csv(rows: Cell[][]): string;
  };
  plots: {
    numbers(cells: Cell[]): boolean;
    axis(cells: Cell[], most: number, factor: number): PlotAxis;
    bins(values: number[], count: number): number[];
    spread(index: number): number;
    differing(configs: ConfigData, rows: number[]): Array<{ key: string; values: number; set: number; some: boolean }>;
  };
}
