/* Types of the trials table's part of the namespace; not shipped. */

interface TrialData {
  total: number;
  /** Distinct names, sorted, of the columns that hold places in them. */
  names: Record<string, string[]>;
  columns: Record<string, any[]>;
}
interface TrialQuery {
  find?: string;
  outcome?: string;
  exception?: string;
  from?: string;
  to?: string;
}
interface Sitegen {
  trialRows: {
    value(data: TrialData, column: string, row: number): Cell;
    passing(data: TrialData, query: TrialQuery): number[];
    sorted(data: TrialData, rows: number[], column: string, descending: boolean): number[];
  };
}
