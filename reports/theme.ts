import type { Medium } from '../results/schema/index.ts';

/**
 * How figures look. Colours are those of Okabe and Ito (2008), "Color Universal Design", which stay apart for
 * readers with any kind of colour blindness and in grey print. Emulated media are always dashed and named so.
 */
export const palette = {
  blue: '#0072B2',
  vermillion: '#D55E00',
  green: '#009E73',
  purple: '#CC79A7',
  orange: '#E69F00',
  sky: '#56B4E9',
  black: '#000000',
} as const; // prettier-ignore

/** A transport keeps its colour in every report; what is not listed takes the next free one. */
const transportColours: Record<string, string> = {
  socket: palette.blue,
  sisci: palette.vermillion,
  shm: palette.green,
  ib: palette.purple,
  p2p: palette.orange,
};
const spareColours = [
  palette.sky,
  palette.orange,
  palette.purple,
  palette.green,
  palette.vermillion,
  palette.blue,
  palette.black,
];

/** One colour per transport name of one run; with several runs each series gets its own, in order. */
export function coloursFor(names: readonly string[], byTransport: boolean): string[] {
  const used = new Set<string>();
  const order = byTransport
    ? spareColours
    : [palette.blue, palette.vermillion, palette.green, ...spareColours];
  return names.map((name) => {
    const own = byTransport ? transportColours[name] : undefined;
    const colour =
      (own !== undefined && !used.has(own) ? own : order.find((c) => !used.has(c))) ?? palette.black;
    used.add(colour);
    return colour;
  });
}

/** Vega's strokeDash: [1, 0] is a solid line. */
export const dashes: Record<Medium, [number, number]> = { hardware: [1, 0], emulated: [6, 4] };

export const fonts =
  '"Helvetica Neue", Helvetica, Arial, "Liberation Sans", "Noto Sans", "DejaVu Sans", sans-serif';

export const ink = { text: '#1b1b1b', soft: '#555555', grid: '#e4e4e4', rule: '#888888', paper: '#ffffff' };

/** Vega-Lite `config` of every chart. */
export const chartConfig = {
  background: ink.paper,
  font: fonts,
  view: { stroke: null },
  axis: {
    labelColor: ink.text,
    titleColor: ink.text,
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: 'normal',
    gridColor: ink.grid,
    domainColor: ink.rule,
    tickColor: ink.rule,
    aria: false,
  },
  legend: {
    labelColor: ink.text,
    labelFontSize: 12,
    labelLimit: 0,
    titleFontSize: 12,
    symbolStrokeWidth: 2,
    aria: false,
  },
  header: { labelFontSize: 12, labelColor: ink.text, title: null },
};

/** Pixels of a chart's plot; `narrow` is drawn for screens below 640 px. */
export const chartSizes = {
  wide: { width: 640, height: 300, ticks: 12 },
  narrow: { width: 270, height: 230, ticks: 5 },
} as const;
export type ChartSize = keyof typeof chartSizes;
