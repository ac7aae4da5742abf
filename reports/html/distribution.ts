// Distribution of a configuration's samples: sentences and quantiles.
import { nameOfRun } from '../../results/compare/run.ts';
import { type MeasuredFigure, measuredOf, measuredRows } from '../../results/schema/index.ts';
import { columnUnit, withUnit } from '../column-units.ts';
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
import { capitalise, formatCount, formatPercent, plural } from '../wording.ts';
import { html, type SafeHtml, table } from './markup.ts';

const dash = '–';
/** Maximum number of rows of a table that the page shows open; a longer table is collapsed. */
const maxRows = 40;

/** Returns one paragraph per run about its repetition: number of measured configurations, launches, widths of intervals. */
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
  isFirst: boolean;
}

/**
 * Returns a table with the quantiles of the samples and the medians of the launches, per x and series. Empty if no samples are
 * known.
 * @param next returns the next table number
 */
export function distributionTable(group: SeriesGroup, next: () => number): SafeHtml {
  const rows = xsOf(group.series).flatMap((x) =>
    group.series
      .flatMap((series) => {
        const figure = figureOf(series.slots.find((slot) => slot.x === x)?.cell, group);
        return figure === null || figure.samples < 2 ? [] : [{ series, x, figure }];
      })
      .map((row, i): Quantiles => ({ ...row, isFirst: i === 0 })),
  );
  if (rows.length === 0) return html``;
  const unit = columnUnit(
    'ns',
    rows.map(({ figure }) => figure.value),
  );
  const time = (ns: number | null | undefined) => (ns == null ? dash : unit.text(ns));
  const [, beside] = measuredRows(group.row);
  const column = (head: string, of: (figure: MeasuredFigure) => number | null) => ({
    head,
    number: true,
    cell: ({ figure }: Quantiles) => time(of(figure)),
    isThere: rows.some(({ figure }) => of(figure) !== null),
  });
  const spread = ({ launchValues, value }: MeasuredFigure): number | null =>
    launchValues.length < 2 ? null : (Math.max(...launchValues) - Math.min(...launchValues)) / value;
  const pipe = ({ series, x }: Quantiles): number | null =>
    beside === undefined
      ? null
      : (measuredOf(series.slots.find((slot) => slot.x === x)?.cell, beside.name)?.value ?? null);
  const columns = [
    { head: group.x.noun, number: true, cell: ({ x }: Quantiles) => group.x.text(x), isThere: true },
    { head: 'over', cell: ({ series }: Quantiles) => series.name, isThere: true },
    column('least', ({ min }) => min),
    column('p5', ({ p5 }) => p5),
    column('median', ({ value }) => value),
    column('p95', ({ p95 }) => p95),
    column('p99', ({ p99 }) => p99),
    column('most', ({ max }) => max),
    {
      head: beside?.longHead ?? beside?.head ?? '',
      number: true,
      cell: (row: Quantiles) => time(pipe(row)),
      isThere: rows.some((row) => pipe(row) !== null),
    },
    {
      head: 'launches apart',
      number: true,
      cell: ({ figure }: Quantiles) => {
        const found = spread(figure);
        return found === null ? dash : formatPercent(found);
      },
      isThere: rows.some(({ figure }) => spread(figure) !== null),
    },
    {
      head: 'samples',
      number: true,
      cell: ({ figure }: Quantiles) => formatCount(figure.samples),
      isThere: true,
    },
  ];
  const body = table(
    html`<b>Table ${next()}. Distribution of ${group.title}, ${withUnit('times', unit)}.</b> Quantiles over the samples of all launches; p95 and p99 where there are samples enough. Launches apart: from the lowest to the highest median of a launch, as a share of the median (their geometric mean).`,
    columns.filter(({ isThere }) => isThere),
    rows,
    ({ isFirst }) => (isFirst ? 'first' : ''),
  );
  return rows.length <= maxRows
    ? body
    : html`<details><summary>Quantiles of ${plural(rows.length, 'configuration')} of ${group.title}</summary>${body}</details>`;
}
