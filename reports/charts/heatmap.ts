// Square with all pairs of hosts, coloured by the speed of each pair relative to the median pair.
import type { PairsOverview } from '../../results/derive/index.ts';
import { figureScale, type PairMeasure, pairShare, pairValue, typicalPair } from '../pairs.ts';
import { type ChartSize, ink, palette } from '../theme.ts';
import {
  fileWords,
  formatBandwidth,
  formatPercent,
  formatTime,
  shortTransport,
  threeDigits,
} from '../wording.ts';
import type { ChartFigure, ChartRow } from './chart.ts';
import { type ChartSpec, topLevel } from './spec.ts';

/**
 * Colours of the squares of host pairs by speed, as a share of the median pair's speed. A colour applies from the previous `below`
 * up to, but without, its own `below`. `text` is the colour of a number in the square, `label` the text in the legend. All colours
 * have one hue and are darker for slower pairs, so that the order is visible in grey print too. Pairs that did not run have Okabe
 * and Ito's vermillion, which nobody with a colour blindness confuses with blue. The contrast of texts is at least 4.5 to 1.
 */
const steps = [
  { below: 0.25, colour: '#08306b', text: '#ffffff', label: 'under 25 %' },
  { below: 0.5, colour: '#1f5fa0', text: '#ffffff', label: '25 to 50 %' },
  { below: 0.75, colour: '#6aa5d8', text: '#000000', label: '50 to 75 %' },
  { below: 0.9, colour: '#b5d3ea', text: '#000000', label: '75 to 90 %' },
  { below: Number.POSITIVE_INFINITY, colour: '#eef4fa', text: '#000000', label: 'as typical' },
] as const;
const none = { colour: palette.vermillion, text: '#000000', label: 'did not run' };

/**
 * Maximum number of hosts for which the squares of the pairs contain numbers; with more hosts the squares are too small for them.
 */
const maxFigures = 12;

interface HeatmapCell extends ChartRow {
  row: string;
  column: string;
  step: string;
  figure: string;
  ink: string;
  tip: string;
}

/**
 * Draws a square of all host pairs over one transport, coloured by bandwidth or latency as `measure` says. Each pair is drawn
 * twice, so that a slow host shows as a whole row and a whole column. Null if no pair has a value.
 * @param one results of all pairs over one transport
 * @param isOnly true if the run measured only this transport; file name and title then do not name it
 */
export function heatmap(one: PairsOverview, measure: PairMeasure, isOnly: boolean): ChartFigure | null {
  const typical = typicalPair(one, measure);
  if (typical === null) return null;
  const text = measure === 'bandwidth' ? formatBandwidth : formatTime;
  const scale = figureScale(measure, typical);
  const over = isOnly ? '' : `-${fileWords(shortTransport(one.transport))}`;
  return {
    name: `pairs-${measure}${over}`,
    title: `${measure === 'bandwidth' ? 'Bandwidth' : 'Latency'} of all pairs${isOnly ? '' : ` over ${shortTransport(one.transport)}`}`,
    caption: `Speed of each pair as a share of the typical one, ${text(typical)}. Figures are in ${scale.unit}. A host that is slow with all others is a dark row and column; a single dark square is the path between two.`,
    rows: one.pairs.map((pair) => ({
      a: pair.a,
      b: pair.b,
      [measure === 'bandwidth' ? 'GBps' : 'latencyNs']: pairValue(pair, measure),
      shareOfTypical: pairShare(one, pair, measure),
      reason: pair.reason,
    })),
    spec: (size) => spec(one, cellsOf(one, measure, scale.text, text), size, measure),
  };
}

function cellsOf(
  one: PairsOverview,
  measure: PairMeasure,
  short: (value: number) => string,
  text: (value: number) => string,
): HeatmapCell[] {
  const hasFigures = one.names.length <= maxFigures;
  return one.pairs.flatMap((pair): HeatmapCell[] => {
    const [value, part] = [pairValue(pair, measure), pairShare(one, pair, measure)];
    const step = part === null ? none : (steps.find(({ below }) => part < below) ?? none);
    const full = value === null ? 'did not run' : text(value);
    const said =
      part === null
        ? ''
        : `, ${part >= 1 ? `${threeDigits(part)} times` : `${formatPercent(part)} of`} the typical speed`;
    const cell = {
      step: step.label,
      ink: step.text,
      figure: value === null ? '×' : hasFigures ? short(value) : '',
      tip: `${pair.a} and ${pair.b}: ${full}${said}`,
    };
    return [
      { row: pair.a, column: pair.b, ...cell },
      { row: pair.b, column: pair.a, ...cell },
    ];
  });
}

function spec(
  { names }: PairsOverview,
  cells: HeatmapCell[],
  size: ChartSize,
  measure: PairMeasure,
): ChartSpec {
  const side = Math.max(8, Math.min(44, Math.floor((size === 'wide' ? 560 : 230) / names.length)));
  const axis = {
    title: null,
    domain: false,
    ticks: false,
    labelLimit: size === 'wide' ? 160 : 90,
    labelFontSize: Math.min(12, side + 2),
  };
  const all = [...steps, none];
  const field = (name: 'row' | 'column') => ({
    field: name,
    type: 'nominal',
    sort: null,
    scale: { domain: names },
  });
  const drawn = {
    width: { step: side },
    height: { step: side },
    data: { values: cells },
    encoding: {
      x: {
        ...field('column'),
        axis: { ...axis, orient: 'top', labelAngle: -90, labelAlign: 'left', labelPadding: 4 },
      },
      y: { ...field('row'), axis },
    },
    layer: [
      {
        mark: { type: 'rect', stroke: ink.rule, strokeWidth: 0.5, aria: true },
        encoding: {
          color: {
            field: 'step',
            type: 'nominal',
            scale: { domain: all.map(({ label }) => label), range: all.map(({ colour }) => colour) },
            legend: {
              title: 'speed as a share of the typical pair',
              titleLimit: 400,
              titleFontWeight: 'normal',
              orient: 'bottom',
              columns: size === 'wide' ? 3 : 2,
              symbolType: 'square',
              symbolStrokeColor: ink.rule,
              symbolStrokeWidth: 0.5,
              symbolSize: 160,
            },
          },
          description: { field: 'tip' },
        },
      },
      {
        mark: { type: 'text', fontSize: Math.max(9, Math.min(12, Math.floor(side / 2.6))), aria: false },
        encoding: { text: { field: 'figure' }, color: { field: 'ink', type: 'nominal', scale: null } },
      },
    ],
  };
  return topLevel(`${measure} of all pairs of hosts as a square`, drawn);
}
