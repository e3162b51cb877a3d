/* Types of the tables of trials and tasks; not shipped. */

interface TrialData {
  total: number;
  /** Distinct names, sorted, of the columns that hold places in them. */
  names: Record<string, string[]>;
  columns: Record<string, any[]>;
  /** Row to the address of the trial's own page. */
  pages?: Record<string, string>;
}
/** All data that the page registers: trials, and tasks in the same shape. */
interface TrialsPayload extends TrialData {
  tasks: TrialData;
}
interface TrialIndex {
  data: TrialData;
  numbers: Record<string, Float64Array>;
  orders: Record<string, Int32Array>;
  /** Folded names, made when text is first looked for. */
  tasks: string[] | null;
  trials: string[] | null;
}
interface TrialQuery {
  find?: string;
  /** One task, by its whole name. */
  task?: string;
  outcome?: string;
  /** `none`, `any` or `=` and a name. */
  exception?: string;
  /** Column, smallest and largest value as typed; empty for none. */
  ranges?: Array<[string, string, string]>;
  /** Column, with `-` in front for descending. */
  sort?: string;
}
interface TrialCounts {
  /** By outcome of trials (-1, 0, 1) or kind of tasks (-1 not graded, 0 never solved, 1 sometimes, 2 always). */
  outcome: Record<string, number>;
  /** `none` and `any`. */
  exception: Record<string, number>;
  /** By place among the exceptions' names. */
  names: number[];
}
interface Sitegen {
  trialRows: {
    value(data: TrialData, column: string, row: number): Cell;
    index(data: TrialData): TrialIndex;
    warm(index: TrialIndex): void;
    order(index: TrialIndex, column: string, descending: boolean): Int32Array;
    passing(index: TrialIndex, query: TrialQuery): { rows: number[]; counts: TrialCounts };
  };
  /** Parts that the tables of trials and of tasks share. */
  trialParts: {
    PAGE: number;
    /** A table whose rows are drawn a page at a time; `prefix` begins its keys in the address. */
    pages(options: {
      section: HTMLElement;
      prefix: string;
      cell(column: string, row: number): HTMLTableCellElement;
    }): { draw(rows: number[], state: Record<string, string>): void; step(by: number): void; columns: string[] };
    save(rows: Cell[][], name: string): void;
  };
}
