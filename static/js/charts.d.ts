/* Types of the charts' part of the namespace; not shipped. */

type ChartSmooth = "ema" | "mean5" | "off";
type ChartColumns = Record<string, any[]>;
interface ChartState {
  smooth: ChartSmooth;
  /** First and last position shown; null for all. */
  x: [number, number] | null;
  /** The marked step; null for none. */
  step: number | null;
  /** Key of the x axis: `step`, or one of the run's further axes. */
  axis: string;
}
/** The way between a step and its place on the axis shown. */
interface ChartAlong {
  key: string;
  to(step: number): number;
  back(place: number): number;
}
/** Further x axes of a run: where each of its steps lies on them, rising. */
interface ChartAxes {
  step: number[];
  axes: Array<{ key: string; en: string; zh: string; at: number[] }>;
}
/** What one drawing has to know of the state. */
interface ChartView {
  smooth: ChartSmooth;
  x: [number, number] | null;
  along: ChartAlong;
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
interface ChartData extends ChartPayload {
  form: string;
}
interface ChartDrawing {
  data: ChartData;
  whole: [number, number];
  apart: boolean;
  readable(): ChartReadable;
  positions(): number[];
  update(state: ChartView): Promise<unknown>;
  resized(): Promise<unknown> | null;
  position(x: number): number | null;
  place(x: number): number | null;
  mark(at: number | null): void;
  brush(from: number | null, to: number | null): void;
  svg(): Promise<string>;
  finalise(): void;
}
interface ReadoutValue {
  series: string;
  /** Name of the line; empty where the chart has one line. */
  name: string;
  value: number | null;
  smooth: number | null;
  /** Where the value lies, when that is not the marked step. */
  at: string;
}
interface ReadoutEntry {
  title: string;
  values: ReadoutValue[];
  /** Whether the pointer or the focus is on this chart. */
  leads: boolean;
}
/** One chart in the readout, and the parts of it whose texts change. */
interface ReadoutItem {
  node: HTMLElement;
  shape: string;
  slots: HTMLElement[];
}
interface VegaScale {
  (value: any): number;
  invert?(pixel: number): any;
  domain(): any[];
  bandwidth?(): number;
}
interface VegaView {
  signal(name: string, value: any): VegaView;
  data(name: string, rows: object[]): VegaView;
  width(pixels: number): VegaView;
  scale(name: string): VegaScale;
  runAsync(): Promise<VegaView>;
  finalize(): VegaView;
  toSVG(): Promise<string>;
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
  /** Draws a compiled form in an element. */
  vegaView(host: HTMLElement, spec: VegaForm): Promise<VegaView>;
  chartState: {
    SMOOTH: ChartSmooth[];
    ends(x0: number, x1: number): [number, number];
    padded(range: [number, number]): [number, number];
    snapped(range: [number, number], outward?: boolean): [number, number];
    read(keys: Record<string, string>): ChartState;
    write(state: ChartState): Record<string, string>;
    range(from: number, to: number, whole: [number, number], least?: number): [number, number] | null;
    zoom(
      shown: [number, number],
      around: number,
      factor: number,
      whole: [number, number],
      least?: number,
    ): [number, number] | null;
    holding(shown: [number, number], at: number, whole: [number, number], steps?: boolean): [number, number];
  };
  chartAxis: {
    of(axes: ChartAxes | null, key: string): ChartAlong;
    placed(rows: Array<Record<string, any>>, axis: ChartAlong): Array<Record<string, any>>;
  };
  chartData: {
    rows(columns: ChartColumns): object[];
    readable(form: string, datasets: Record<string, ChartColumns>, smooth: ChartSmooth): ChartReadable;
    nearest(at: number[], x: number): number | null;
    stepped(at: number[], x: number, places: number): number | null;
    text(value: number | null | undefined): string;
    withColors(svg: string, resolve: (name: string) => string): string;
  };
  chartFit: {
    axis(data: ChartData, smooth: ChartSmooth, shown: [number, number]): CompareAxis | null;
  };
  /** Draws one chart; null when it cannot be. */
  chartDraw(box: HTMLElement, data: ChartData, state: ChartView): Promise<ChartDrawing | null>;
  chartReadout(): {
    room(): number;
    show(at: string, entries: ReadoutEntry[], kept: boolean, over: HTMLElement | null): void;
    hide(): void;
    say(at: string, entry: ReadoutEntry | null): void;
    on(name: string, action: () => void): void;
  };
  /** For the cards' actions and for pages that embed a chart. */
  charts: {
    /** The chart as an SVG file's text, drawn first when it is not; null when it cannot be. */
    svg(id: string): Promise<string | null>;
    reset(): void;
    draw(box: HTMLElement, data: ChartData, state: ChartView): Promise<ChartDrawing | null>;
    /** Takes in a box that a script has put into the page, and gives one up before it goes. */
    adopt(box: HTMLElement): void;
    release(box: HTMLElement): void;
  };
}
