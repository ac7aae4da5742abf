import { transports } from '../results/schema/index.ts';
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

/** A transport keeps its colour in every report; one that has none in its row takes the next free one. */
function ownColour(transport: string): string | undefined {
  const colour = transports.find(({ name }) => name === transport)?.colour;
  return colour == null ? undefined : palette[colour];
}

const spareColours = [
  palette.sky,
  palette.orange,
  palette.purple,
  palette.green,
  palette.vermillion,
  palette.blue,
  palette.black,
];

/** What a line looks like beside its dash. */
export interface Look {
  colour: string;
  /** Vega's name of the symbol at the points. */
  shape: string;
}

/** Series are told apart in grey print too. After the seventh all colours come again, with another symbol. */
const shapes = ['circle', 'square', 'triangle-up', 'diamond', 'cross', 'triangle-down'];

/**
 * One look per series name of one run ("socket", "sisci@ring/LL"); with several runs each series gets the next free one.
 * Transports keep their own colour wherever they stand in the list, and the first variant of one that has none of its own
 * series takes that colour.
 */
export function looksFor(names: readonly string[], byTransport: boolean): Look[] {
  const order = byTransport
    ? spareColours
    : [palette.blue, palette.vermillion, palette.green, ...spareColours];
  const used = new Set<string>();
  const colours = new Map<number, string>();
  const own = (name: (full: string) => string): void => {
    if (!byTransport) return;
    names.forEach((full, i) => {
      const colour = ownColour(name(full));
      if (colour === undefined || used.has(colour) || colours.has(i)) return;
      used.add(colour);
      colours.set(i, colour);
    });
  };
  own((full) => full);
  own((full) => seriesParts(full).transport);
  const looks: Look[] = [];
  const uses = (colour: string) => looks.filter((look) => look.colour === colour).length;
  const rarest = () => [...order].sort((a, b) => uses(a) - uses(b));
  const taken = (look: Look) => looks.some((l) => l.colour === look.colour && l.shape === look.shape);
  names.forEach((full, i) => {
    const free = colours.get(i) ?? order.find((c) => !used.has(c));
    if (free !== undefined) {
      used.add(free);
      looks.push({ colour: free, shape: shapes[looks.length % shapes.length] ?? 'circle' });
      return;
    }
    const family = names.findIndex((n) => seriesParts(n).transport === seriesParts(full).transport);
    const first = byTransport ? looks[family]?.colour : undefined;
    const candidates = [
      ...(first === undefined ? [] : shapes.map((shape) => ({ colour: first, shape }))),
      ...rarest().flatMap((colour) => shapes.map((shape) => ({ colour, shape }))),
    ];
    looks.push(candidates.find((look) => !taken(look)) ?? { colour: palette.black, shape: 'circle' });
  });
  return looks;
}

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
