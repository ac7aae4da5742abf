import { lineTime } from '../../results/models/line.ts';
import type { FigureData } from '../../results/schema/index.ts';
import { factorOf, modelsOf } from '../models.ts';
import { fieldOf } from '../rows.ts';
import type { SeriesGroup } from '../series.ts';
import { ink } from '../theme.ts';

/**
 * Number of computed points on the line of a model per doubling of the size, enough for a smooth curve of bandwidth over a
 * logarithmic axis.
 */
const perOctave = 4;
const words = 'model: fitted lines';
/**
 * Dash pattern of the lines of models, in pixels. It is shorter than the dash of emulated series, so that readers can tell them
 * apart.
 */
const dash = [3, 2];

/** Returns the caption's sentence that explains the lines of models; empty if no series of the group has a fitted model. */
export function modelHint(group: SeriesGroup): string {
  return isModelled(group)
    ? ' The thin dashed lines are a model, T = α + βS piece by piece, fitted to the points (see Models).'
    : '';
}

const isModelled = (group: SeriesGroup) => modelsOf(group).some(({ model }) => model.status === 'fitted');

/**
 * Returns Vega-Lite layers with the lines of the fitted models: thin, dashed and dark, with their own legend. Empty if no model was
 * fitted.
 * @param of bandwidth to draw, computed from the model's time; null = draw the time itself
 */
export function modelLines(group: SeriesGroup, of: FigureData | null): object[] {
  if (!isModelled(group)) return [];
  const field = of === null ? 'timeNs' : fieldOf(of);
  const rows = modelsOf(group).flatMap(({ series, model }) => {
    if (model.status === 'none') return [];
    const factor = factorOf(group, series, of?.name);
    return model.segments.flatMap((segment, i) =>
      sizesOf(segment.firstBytes, segment.lastBytes).map((at) => {
        const timeNs = lineTime(segment, at);
        const value = of === null ? timeNs : (at / timeNs) * factor;
        return { series: series.label, [group.x.field]: at, [field]: value, stretch: `${series.key}#${i}` };
      }),
    );
  });
  return [
    {
      data: { values: rows },
      mark: { type: 'line', color: ink.text, strokeWidth: 1, strokeDash: dash, aria: true },
      encoding: {
        y: { field, type: 'quantitative' },
        detail: { field: 'stretch' },
        description: { field: 'series' },
        opacity: {
          datum: words,
          type: 'nominal',
          scale: { type: 'ordinal', domain: [words], range: [0.9] },
          legend: {
            title: null,
            orient: 'bottom',
            symbolType: 'stroke',
            symbolSize: 700,
            symbolStrokeColor: ink.text,
            symbolStrokeWidth: 1,
            symbolDash: dash,
          },
        },
      },
    },
  ];
}

function sizesOf(first: number, last: number): number[] {
  const steps = Math.ceil(Math.log2(last / first) * perOctave);
  if (steps === 0) return [first];
  return Array.from({ length: steps + 1 }, (_, i) => first * (last / first) ** (i / steps));
}
