import { xText } from '../../axis-text.ts';
import { addTo, sumOfCounts } from '../../collections.ts';
import {
  type CellRecord,
  dataOf,
  derivedOf,
  type Evidence,
  headlineNames,
  type MeasuredFigure,
  measuredOf,
  type OkCell,
  type SuiteEntry,
  type SuiteFinding,
  type SuiteFindingFigure,
  titleOf,
  workloadOf,
} from '../../schema/index.ts';
import { seriesKeyOf, xValueOf } from '../cells/cell-group.ts';
import { flagCounts } from '../cells/flags.ts';

/**
 * Returns the results of a suite without the gate: a verdict, numbers of cells, checks, wrong elements and flags, the evidence for
 * each transport, problems as sentences, and a time and a rate of each series. The verdict is `interrupted` if an entry was stopped
 * or not reached; otherwise `works` if problemsOf() finds no problem, `fails` if no configuration has a result or no entry is
 * `measured` or `incomplete`, else `partly`.
 * @param cells by name of the entry, its cells from all of its runs
 */
export function suiteFound(
  entries: readonly SuiteEntry[],
  cells: ReadonlyMap<string, readonly CellRecord[]>,
): SuiteFinding {
  const all = [...cells.values()].flat().filter((cell): cell is OkCell => cell.status === 'ok');
  const sum = (of: (cell: OkCell) => number): number => sumOfCounts(all.map(of));
  const wrongElements = sum(({ verification }) => verification.wrongElements);
  const checks = sum(({ verification }) => verification.checks);
  const transports = transportsOf(all);
  const problems = problemsOf(entries, cells);
  return {
    verdict: verdictOf(entries, { measured: all.length, problems }),
    cells: {
      expected: entries.reduce((total, entry) => total + entry.cells.expected, 0),
      measured: all.length,
    },
    ...{ checks, wrongElements, transports, problems },
    flagged: all.filter(({ flags }) => flags.length > 0).length,
    flags: flagCounts(all),
    series: seriesOf(all),
  };
}

function verdictOf(
  entries: readonly SuiteEntry[],
  { measured, problems }: { measured: number; problems: readonly string[] },
): SuiteFinding['verdict'] {
  if (entries.some(({ status }) => status === 'interrupted' || status === 'not-reached'))
    return 'interrupted';
  if (problems.length === 0) return 'works';
  return measured === 0 || entries.every(({ status }) => status !== 'measured' && status !== 'incomplete')
    ? 'fails'
    : 'partly';
}

/**
 * Returns the problems of the suite as sentences, most severe first. An optional entry is no problem if it cannot run on these
 * hosts or lacks a transport; if it ran and failed, it is one, as for the exit code (`exitCodeOfSuite`).
 * @param cells by name of the entry, its cells from all of its runs
 */
function problemsOf(
  entries: readonly SuiteEntry[],
  cells: ReadonlyMap<string, readonly CellRecord[]>,
): string[] {
  const wrong: string[] = [];
  const missing: string[] = [];
  for (const { name, status, reason, optional, leftOut } of entries) {
    const own = cells.get(name) ?? [];
    const ok = own.filter((cell): cell is OkCell => cell.status === 'ok');
    const count = (of: (cell: OkCell) => boolean): string =>
      `${ok.filter(of).length} of ${ok.length} configurations`;
    const isWrong = ({ verification }: OkCell): boolean => verification.wrongElements > 0;
    const isElsewhere = ({ evidence }: OkCell): boolean => evidence.verdict === 'contradicted';
    const isUnchecked = ({ verification }: OkCell): boolean => verification.checks === 0;
    if (ok.some(isWrong)) wrong.push(`${name}: wrong data in ${count(isWrong)}`);
    if (ok.some(isElsewhere))
      wrong.push(`${name}: another transport than requested in ${count(isElsewhere)}`);
    if (ok.some(isUnchecked)) missing.push(`${name}: not verified in ${count(isUnchecked)}`);
    if ((status === 'failed' || status === 'incomplete') && !ok.some(isWrong))
      missing.push(`${name}: ${reason ?? status}`);
    if (optional) continue;
    if (status === 'cannot-run') missing.push(`${name}: cannot run here: ${reason ?? ''}`);
    missing.push(...leftOut.map((one) => `${name}: no ${one.transport} here: ${one.reason}`));
  }
  return [...wrong, ...missing];
}

const gravest: Evidence['verdict'][] = ['contradicted', 'unproven', 'confirmed'];

/** False if the operation need not send a byte to another rank, so that no evidence can show which path it used. */
const movesBytes = ({ workload, axes, ranks }: OkCell): boolean =>
  ranks > 1 && workloadOf(workload).minMovedByAnyAlgorithm({ axes, ranks }) !== 0;

function transportsOf(cells: readonly OkCell[]): SuiteFinding['transports'] {
  const found = new Map<string, SuiteFinding['transports'][number]>();
  const moving = cells.filter(movesBytes);
  for (const { transport: name, medium, evidence } of moving.length > 0 ? moving : cells) {
    const known = found.get(`${name} ${medium}`);
    const verdict = gravest.find((one) => one === evidence.verdict || one === known?.verdict) ?? 'unproven';
    found.set(`${name} ${medium}`, { name, medium, verdict });
  }
  return [...found.values()];
}

function seriesOf(cells: readonly OkCell[]): SuiteFinding['series'] {
  const bySeries = new Map<string, OkCell[]>();
  for (const cell of cells) {
    const key = seriesKeyOf(cell);
    addTo(bySeries, key, cell);
  }
  return [...bySeries.values()].map((own) => {
    const sorted = own.toSorted((a, b) => xValueOf(a) - xValueOf(b));
    const [first, last] = [sorted[0] as OkCell, sorted.at(-1) as OkCell];
    const { transport, medium, workload, axes, ranks, group } = first;
    return {
      title: titleOf(dataOf(workload), axes),
      ...{ ranks, group: group?.name ?? null, transport, medium },
      small: timeOf(first),
      large: rateOf(last),
    };
  });
}

/**
 * Returns the time of the cell that tables show first: isolated latency if measured, else pipelined time; null if neither was
 * measured, or if its unit is not ns. `half` is the half width of its 95 % interval as a share of the value; null without one.
 */
function timeOf(cell: OkCell): SuiteFindingFigure | null {
  const [figure] = headlineNames(dataOf(cell.workload)).flatMap((name) => measuredOf(cell, name) ?? []);
  if (figure === undefined || figure.unit !== 'ns') return null;
  const title = rowOf(cell, figure.name)?.title ?? figure.name;
  const { name, value } = figure;
  return { at: xText(cell), name, title, value, unit: 'ns', half: halfOf(figure) };
}

/**
 * Returns the figure of the cell that charts show, such as bus bandwidth, computed from the first measured time that allows it;
 * null if there is none. `half` is the relative half width of the 95 % interval of that time; null without one.
 */
function rateOf(cell: OkCell): SuiteFindingFigure | null {
  const row = dataOf(cell.workload).figures.find(({ isCharted }) => isCharted === true);
  if (row === undefined) return null;
  for (const from of row.from) {
    const figure = derivedOf(cell, row.name, from);
    if (figure === null) continue;
    const { name, title } = row;
    return {
      at: xText(cell),
      name,
      title,
      value: figure.value,
      unit: row.unit,
      half: halfOf(measuredOf(cell, from)),
    };
  }
  return null;
}

const rowOf = (cell: OkCell, name: string) => dataOf(cell.workload).figures.find((one) => one.name === name);

function halfOf(figure: MeasuredFigure | null): number | null {
  if (figure === null || figure.interval === null) return null;
  return (figure.interval.high - figure.interval.low) / 2 / figure.value;
}
