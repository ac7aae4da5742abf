// The table of all planned configurations of a group of series, for HTML reports and Markdown.
import { isRetriedCell, missingP95Reasons, retriedLegend, retriedMark } from '../results/derive/index.ts';
import {
  arrivalFigures,
  type FigureData,
  isDisturbed,
  measuredOf,
  measuredRows,
  parseSeriesName,
  sideOf,
  trialOf,
  whatOf,
} from '../results/schema/index.ts';
import { columnUnit, withUnit } from './column-units.ts';
import { type CellColumn, type DocumentTable, tableOf } from './document/blocks.ts';
import { cacheSentence } from './figure-notes.ts';
import { importedTime, isImported } from './imported.ts';
import { derivedRows, figureRow } from './rows.ts';
import {
  type CellSlot,
  figureOf,
  groupOfFigure,
  isOk,
  isOnDevice,
  isRepeated,
  rateOf,
  type Series,
  type SeriesGroup,
  xsOf,
} from './series.ts';
import { capitalise, chosenText, formatCount, skewMeaning, spreadText } from './wording.ts';

interface CellRow {
  series: Series;
  slot: CellSlot;
  /** True for the first row with this x; only that row shows the number of elements of the message. */
  isFirst: boolean;
}

const dash = '–';

/**
 * Returns a table of all planned configurations of a group of series, in ascending x, then in the order of the series. Rows without
 * a result have only a verdict, such as "not measured" or "failed", and dashes. All times in the table have one unit; each rate has
 * one unit for its column. Rates that always equal the main rate have no column; the caption names them.
 */
export function cellTable(group: SeriesGroup): DocumentTable {
  const { x, row } = group;
  const rows = xsOf(group.series).flatMap((at) =>
    group.series
      .flatMap((series) => series.slots.filter((s) => s.x === at).map((slot) => ({ series, slot })))
      .map((one, i): CellRow => ({ ...one, isFirst: i === 0 })),
  );
  const shown = (r: CellRow) => figureOf(r.slot.cell, group);
  const runs = new Map(group.series.map(({ run }) => [run, isRetriedCell(run)]));
  const isRetried = ({ series, slot: { cell } }: CellRow) =>
    isOk(cell) && runs.get(series.run)?.(cell) === true;
  const trial = trialOf(row, group.figure);
  const device = isOnDevice(group) && trial === 'isolated';
  const isRepeatedRate = ({ name }: FigureData) => isRepeated(group, name);
  const rates = derivedRows(row).filter((of) => !isRepeatedRate(of));
  const repeated = derivedRows(row).filter(isRepeatedRate);
  const times = columnUnit(
    'ns',
    rows.flatMap((r) => shown(r)?.value ?? []),
  );
  const time = (ns: number | null | undefined) => (ns === null || ns === undefined ? dash : times.text(ns));
  const isSkewed = group.series.some(({ transport }) => parseSeriesName(transport).skew !== null);
  const arrivals = isSkewed ? arrivalFigures : [];
  const timeColumn = (
    { longHead, head }: Pick<FigureData, 'longHead' | 'head'>,
    nsOf: (cell: CellSlot['cell']) => number | undefined,
  ): CellColumn<CellRow> => ({
    head: longHead ?? head,
    align: 'right',
    cell: ({ slot }) => time(nsOf(slot.cell)),
  });
  const columns: CellColumn<CellRow>[] = [
    { head: 'verdict', isVerdict: true, cell: verdict },
    { head: x.noun, align: 'right', isX: true, cell: (r) => x.text(r.slot.x) },
    {
      head: 'count',
      align: 'right',
      only: ['page'],
      cell: ({ isFirst, slot: { point } }) =>
        isFirst && point.count !== undefined ? formatCount(point.count) : '',
    },
    { head: 'over', cell: (r) => r.series.name },
    {
      head: 'medium',
      cell: ({ series: { medium } }) => (medium === 'emulated' ? { label: medium } : medium),
    },
    {
      head: withUnit((device && figureRow(row, group.figure)?.head) || 'time', times),
      align: 'right',
      cell: (r) => (isRetried(r) ? retriedMark : '') + time(shown(r)?.value),
    },
    { head: '±', align: 'right', cell: (r) => spread(r, group) },
    { head: 'p95', align: 'right', cell: (r) => time(shown(r)?.p95) },
    // The workload's first measured time is in the columns above.
    ...measuredRows(row)
      .slice(1)
      .map((of) => timeColumn(of, (cell) => measuredOf(cell, of.name)?.value)),
    ...(device ? deviceColumns(time) : []),
    ...arrivals.map((of) =>
      timeColumn(of, (cell) => (isOk(cell) ? sideOf(cell, of.name)?.value : undefined)),
    ),
    ...rates.map((of) => {
      const by = groupOfFigure(group, of);
      return figureColumn(of, rows, ({ slot }) => rateOf(slot.cell, by, of.name), dash);
    }),
    { head: 'wrong', align: 'right', cell: wrong },
    {
      head: 'flags',
      isLong: true,
      cell: ({ slot: { cell } }) => (isOk(cell) ? cell.flags.map(({ name }) => name).join(', ') : ''),
    },
    {
      head: 'reason',
      only: ['markdown'],
      cell: ({ slot: { cell } }) => (cell === null || isOk(cell) ? '' : cell.reason),
    },
  ];
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
  return tableOf(
    columns,
    rows,
    {
      title: `All configurations of ${group.title}.`,
      caption: `All times are in ${times.unit}. ${meaning}${isSkewed ? ` ${capitalise(skewMeaning)}.` : ''}${same}${cacheSentence(group)}${why}${legend}`,
    },
    ({ series, slot: { x, point, cell } }) => ({
      isBad: !isOk(cell) || cell.verification.wrongElements > 0 || cell.evidence.verdict === 'contradicted',
      filter: { transport: series.transport, what: whatOf(row, point.axes), x },
    }),
  );
}

/**
 * Returns a table column with the values of a figure, all in one unit.
 * @param none content of a cell without a value
 */
export function figureColumn<Row>(
  { unit, longHead, head }: FigureData,
  rows: readonly Row[],
  amountOf: (row: Row) => number | null,
  none: string | null,
): CellColumn<Row> {
  const column = columnUnit(
    unit,
    rows.flatMap((row) => amountOf(row) ?? []),
  );
  return {
    head: withUnit(longHead ?? head, column),
    align: 'right',
    cell: (row) => {
      const value = amountOf(row);
      return value === null ? none : column.text(value);
    },
  };
}

/**
 * Returns the columns that only GPU engines have: the host's time to enqueue one operation, and the algorithm and protocol that the
 * library chose.
 * @param time formats a time in ns in the unit of the table; a dash for undefined
 */
const deviceColumns = (time: (ns: number | undefined) => string): CellColumn<CellRow>[] => [
  {
    head: 'enqueue',
    align: 'right',
    cell: ({ slot: { cell } }) => time(isOk(cell) ? sideOf(cell, 'enqueue')?.value : undefined),
  },
  {
    head: 'algo/proto',
    cell: ({ slot: { cell } }) => (isOk(cell) ? chosenText(cell.choice) : '') || dash,
  },
];

function spread({ slot }: CellRow, group: SeriesGroup): string {
  const figure = figureOf(slot.cell, group);
  if (figure === null || figure.interval === null) return dash;
  return spreadText(figure.value, figure.interval);
}

function wrong({ slot: { cell } }: CellRow): string {
  if (!isOk(cell)) return dash;
  const { verification } = cell;
  return verification.enabled && verification.checks > 0
    ? formatCount(verification.wrongElements)
    : 'not checked';
}

/**
 * Returns the verdict of the evidence on the transport ("confirmed", "unproven", "contradicted"), followed by ", flagged" if the
 * result was disturbed. If the data check failed it is "wrong data"; without a result the status, such as "failed"; without a
 * record "not measured".
 */
function verdict({ slot: { cell } }: CellRow): string {
  if (cell === null) return 'not measured';
  if (!isOk(cell)) return cell.status;
  if (cell.verification.wrongElements > 0) return 'wrong data';
  return isDisturbed(cell) ? `${cell.evidence.verdict}, flagged` : cell.evidence.verdict;
}
