import { parseSeriesName, transportRow, transports } from '../results/schema/index.ts';

/**
 * Colours of Okabe and Ito (2008), "Color Universal Design", and indigo of Paul Tol's muted scheme. Readers with any kind of colour
 * blindness can tell them apart, and so can readers of grey prints.
 */
export const palette = {
  blue: '#0072B2',
  vermillion: '#D55E00',
  green: '#009E73',
  purple: '#CC79A7',
  orange: '#E69F00',
  sky: '#56B4E9',
  black: '#000000',
  indigo: '#332288',
} as const;

/**
 * Colours in order of use. They are for transports that the transport table does not contain, and for several series of one
 * transport.
 */
const spareColours = [
  palette.blue,
  palette.vermillion,
  palette.green,
  palette.orange,
  palette.purple,
  palette.sky,
  palette.black,
];

/** Colour and symbol of a series. The dash of its line depends on the medium and is not part of this. */
export interface SeriesStyle {
  colour: string;
  /** Vega's name for the symbol at the series' points. */
  shape: string;
}

/** Symbols of series' points in order of use; they distinguish series in grey print. */
export const shapes = ['circle', 'square', 'triangle-up', 'diamond', 'cross', 'triangle-down'] as const;

/** Share of white that is mixed into the transport's colour for every second series of this transport. */
const tint = 0.45;

/** Returns the transport to which a series' name belongs: "socket" for "socket@ring/LL", "plugin" for "plugin:/opt/x.so". */
const baseOf = (transport: string): string =>
  transportRow(transport)?.name ?? parseSeriesName(transport).transport;

/**
 * Colour and symbol of each transport in the transport table (`transports`). The table has the colour; the symbol follows from the
 * position in the table.
 */
export const transportLooks: ReadonlyMap<string, SeriesStyle> = new Map(
  transports.map(({ name, colour }, i) => [
    name,
    { colour: palette[colour], shape: shapes[i % shapes.length] ?? 'circle' },
  ]),
);

/**
 * Returns the colour and symbol of each series, in the given order. With several transports each transport has a colour;
 * symbol and mixed-in white distinguish series of one transport. With a single transport each series has a colour of its own.
 * @param names names of the series as in the plan: "socket", "socket@ring/LL"
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
      names.length > 1
        ? (shapes.find((shape) => !used.includes(shape)) ??
          shapes.find((shape) => !looks.some((look) => look.colour === colour && look.shape === shape)))
        : shapes[0];
    looks.push({ colour, shape: first[i] ?? free ?? 'circle' });
  }
  return looks;
}

const countBefore = (bases: readonly string[], i: number): number =>
  bases.slice(0, i).filter((base) => base === bases[i]).length;

/**
 * Returns the colour of each transport by its name. A transport that is not in the transport table gets a colour that no other
 * transport in `kinds` has; if all seven colours are taken, one is used twice.
 * @param kinds different names of transports, without algorithm or settings
 */
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

/**
 * Returns colours for several series of one transport: first the transport's colour, then the others. Colours repeat after the
 * seventh.
 * @param count number of series
 * @param first colour of the transport
 */
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

/** Lengths of dash and gap in pixels, as Vega's strokeDash: [1, 0] is a solid line. */
export const dashes = { solid: [1, 0], emulated: [6, 4] };
export const dashOf = (medium: string): number[] => (medium === 'emulated' ? dashes.emulated : dashes.solid);

export const fonts =
  '"Helvetica Neue", Helvetica, Arial, "Liberation Sans", "Noto Sans", "DejaVu Sans", sans-serif';

export const ink = { text: '#1b1b1b', soft: '#555555', grid: '#e4e4e4', rule: '#888888', paper: '#ffffff' };

/** Vega-Lite `config` (fonts, colours, axes) that every chart uses. */
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

/**
 * Size of a chart's plot in pixels and maximum number of ticks, for its two forms. Report pages show `narrow` on screens up to 760
 * px wide.
 */
export const chartSizes = {
  wide: { width: 640, height: 300, ticks: 12 },
  narrow: { width: 270, height: 230, ticks: 5 },
} as const;
export type ChartSize = keyof typeof chartSizes;
