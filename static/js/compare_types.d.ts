/* Types of the compare page's scripts; not shipped. */

type CompareStat = "common" | "last" | "best" | "mean" | "ckpt";
/** First step or all steps, raw values, EMA, trailing mean, steps not finite. */
type CompareLine = [
  number | number[],
  Array<number | null>,
  Array<number | null>,
  Array<number | null>,
  number[],
];
/** Number of the script that holds it, direction, explanation, best, its step, mean, at checkpoint, last, its step. */
type CompareFigures = [
  number,
  string,
  string,
  number | null,
  number | null,
  number | null,
  number | null,
  number | null,
  number | null,
];
/** What `data/compare.js` of a run says. */
interface CompareAbout {
  framework: string | null;
  reward: string | null;
  samples: number | null;
  data: string | null;
  /** Prompts per step and GPUs; null where not known. */
  batch: number | null;
  gpus: number | null;
  failed: boolean;
  last: number | null;
  checkpoint: number | null;
  assumed: boolean;
  roles: Record<string, string>;
  files: string[];
  metrics: Record<string, CompareFigures>;
  config: Record<string, string>;
  settings: Record<string, string>;
}
interface CompareRole {
  id: string;
  label: string;
  shown: boolean;
}
interface CompareConfig {
  roles: CompareRole[];
  ignore: string[];
  frameworks: Record<string, string>;
  texts: Record<string, string>;
}
interface CompareState {
  runs: string[];
  refused: string[];
  unknown: string[];
  base: string;
  /** Roles (`@reward`) and logged names. */
  metrics: string[];
  usual: boolean;
  stat: CompareStat;
  all: boolean;
  ignore: string[];
  query: string;
  /** Whether settings that only some runs have are all shown. */
  rows: boolean;
}
interface CompareSubject {
  id: string;
  role: string;
  /** Metric by run; null where the run has none. */
  keys: Array<string | null>;
  /** Its explanation by run. */
  terms: Array<string | null>;
}
interface CompareDrawn {
  /** Code of colour and dash. */
  series: string;
  line: CompareLine;
  checkpoint: number | null;
}
/** What of a line lies in the range drawn. */
interface ComparePart {
  series: string;
  checkpoint: number | null;
  steps: number[];
  /** Raw values, EMA, trailing mean. */
  columns: Array<Array<number | null>>;
  /** Steps at which the value is not finite. */
  bad: number[];
  /** Whether so few values are drawn that each is a dot. */
  few: boolean;
}
interface CompareAxis {
  y0: number;
  y1: number;
  yTicks: number[];
  yDiv: number;
  ySuffix: string;
  yFormat: string;
  /** Where the axis ends, when values lie beyond. */
  yTop?: number;
}
interface CompareVerdict {
  delta: number;
  word: "same" | "better" | "worse" | "none";
}
interface CompareSetting {
  key: string;
  values: Array<string | null>;
}
interface CompareRule {
  id: "reward" | "pass" | "samples" | "framework" | "data" | "step" | "failed";
  groups: Array<{ value: string; runs: number[] }>;
  /** Runs of which it is not known. */
  unknown?: number[];
  /** Ids of subjects, and facts with `#`, that are not compared at all. */
  touches: string[];
  /** The same of those whose difference is shown but not called better or worse. */
  mutes?: string[];
}
/** Everything that is drawn. */
interface CompareView {
  state: CompareState;
  runs: number[];
  tones: RunTone[];
  abouts: CompareAbout[];
  subjects: CompareSubject[];
  rules: CompareRule[];
  common: number | null;
  furthest: number | null;
}
interface SitegenCompare {
  config: CompareConfig;
  runs: RunData;
  lang: "en" | "zh";
  view: CompareView | null;
  say(key: string, values?: Record<string, string | number>): string;
  /** Parts of a sentence in which placeholders stand for nodes. */
  told(key: string, values: Record<string, Node | string>): DocumentFragment;
  swatch(tone: RunTone): SVGElement;
  tag(view: CompareView, run: number): HTMLElement;
  letters(runs: number[]): string;
  title(subject: CompareSubject): string;
  link(keys: Record<string, string>): string;
  term(id: string | undefined, content: Node | string): HTMLElement;
  line(view: CompareView, run: number, key: string | null): CompareLine | null;
  /** A name in code type that may break. */
  code(name: string): HTMLElement;
  /** A long name without its middle. */
  middle(name: string): string;
  /** Title and sentence of an explanation; empty while they are not there. */
  termTitle(id: string | null | undefined): string;
  banner(tone: string, text: Node | string): HTMLElement;
  heads(state: CompareState): void;
  tables(view: CompareView): void;
  charts(view: CompareView): void;
  picker(state: CompareState): void;
  metricPicker(view: CompareView): void;
}

interface Sitegen {
  compare: SitegenCompare;
  compareState: {
    MOST: number;
    STATS: CompareStat[];
    read(keys: Record<string, string>, known: Set<string>, config: CompareConfig): CompareState;
    metrics(ids: string[], config: CompareConfig): string;
    runs(slugs: string[], base: string): { runs: string; base: string };
    letter(at: number): string;
    letters(runs: number[]): string[];
  };
  compareAxis: {
    wantsLog(values: number[]): boolean;
    linear(values: number[], rate: boolean): CompareAxis;
    top(values: number[]): number | null;
    fitting(lines: number[][], values: number[]): CompareAxis;
    log(values: number[]): CompareAxis;
  };
  compareLines: {
    code(tone: RunTone): string;
    stepsOf(line: CompareLine): number[];
    common(abouts: CompareAbout[]): number | null;
    furthest(abouts: CompareAbout[]): number | null;
    subject(id: string, abouts: CompareAbout[]): CompareSubject;
    value(
      about: CompareAbout,
      key: string | null,
      line: CompareLine | null,
      stat: CompareStat,
      common: number | null,
    ): { value: number | null; step: number | null };
    verdict(value: number | null, base: number | null, direction: string): CompareVerdict | null;
    chart(
      lines: CompareDrawn[],
      range: [number, number],
      options: { rate: boolean; checkpoints: boolean; labels: boolean; height: number; names: ChartName[] },
    ): ChartData | null;
    table(lines: CompareDrawn[]): Cell[][];
  };
  compareSettings: {
    groups<T>(values: Array<T | null>): Array<{ value: T; runs: number[] }>;
    ignored(key: string, list: string[]): boolean;
    differing(
      configs: Array<Record<string, string>>,
      list: string[],
    ): { shown: CompareSetting[]; left: string[]; total: number };
    rules(abouts: CompareAbout[], subjects: CompareSubject[]): CompareRule[];
  };
}
