/* Types of the one namespace object; not shipped. Charts add theirs in files of their own (interfaces merge). */

type Cell = number | string | null;
interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}
interface Placement {
  left: number;
  top: number;
  above: boolean;
}
interface Popover {
  /** Title. */
  t: string;
  /** Places of unit, direction and, of a guess, its basis among the facts of the page. */
  m: number[];
  /** One sentence. */
  s: string;
}
type KeyAction = "index" | "glossary" | "next" | "previous" | "search" | "filter" | "language" | "help";

interface Sitegen {
  texts: Record<string, Record<string, string>>;
  /** One interface string in the page's language. */
  text(key: string, values?: Record<string, string | number>): string;
  /** Relative link from this page to an English site path, in this page's language. */
  pageLink(path: string): string;
  /** Runs now or once the document has been read. */
  ready(start: () => void): void;

  table: {
    order(cells: Cell[], descending: boolean, groups?: number[]): number[];
    cell(kind: string, data: string | undefined, text: string): Cell;
  };
  filter: {
    fold(text: string): string;
    matches(text: string, query: string): boolean;
  };
  hash: {
    read(hash: string): Record<string, string>;
    write(state: Record<string, string>): string;
    list(value: string | undefined): string[];
    join(values: string[]): string;
    page(path: string): string;
  };
  keys: {
    machine(): (key: string, now: number) => KeyAction | null;
    /** Keys of this page alone; keys of every page come first. */
    own: Record<string, () => void>;
    add(keys: Record<string, () => void>): void;
  };
  /** `over`: above the word where there is room, so that what stands below it stays in sight. */
  place: { below(anchor: Box, size: { width: number; height: number }, view: Box, over?: boolean): Placement };
  storage: {
    get(name: string): string | null;
    set(name: string, value: string | null): void;
    /** Leaves a value for the next page of this tab; false where that is not possible. */
    pass(name: string, value: string): boolean;
    /** Takes the value that the page before left. */
    take(name: string): string | null;
  };
  state: {
    get(): Record<string, string>;
    /** Changes keys of the address's hash; an empty value removes one. `push` makes a step of the back button. */
    set(changes: Record<string, string>, push?: boolean): void;
    watch(listener: (state: Record<string, string>) => void): void;
  };
  /** `lend`: the button takes over the explanation of the term that it holds. */
  popovers: {
    close(): boolean;
    lend(button: HTMLElement): void;
    /** Takes in explanations of names that a script writes. */
    add(more: { terms: Record<string, Popover>; facts: string[] }): void;
  };
  /** Addresses of all runs in the order of the index; loaded when first needed. */
  runs?: string[];
}

declare var sitegen: Sitegen;
declare var module: { exports: unknown } | undefined;
