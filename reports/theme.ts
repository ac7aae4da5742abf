import { transportRow, transports } from '../results/schema/index.ts';
import { seriesParts } from './wording.ts';

/**
 * Colours of Okabe and Ito (2008), "Color Universal Design". Readers with any kind of colour blindness can tell them apart, and
 * so can readers of grey prints. Emulated media always have dashed lines and are labelled.
 */
export const palette = {
  blue: '#0072B2',
  vermillion: '#D55E00',
  green: '#009E73',
  purple: '#CC79A7',
  orange: '#E69F00',
  sky: '#56B4E9',
  black: '#000000',
} as const;

/** Colours in order of use, for transports without a row in the transport table and for several series of one transport. */
const spareColours = [
  palette.blue,
  palette.vermillion,
  palette.green,
  palette.orange,
  palette.purple,
  palette.sky,
  palette.black,
];

/** Colour and symbol of a line; its dash depends on the medium. */
export interface SeriesStyle {
  colour: string;
  /** Vega's name of the symbol at the points. */
  shape: string;
}

/** Symbols of series, which distinguish them in grey print. */
export const shapes = ['circle', 'square', 'triangle-up', 'diamond', 'cross', 'triangle-down'] as const;

/** The share of white in the colour of every second series of one transport. */
const tint = 0.45;

/** The transport of a series: "socket" of "socket@ring/LL", "plugin" of "plugin:/opt/x.so". */
const baseOf = (transport: string): string =>
  transportRow(transport)?.name ?? seriesParts(transport).transport;

/** Colour and symbol of each transport in the table: the colour of its row, the symbol by its index. */
export const transportLooks: ReadonlyMap<string, SeriesStyle> = new Map(
  transports.map(({ name, colour }, i) => [
    name,
    { colour: palette[colour], shape: shapes[i % shapes.length] ?? 'circle' },
  ]),
);

/**
 * Returns one style per series, in the given order. With several transports the colour means the transport; symbol and tint
 * distinguish series of one transport. With a single transport each series has a colour of its own.
 * @param names transport of each series, as in the plan: "socket", "socket@ring/LL"
 */
export function seriesStyles(names: readonly string[]): SeriesStyle[] {
  const bases = names.map(baseOf);
  const kinds = [...new Set(bases)];
  const own = coloursOf(kinds);
  const colours =
    kinds.length > 1
      ? bases.map((base, i) => tinted(own.get(base) ?? palette.black, countBefore(bases, i)))
      : freeColours(names.length, own.get(kinds[0] ?? '') ?? palette.blue);
  const looks: SeriesStyle[] = [];
  const isFirst = (i: number) => bases.indexOf(bases[i] ?? '') === i;
  const first = bases.map((base, i) =>
    kinds.length > 1 && isFirst(i) ? (transportLooks.get(base)?.shape ?? null) : null,
  );
  for (const [i, colour] of colours.entries()) {
    const used = [...looks.map(({ shape }) => shape), ...first.slice(i + 1)];
    const free =
      kinds.length > 1 || needsSymbols(names.length)
        ? (shapes.find((shape) => !used.includes(shape)) ??
          shapes.find((shape) => !looks.some((look) => look.colour === colour && look.shape === shape)))
        : shapes[0];
    looks.push({ colour, shape: first[i] ?? free ?? 'circle' });
  }
  return looks;
}

/** A single line needs no symbols. */
const needsSymbols = (count: number): boolean => count > 1;

const countBefore = (bases: readonly string[], i: number): number =>
  bases.slice(0, i).filter((base) => base === bases[i]).length;

/** Returns the colours of transports; transports without a row in the table get unused colours. */
function coloursOf(kinds: readonly string[]): Map<string, string> {
  const found = new Map(
    kinds.flatMap((kind) => {
      const look = transportLooks.get(kind);
      return look === undefined ? [] : [[kind, look.colour] as const];
    }),
  );
  for (const [i, kind] of kinds.entries()) {
    if (found.has(kind)) continue;
    const taken = new Set(found.values());
    found.set(kind, spareColours.find((one) => !taken.has(one)) ?? spareColours[i % 7] ?? palette.black);
  }
  return found;
}

/** Returns colours for series of one transport: first its own, then the others. Colours repeat after the seventh. */
function freeColours(count: number, first: string): string[] {
  const order = [first, ...spareColours.filter((one) => one !== first)];
  return Array.from({ length: count }, (_, i) => order[i % order.length] ?? palette.black);
}

const tinted = (colour: string, variant: number): string =>
  variant % 2 === 0 ? colour : mixWithWhite(colour, tint);

/** Mixes a "#rrggbb" colour with white. @param share 0 = the colour itself, 1 = white */
export const mixWithWhite = (colour: string, share: number): string =>
  `#${[1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
    .map((part) => Math.round(part + (255 - part) * share))
    .map((part) => part.toString(16).padStart(2, '0'))
    .join('')}`;

/** Vega's strokeDash: [1, 0] is a solid line. */
export const dashes = { solid: [1, 0], emulated: [6, 4] };
export const dashOf = (medium: string): number[] => (medium === 'emulated' ? dashes.emulated : dashes.solid);

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

/** Size of a chart's plot in pixels and maximum number of ticks; `narrow` is drawn for screens below 640 px. */
export const chartSizes = {
  wide: { width: 640, height: 300, ticks: 12 },
  narrow: { width: 270, height: 230, ticks: 5 },
} as const;
export type ChartSize = keyof typeof chartSizes;
