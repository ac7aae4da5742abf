import { isRetriedCell, missingP95Reasons, retriedLegend, retriedMark } from '../../results/derive/index.ts';
import {
  type FigureData,
  isDisturbed,
  measuredOf,
  measuredRows,
  type OkCell,
  sideOf,
  trialOf,
  type WorkloadData,
  whatOf,
} from '../../results/schema/index.ts';
import { averageName } from '../charts/averages.ts';
import { averagesOf } from '../charts/index.ts';
import { columnUnit, withUnit } from '../column-units.ts';
import { comparisonSentence } from '../comparison-sentence.ts';
import { cacheSentence } from '../figure-notes.ts';
import { importedTime, isImported } from '../imported.ts';
import { isRepeated } from '../repeated.ts';
import { chartedRow, derivedRows, figureRow, figureText, nounOf } from '../rows.ts';
import {
  type CellSlot,
  figureOf,
  groupOfFigure,
  isOk,
  isOnDevice,
  rateOf,
  type Series,
  type SeriesGroup,
  xsOf,
} from '../series.ts';
import { comparisonsOf } from '../series-comparison.ts';
import { sideBySideOf } from '../side-by-side.ts';
import {
  capitalise,
  chosenText,
  formatCount,
  formatPercent,
  formatRatio,
  formatTime,
  shortTransport,
  spreadText,
} from '../wording.ts';
import { html, type SafeHtml, table } from './markup.ts';

interface TableRow {
  series: Series;
  slot: CellSlot;
  /** True for the first row with this x; only that row shows x. */
  first: boolean;
}

const dash = '–';

/**
 * Returns an HTML table of all planned configurations of a group of series. Rows without a result have only a verdict, such as
 * "not measured" or "failed", and dashes.
 * @param number table number
 */
export function cellTable(group: SeriesGroup, number: number): SafeHtml {
  const { x, row } = group;
  const rows = xsOf(group.series).flatMap((at) =>
    group.series
      .flatMap((series) => series.slots.filter((s) => s.x === at).map((slot) => ({ series, slot })))
      .map((row, i): TableRow => ({ ...row, first: i === 0 })),
  );
  const ok = ({ slot: { cell } }: TableRow) => (isOk(cell) ? cell : null);
  const shown = (r: TableRow) => figureOf(r.slot.cell, group);
  const runs = new Map(group.series.map(({ run }) => [run, isRetriedCell(run)]));
  const isRetried = ({ series, slot: { cell } }: TableRow) =>
    isOk(cell) && runs.get(series.run)?.(cell) === true;
  const trial = trialOf(row, group.figure);
  const device = isOnDevice(group) && trial === 'isolated';
  const hasCount = rows.some(({ slot }) => slot.point.count !== undefined);
  const isRepeatedRate = ({ name }: FigureData) => isRepeated(group, name);
  const rates = derivedRows(row).filter((of) => !isRepeatedRate(of));
  const repeated = derivedRows(row).filter(isRepeatedRate);
  const times = columnUnit(
    'ns',
    rows.flatMap((r) => shown(r)?.value ?? []),
  );
  const time = (ns: number | null | undefined) => (ns === null || ns === undefined ? dash : times.text(ns));
  const columns = [
    { head: 'verdict', cell: (r: TableRow) => verdict(r) },
    { head: x.noun, number: true, isX: true, cell: (r: TableRow) => (r.first ? x.text(r.slot.x) : '') },
    ...(hasCount
      ? [
          {
            head: 'count',
            number: true,
            cell: ({ first, slot: { point } }: TableRow) =>
              first && point.count !== undefined ? formatCount(point.count) : '',
          },
        ]
      : []),
    { head: 'over', cell: (r: TableRow) => r.series.name },
    {
      head: 'medium',
      cell: (r: TableRow) =>
        r.series.medium === 'emulated' ? html`<span class="emu">emulated</span>` : r.series.medium,
    },
    {
      head: withUnit((device && figureRow(row, group.figure)?.head) || 'time', times),
      number: true,
      cell: (r: TableRow) => (isRetried(r) ? retriedMark : '') + time(shown(r)?.value),
    },
    { head: '±', number: true, cell: (r: TableRow) => spread(r, group) },
    { head: 'p95', number: true, cell: (r: TableRow) => time(shown(r)?.p95) },
    ...besides(row).map(({ name, longHead, head }) => ({
      head: longHead ?? head,
      number: true,
      cell: (r: TableRow) => time(measuredOf(r.slot.cell, name)?.value),
    })),
    ...(device
      ? [
          { head: 'enqueue', number: true, cell: (r: TableRow) => time(enqueueOf(ok(r))) },
          { head: 'algo/proto', cell: (r: TableRow) => chosen(ok(r)) },
        ]
      : []),
    ...rates.map((of) => {
      const by = groupOfFigure(group, of);
      const value = (r: TableRow) => rateOf(r.slot.cell, by, of.name);
      const unit = columnUnit(
        of.unit,
        rows.flatMap((r) => value(r) ?? []),
      );
      return {
        head: withUnit(of.longHead ?? of.head, unit),
        number: true,
        cell: (r: TableRow) => {
          const found = value(r);
          return found === null ? dash : unit.text(found);
        },
      };
    }),
    { head: 'wrong', number: true, cell: (r: TableRow) => wrong(r) },
    { head: 'flags', cell: (r: TableRow) => notes(r) },
  ].filter((c) => c.head !== 'flags' || rows.some((r) => notes(r) !== ''));
  const [charted] = rates;
  const same =
    repeated.length === 0 || charted === undefined
      ? ''
      : ` ${capitalise(repeated.map(({ title }) => title).join(', '))} is the ${charted.title}: the factor is 1.`;
  const meaning = isImported(group)
    ? `Time is the ${importedTime(group)}; bandwidths are computed from it.`
    : device
      ? 'Latency is the median time of one operation on the GPUs, ± half its 95 % interval, pipelined the time per operation back to back (nccl-tests’ time), enqueue the host time to queue one.'
      : `Time is the median of one ${trial} operation, ± half its 95 % interval, pipelined the time per operation back to back.`;
  const p95 = missingP95Reasons(rows.flatMap((r) => figureOf(r.slot.cell, group) ?? []));
  const why = p95.map((clause) => ` p95 ${dash}: ${clause}.`).join('');
  const again = rows.some(isRetried) ? [...runs.keys()].map(retriedLegend).filter((text) => text !== '') : [];
  const legend = again.map((text) => ` ${text}.`).join('');
  const caption = html`<b>Table ${number}. All configurations of ${group.title}.</b> All times are in ${times.unit}. ${meaning}${same}${cacheSentence(group)}${why}${legend}`;
  const bad = (r: TableRow) =>
    ok(r) === null ||
    (ok(r)?.verification.wrongElements ?? 0) > 0 ||
    ok(r)?.evidence.verdict === 'contradicted';
  return html`<div class="broad">${table(
    caption,
    columns,
    rows,
    (r) => [r.first ? 'first' : '', bad(r) ? 'bad' : ''].join(' ').trim(),
    (r) => ({ transport: r.series.transport, what: whatOf(row, r.slot.point.axes), x: r.slot.x }),
  )}</div>`;
}

function chosen(cell: OkCell | null): string {
  return cell === null ? dash : chosenText(cell.choice) || dash;
}

function spread(row: TableRow, group: SeriesGroup): string {
  const figure = figureOf(row.slot.cell, group);
  if (figure === null || figure.interval === null) return dash;
  return spreadText(figure.value, figure.interval);
}

/** Returns descriptions of a workload's measured values (such as pipelined time) except the first, which has fixed columns. */
const besides = (row: WorkloadData): FigureData[] => measuredRows(row).slice(1);

const enqueueOf = (cell: OkCell | null): number | undefined =>
  cell === null ? undefined : sideOf(cell, 'enqueue')?.value;

function wrong(row: TableRow): string {
  if (!isOk(row.slot.cell)) return dash;
  const { verification } = row.slot.cell;
  return verification.enabled && verification.checks > 0
    ? formatCount(verification.wrongElements)
    : 'not checked';
}

/**
 * Returns whether byte counters confirm the transport ("confirmed", "unproven", "contradicted"), with "flagged" if the result was
 * disturbed. Otherwise "wrong data", or without a result the status such as "failed".
 */
function verdict({ slot: { cell } }: TableRow): string {
  if (cell === null) return 'not measured';
  if (!isOk(cell)) return cell.status;
  if (cell.verification.wrongElements > 0) return 'wrong data';
  return isDisturbed(cell) ? `${cell.evidence.verdict}, flagged` : cell.evidence.verdict;
}

const notes = ({ slot: { cell } }: TableRow): string =>
  isOk(cell) ? cell.flags.map(({ name }) => name).join(', ') : '';

/**
 * Returns one paragraph per pair of series: which is faster at which x, and the x at which the order changes. Empty if nothing
 * is compared.
 */
export function crossings(group: SeriesGroup): SafeHtml {
  const comparisons = comparisonsOf(group);
  if (comparisons.length === 0) return html``;
  return html`${comparisons.map((c) => {
    const said = comparisonSentence(c, { absolute: true });
    const points = c.crossovers.map(
      ({ x, low, high }) =>
        `The two cross at ${c.x.about(x)}; between ${c.x.about(low)} and ${c.x.about(high)} the intervals leave it open. `,
    );
    return html`<p>${said}. ${points}</p>`;
  })}`;
}

/**
 * Returns a table that compares groups of ranks that worked at the same time, one row per x and transport. Empty if the ranks
 * were not divided into groups.
 * @param number table number
 */
export function sideBySideTable(group: SeriesGroup, number: number): SafeHtml {
  const rows = sideBySideOf(group);
  type Row = (typeof rows)[number];
  const at = ({ name, timeNs }: Row['slowest']) => `${name}, ${formatTime(timeNs)}`;
  const charted = chartedRow(group.row);
  const sum =
    charted === undefined
      ? { meaning: '', columns: [] }
      : {
          meaning: ` together is the sum of the ${charted.title}s;`,
          columns: [
            {
              head: 'together',
              number: true,
              cell: ({ together }: Row) =>
                together === null ? dash : figureText(together.of.unit, together.value),
            },
          ],
        };
  return table(
    html`<b>Table ${number}. Groups of ranks at the same time.</b> The slowest is marked where its whole 95 % interval is above those of the others;${sum.meaning} side by side is the smallest share of its time in which a group worked at the same time as all others.`,
    [
      { head: group.x.noun, number: true, cell: (r: Row) => group.x.text(r.x) },
      { head: 'over', cell: (r: Row) => shortTransport(r.transport) },
      { head: 'groups', number: true, cell: (r: Row) => r.members },
      { head: 'slowest', cell: (r: Row) => at(r.slowest) },
      { head: 'fastest', cell: (r: Row) => at(r.fastest) },
      { head: 'ratio', number: true, cell: (r: Row) => formatRatio(r.ratio) },
      { head: 'stands out', cell: (r: Row) => (r.standsOut ? 'yes' : 'no') },
      ...sum.columns,
      { head: 'side by side', number: true, cell: (r: Row) => formatPercent(r.overlap) },
    ],
    rows,
  );
}

export function averageTable(groups: readonly SeriesGroup[], number: number): SafeHtml {
  const rows = averagesOf(groups);
  type Row = (typeof rows)[number];
  const noun = nounOf(groups.map(({ row }) => row));
  const figures = new Map(
    rows.flatMap(({ rates, group }) =>
      rates.filter(({ of }) => !isRepeated(group, of.name)).map(({ of }) => [of.name, of] as const),
    ),
  );
  const times = columnUnit(
    'ns',
    rows.map(({ meanTimeNs }) => meanTimeNs),
  );
  return table(
    html`<b>Table ${number}. Averages per ${noun}.</b> Over the sizes that every transport measured.`,
    [
      { head: noun, cell: (r: Row) => averageName(r, rows) },
      { head: 'over', cell: (r: Row) => r.series.name },
      { head: 'sizes', number: true, cell: (r: Row) => r.bytes.length },
      { head: 'mean size', number: true, cell: (r: Row) => r.group.x.about(r.meanBytes) },
      { head: withUnit('mean time', times), number: true, cell: (r: Row) => times.text(r.meanTimeNs) },
      ...[...figures.values()].map(({ name, longHead, head, unit }) => {
        const value = ({ rates }: Row) => rates.find(({ of }) => of.name === name)?.GBps ?? null;
        const column = columnUnit(
          unit,
          rows.flatMap((r) => value(r) ?? []),
        );
        return {
          head: withUnit(longHead ?? head, column),
          number: true,
          cell: (r: Row) => {
            const found = value(r);
            return found === null ? dash : column.text(found);
          },
        };
      }),
    ],
    rows,
  );
}
