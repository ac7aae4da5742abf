// Topic about the distribution of each configuration's samples: sentences and a table of quantiles.
import { nameOfRun } from '../../results/compare/run.ts';
import { type MeasuredFigure, measuredOf, measuredRows } from '../../results/schema/index.ts';
import { columnUnit, withUnit } from '../column-units.ts';
import { type CellColumn, type DocumentTable, tableOf } from '../document/blocks.ts';
import { intervalsSentence, launchesText, precisionSentence } from '../precision.ts';
import {
  figureOf,
  headlineName,
  isOk,
  type ReportRun,
  type Series,
  type SeriesGroup,
  xsOf,
} from '../series.ts';
import { intervalSentence } from '../summary.ts';
import type { ReportTopic } from '../topics/topic.ts';
import { capitalise, formatCount, plural } from '../wording.ts';
import { html, type SafeHtml } from './markup.ts';

export const distribution: ReportTopic = {
  id: 'distribution',
  chapter: 'distribution',
  only: ['page'],
  ofSeries: ({ group }) => [distributionTable(group)],
};

/**
 * Returns one paragraph per run about its repetitions: number of measured configurations, launches, widths of intervals, and
 * whether the requested precision was reached.
 */
export function scatterText(runs: readonly ReportRun[]): SafeHtml {
  return html`${runs.map((run) => {
    const ok = run.cells.filter(isOk);
    const { plan } = run.record;
    const all =
      ok.length === plan.expected.cells ? `all ${ok.length}` : `${ok.length} of ${plan.expected.cells}`;
    const launches = launchesText(plan.sampling);
    const how =
      plan.imported !== undefined
        ? 'imported, so their scatter is unknown'
        : launches === '1 launch'
          ? 'in one launch, so the scatter between launches is unknown'
          : `each in ${launches}`;
    const widths = intervalsSentence(ok, plan);
    const texts = [
      `${all} configurations ${plan.imported === undefined ? 'were measured' : 'have figures'}, ${how}`,
      ok.length > 0 && widths === '' ? intervalSentence(ok, headlineName(plan.workloads, ok)) : widths,
      precisionSentence(ok, plan),
    ].filter((text) => text !== '');
    const name = runs.length > 1 ? `Run ${nameOfRun(run.record)}: ` : '';
    return html`<p>${name}${texts.map((text) => `${capitalise(text)}.`).join(' ')}</p>\n`;
  })}`;
}

interface Quantiles {
  series: Series;
  x: number;
  figure: MeasuredFigure;
}

/**
 * Returns a table with the quantiles of the samples and the scatter of the launches, per x and series. The table has no rows if no
 * samples are known.
 */
function distributionTable(group: SeriesGroup): DocumentTable {
  const cellOf = (series: Series, x: number) => series.slots.find((slot) => slot.x === x)?.cell;
  const rows = xsOf(group.series).flatMap((x) =>
    group.series.flatMap((series): Quantiles[] => {
      const figure = figureOf(cellOf(series, x), group);
      return figure === null || figure.samples < 2 ? [] : [{ series, x, figure }];
    }),
  );
  const unit = columnUnit(
    'ns',
    rows.map(({ figure }) => figure.value),
  );
  const time = (ns: number | null | undefined) => (ns == null ? null : unit.text(ns));
  const [, beside] = measuredRows(group.row);
  const column = (head: string, of: (figure: MeasuredFigure) => number | null): CellColumn<Quantiles> => ({
    head,
    align: 'right',
    cell: ({ figure }) => time(of(figure)),
  });
  return tableOf<Quantiles>(
    [
      { head: group.x.noun, quantity: group.x, isX: true, cell: ({ x }) => x },
      { head: 'over', cell: ({ series }) => series.name },
      column('least', ({ min }) => min),
      column('p5', ({ p5 }) => p5),
      column('median', ({ value }) => value),
      column('p95', ({ p95 }) => p95),
      column('p99', ({ p99 }) => p99),
      column('most', ({ max }) => max),
      {
        head: beside?.longHead ?? beside?.head ?? '',
        align: 'right',
        cell: ({ series, x }) =>
          beside === undefined ? null : time(measuredOf(cellOf(series, x), beside.name)?.value),
      },
      {
        head: 'launches apart',
        quantity: 'share',
        cell: ({ figure: { launchValues, value } }) =>
          launchValues.length < 2 ? null : (Math.max(...launchValues) - Math.min(...launchValues)) / value,
      },
      { head: 'samples', align: 'right', cell: ({ figure }) => formatCount(figure.samples) },
    ],
    rows,
    {
      title: `Distribution of ${group.title}, ${withUnit('times', unit)}.`,
      caption:
        'Quantiles over the samples of all launches; p95 and p99 where there are samples enough. Launches apart: from the lowest to the highest median of a launch, as a share of the median (their geometric mean).',
      summary: `Quantiles of ${plural(rows.length, 'configuration')} of ${group.title}`,
    },
  );
}
