import { transportRow, transports } from '../results/schema/index.ts';
import { seriesParts } from './wording.ts';

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
} as const;

/** Order in which colours are given to series that no row of the transport table names. */
const spareColours = [
  palette.blue,
  palette.vermillion,
  palette.green,
  palette.orange,
  palette.purple,
  palette.sky,
  palette.black,
];

/** What a line looks like beside its dash. */
export interface SeriesStyle {
  colour: string;
  /** Vega's name of the symbol at the points. */
  shape: string;
}

/** Symbols tell series apart in grey print. */
export const shapes = ['circle', 'square', 'triangle-up', 'diamond', 'cross', 'triangle-down'] as const;

/** The share of white in the colour of every second series of one transport. */
const tint = 0.45;

/** The transport of a series: "socket" of "socket@ring/LL", "plugin" of "plugin:/opt/x.so". */
const baseOf = (transport: string): string =>
  transportRow(transport)?.name ?? seriesParts(transport).transport;

/** Looks of the transports of the table: colour from the row, symbol by the place in the table. */
export const transportLooks: ReadonlyMap<string, SeriesStyle> = new Map(
  transports.map(({ name, colour }, i) => [
    name,
    { colour: palette[colour], shape: shapes[i % shapes.length] ?? 'circle' },
  ]),
);

/**
 * One look per series, in the order given. Where series of several transports stand beside each other, the colour means the
 * transport, and symbol and tint tell series of one transport apart. Where all are of one transport, colours are free.
 * @param names transport of each series, as the plan has it: "socket", "socket@ring/LL"
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

/** One line has no need of symbols. */
const needsSymbols = (count: number): boolean => count > 1;

const countBefore = (bases: readonly string[], i: number): number =>
  bases.slice(0, i).filter((base) => base === bases[i]).length;

/** Colours of transports; those that the table does not know take what is left. */
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

/** Colours of series of one transport: its own first, then the others. All come again after the seventh. */
function freeColours(count: number, first: string): string[] {
  const order = [first, ...spareColours.filter((one) => one !== first)];
  return Array.from({ length: count }, (_, i) => order[i % order.length] ?? palette.black);
}

const tinted = (colour: string, variant: number): string =>
  variant % 2 === 0 ? colour : mixWithWhite(colour, tint);

/** @param share 0 = the colour itself, 1 = white */
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

/** Pixels of a chart's plot; `narrow` is drawn for screens below 640 px. */
export const chartSizes = {
  wide: { width: 640, height: 300, ticks: 12 },
  narrow: { width: 270, height: 230, ticks: 5 },
} as const;
export type ChartSize = keyof typeof chartSizes;
