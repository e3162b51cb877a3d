/* Types of the charts' part of the namespace; not shipped. */

type ChartSmooth = "ema" | "mean5" | "off";
type ChartColumns = Record<string, any[]>;
interface ChartState {
  smooth: ChartSmooth;
  /** First and last step shown; null for all. */
  x: [number, number] | null;
  /** The marked step; null for none. */
  step: number | null;
}
interface ChartReading {
  series: string;
  value: number | null;
  smooth: number | null;
}
interface ChartReadable {
  at: number[];
  readings: Map<number, ChartReading[]>;
}
interface ChartName {
  /** Series code in the data. */
  key: string;
  en: string;
  zh: string;
}
interface ChartPayload {
  datasets: Record<string, ChartColumns>;
  /** Values of the form's parameters, and for the readout `names` and `position`. */
  params: Record<string, any>;
}
interface VegaScale {
  (value: any): number;
  invert?(pixel: number): any;
  domain(): any[];
  bandwidth?(): number;
}
interface VegaView {
  signal(name: string, value: any): VegaView;
  width(pixels: number): VegaView;
  scale(name: string): VegaScale;
  runAsync(): Promise<VegaView>;
  toSVG(): Promise<string>;
}
interface VegaResult {
  view: VegaView;
  finalize(): void;
}
interface VegaForm {
  data: Array<{ name: string; values?: object[] }>;
  signals: Array<{ name: string; value?: any }>;
  width: number;
  height: number;
}

interface Sitegen {
  /** Hands data to whoever asks for the key, now or later; objects of one key are merged. */
  register(key: string, payload: Record<string, any>): void;
  registered: Record<string, Record<string, any>>;
  /** Every chart form, compiled to Vega. */
  chartForms: Record<string, VegaForm>;
  vegaEmbed(host: HTMLElement, spec: VegaForm, options: object): Promise<VegaResult>;
  chartState: {
    SMOOTH: ChartSmooth[];
    read(keys: Record<string, string>): ChartState;
    write(state: ChartState): Record<string, string>;
    range(from: number, to: number, whole: [number, number]): [number, number] | null;
  };
  chartData: {
    rows(columns: ChartColumns): object[];
    readable(form: string, datasets: Record<string, ChartColumns>, smooth: ChartSmooth): ChartReadable;
    nearest(at: number[], x: number): number | null;
    text(value: number | null | undefined): string;
    withColors(svg: string, resolve: (name: string) => string): string;
  };
  /** For the cards' actions. */
  charts: {
    /** The chart as an SVG file's text, drawn first when it is not; null when it cannot be. */
    svg(id: string): Promise<string | null>;
    reset(): void;
  };
}
