import { addTo } from '../../results/collections.ts';
import { nameOfRun } from '../../results/compare/run.ts';
import { loadFlags } from '../../results/derive/metrics/flags.ts';
import { type NvlinkTraffic, nvlinkTraffic } from '../../results/derive/metrics/nvlink.ts';
import type { OkCell, SamplerCost } from '../../results/schema/index.ts';
import { meanwhileFigure } from '../charts/index.ts';
import { type DocumentBlock, type DocumentTable, tableOf } from '../document/blocks.ts';
import { xOfPlan } from '../rows.ts';
import type { ReportRun } from '../series.ts';
import { isOk, namedXOfPoint, titleOfPoint, xOfPoint, xPhrase, xTextOfPoint } from '../series.ts';
import { courseOf, type HostLoadCurves } from '../system-load/host-curves.ts';
import {
  fileWords,
  formatCount,
  formatPercent,
  formatTime,
  joinWords,
  plural,
  shortTransport,
  threeDigits,
} from '../wording.ts';

/**
 * Maximum number of charts of the system load of one run; each shows one host during one start, resumption or repetition of the
 * run. If there are more, those of the hosts with the most flagged configurations are drawn.
 */
const maxFigures = 4;
const maxCells = 500;

/**
 * Returns the report's section about system load (processors, network, GPUs) during the runs; empty if no run recorded it. A
 * sentence replaces the charts of a run whose readings cannot be read.
 */
export async function systemLoadSection(runs: readonly ReportRun[]): Promise<DocumentBlock[]> {
  const parts: DocumentBlock[] = [];
  for (const run of runs) {
    const body = await ofRun(run, runs.length > 1);
    if (body.length === 0) continue;
    if (runs.length > 1) parts.push({ kind: 'section', title: `Run ${nameOfRun(run.record)}`, body });
    else parts.push(...body);
  }
  return parts.length === 0 ? [] : [...parts, flagTable()];
}

async function ofRun(run: ReportRun, several: boolean): Promise<DocumentBlock[]> {
  const { courses, problem, nvlink } = await coursesOf(run);
  if (problem !== null) return [{ kind: 'paragraph', text: `System load cannot be read: ${problem}.` }];
  if (courses.length === 0) return [];
  const shown = sortByFlags(courses, run).slice(0, maxFigures);
  const left = courses.length - shown.length;
  const rest =
    left === 0
      ? ''
      : ` Of the ${courses.length} hosts those with most flags are drawn; readings of all are in metrics/.`;
  return [
    { kind: 'paragraph', text: `${readSentence(courses)}${rest} ${costSentence(courses)}${nvlink}` },
    ...courses
      .filter((one) => shown.includes(one))
      .map(
        (course): DocumentBlock => ({
          kind: 'chart',
          figure: meanwhileFigure(course, fileName(run, course, several)),
        }),
      ),
    loadFlagTable(run),
    ...cellLoads(run),
    ...notRead(courses),
  ];
}

async function coursesOf(
  run: ReportRun,
): Promise<{ courses: HostLoadCurves[]; problem: string | null; nvlink: string }> {
  const courses: HostLoadCurves[] = [];
  try {
    const all = (await run.metrics?.()) ?? [];
    for (const series of all) {
      const course = await courseOf(series, run.record.plan, run.cells);
      if (course !== null) courses.push(course);
    }
    const nvlink = nvlinkSentence(await nvlinkTraffic(run.record.plan, run.cells, all));
    return { courses, problem: null, nvlink };
  } catch (error) {
    return { courses, problem: error instanceof Error ? error.message : String(error), nvlink: '' };
  }
}

/**
 * Returns a sentence, with a space before it, that compares the bytes counted on NVLink with the bytes that the transport p2p
 * (direct copies between GPUs) had to move. The share may exceed 100 %, because warm-up operations and the algorithm's own traffic
 * also use NVLink. '' if `traffic` is null: no counters were read, or no configuration used p2p.
 */
function nvlinkSentence(traffic: NvlinkTraffic | null): string {
  if (traffic === null) return '';
  const { sentBytes, neededBytes } = traffic;
  const share = formatPercent(sentBytes / neededBytes);
  return ` Over NVLink the GPUs sent ${threeDigits(sentBytes / 1e9)} GB; p2p had to move ${threeDigits(neededBytes / 1e9)} GB at least, so ${sentBytes < 0.95 * neededBytes ? `only ${share} of it can have gone that way` : `${share} of it was seen there`}.`;
}

/**
 * Sorts hosts by the number of configurations that were flagged because of the host's system load, highest first. Hosts with equal
 * numbers keep their order.
 */
function sortByFlags(courses: readonly HostLoadCurves[], run: ReportRun): HostLoadCurves[] {
  const flags = (host: string): number =>
    run.cells.filter((cell) => isOk(cell) && cell.load?.reasons.some((reason) => reason.host === host))
      .length;
  return [...courses].sort((a, b) => flags(b.header.host) - flags(a.header.host));
}

function fileName(run: ReportRun, { header }: HostLoadCurves, several: boolean): string {
  const plain = fileWords(header.host).slice(0, 60);
  const start = header.attempt === undefined ? '' : `-${header.attempt}`;
  return `load-${several ? `${run.record.id}-` : ''}${plain}${start}`;
}

function readSentence(courses: readonly HostLoadCurves[]): string {
  const [first] = courses;
  const every = formatTime((first?.header.intervalUs ?? 0) * 1000);
  const ticks = courses.reduce((sum, course) => sum + course.ticks, 0);
  const channels = new Set(courses.map(({ header }) => header.channels.length));
  const values = joinWords([...channels].map(formatCount), 'or');
  const hosts = new Set(courses.map(({ header }) => header.host)).size;
  return `${hosts === 1 ? 'The machine was' : `Each of ${hosts} machines was`} read every ${every}, ${values} values at a time: ${plural(ticks, 'reading')}.`;
}

/**
 * Returns a sentence about the cost of reading the system load: processor time and memory on the host where it cost most, and
 * missed readings. Agents that ended without reporting the cost are counted.
 */
function costSentence(courses: readonly HostLoadCurves[]): string {
  const told = courses.flatMap((course) => (course.cost === null ? [] : [{ course, cost: course.cost }]));
  const silent = courses.length - told.length;
  const gone =
    silent === 0 ? '' : ` ${plural(silent, 'agent')} ended before it reported the cost of sampling.`;
  const worst = told.reduce<(typeof told)[number] | null>(
    (most, one) => (most === null || shareOf(one) > shareOf(most) ? one : most),
    null,
  );
  if (worst === null) return gone.trim();
  const { cost, course } = worst;
  const missed = told.reduce((sum, one) => sum + one.cost.missedTicks, 0);
  const where = courses.length > 1 ? ` at most (${course.header.host})` : '';
  return `Reading took ${threeDigits(100 * shareOf(worst))} % of one core${where} and the process that read held ${threeDigits(cost.residentBytes / 2 ** 20)} MiB; ${plural(missed, 'reading was', 'readings were')} missed, and they began ${jitter(cost)} later than due.${gone}`;
}

const shareOf = ({ course, cost }: { course: HostLoadCurves; cost: SamplerCost }): number =>
  course.lastS === 0 ? 0 : cost.cpuNs / 1e9 / course.lastS;

const jitter = ({ jitterNs: { median, p99, max } }: SamplerCost): string =>
  `${formatTime(median)} (median), ${formatTime(p99)} (p99), at most ${formatTime(max)}`;

function notRead(courses: readonly HostLoadCurves[]): DocumentBlock[] {
  const reasons = new Map<string, string[]>();
  for (const { header, lost } of courses) {
    for (const { source, reason } of [...header.failed, ...lost]) {
      const text = `${source}: ${reason}`;
      addTo(reasons, text, header.host);
    }
  }
  if (reasons.size === 0) return [];
  const hosts = (names: readonly string[]): string =>
    courses.length === 1 || names.length === courses.length
      ? ''
      : ` (${joinWords(names.slice(0, 3))}${names.length > 3 ? ', ...' : ''})`;
  const items = [...reasons].slice(0, 100).map(([text, names]) => `${text}${hosts(names)}`);
  const summary = 'Metrics that could not be read, and why';
  return [{ kind: 'folded', summary, body: [{ kind: 'list', title: '', items }] }];
}

/**
 * Returns a function that takes the minimum or maximum (`extreme`) of a list, without the values that are null or undefined. It
 * returns null if no value is left.
 */
const ofKnown =
  (extreme: (...values: number[]) => number) =>
  (values: readonly (number | null | undefined)[]): number | null => {
    const known = values.filter((value) => value != null);
    return known.length === 0 ? null : extreme(...known);
  };

/**
 * Returns a table of the system load in the first configurations for which it was recorded (`maxCells`), folded on pages; empty if
 * it was recorded for none.
 */
function cellLoads(run: ReportRun): DocumentBlock[] {
  const cells = run.cells.filter((cell): cell is OkCell => isOk(cell) && cell.load !== undefined);
  if (cells.length === 0) return [];
  const { plan } = run.record;
  const several = new Set(cells.map((cell) => titleOfPoint(plan, cell))).size > 1;
  const lowest = ofKnown(Math.min);
  const highest = ofKnown(Math.max);
  const shown = cells.slice(0, maxCells);
  const hostsOf = ({ load }: OkCell) => load?.hosts ?? [];
  const table = tableOf<OkCell>(
    [
      { head: xOfPlan(plan).noun, align: 'right', cell: (cell) => xTextOfPoint(plan, cell) },
      { head: 'what', cell: (cell) => (several ? titleOfPoint(plan, cell) : '') },
      { head: 'over', cell: ({ transport }) => shortTransport(transport) },
      { head: 'readings', align: 'right', cell: (cell) => lowest(hostsOf(cell).map(({ ticks }) => ticks)) },
      { head: 'own share', quantity: 'share', cell: (cell) => lowest(hostsOf(cell).map(({ fill }) => fill)) },
      {
        head: 'CPU busy',
        quantity: 'share',
        cell: (cell) => highest(hostsOf(cell).map(({ cpuBusyShare }) => cpuBusyShare)),
      },
      {
        head: 'others, cores',
        align: 'right',
        cell: (cell) =>
          highest(hostsOf(cell).map(({ competingCores }) => competingCores))?.toFixed(2) ?? null,
      },
      { head: 'must move', align: 'right', cell: ({ traffic }) => moved(traffic?.mustMoveBytes ?? null) },
      { head: 'interfaces', cell: interfaces },
      {
        head: 'J/GB',
        align: 'right',
        cell: ({ load }) => (load?.joulesPerGB == null ? null : threeDigits(load.joulesPerGB)),
      },
    ],
    shown,
    {
      caption: `System load of each configuration; of several hosts the worst value of each column.${cells.length > shown.length ? ` The first ${maxCells} of ${formatCount(cells.length)} are shown; all are in cells.ndjson.` : ''}`,
    },
  );
  const text =
    'Readings: those that fell into the time of the configuration. Own share: of the time between the readings next to it; where it is small, the readings to its right mostly describe neighbouring configurations. Others: cores kept busy by neither ranks nor collbench, at least. Interfaces: bytes received in all blocks of the configuration, warm-up included, as is what must move at least.';
  const summary = 'System load of each configuration';
  return [{ kind: 'folded', summary, body: [table, { kind: 'paragraph', text }] }];
}

const moved = (bytes: number | null): string | null => (bytes === null ? null : decimal(bytes));

function decimal(bytes: number): string {
  for (const [unit, size] of [
    ['GB', 1e9],
    ['MB', 1e6],
    ['kB', 1e3],
  ] as const) {
    if (bytes >= size) return `${threeDigits(bytes / size)} ${unit}`;
  }
  return `${bytes} B`;
}

/** Returns the two network interfaces that received most bytes during a configuration, with these bytes; '' if none is known. */
function interfaces({ traffic }: OkCell): string {
  const all = Object.entries(traffic?.interfaces ?? {}).sort(([, a], [, b]) => b - a);
  return all
    .slice(0, 2)
    .map(([name, bytes]) => `${name} ${decimal(bytes)}`)
    .join(', ');
}

/**
 * Returns a table with a row per kind of flag that the system load raised: the number of flagged configurations, their range of x,
 * and the reason of the first one. Reasons contain numbers that differ between configurations, so only one is shown. The table has
 * no rows if there are no flags.
 */
function loadFlagTable(run: ReportRun): DocumentTable {
  const { plan } = run.record;
  const found = new Map<string, { xs: number[]; cells: number; why: string }>();
  for (const cell of run.cells.filter(isOk)) {
    const several = (cell.load?.hosts.length ?? 0) > 1;
    for (const flag of new Set(cell.load?.reasons.map((reason) => reason.flag))) {
      const reason = cell.load?.reasons.find((one) => one.flag === flag);
      const at = `${namedXOfPoint(plan, cell)} over ${shortTransport(cell.transport)}`;
      const why = `${at}${several ? `, ${reason?.host}` : ''}: ${reason?.text ?? ''}`;
      const so = found.get(flag) ?? { xs: [], cells: 0, why };
      found.set(flag, { xs: [...so.xs, xOfPoint(plan, cell)], cells: so.cells + 1, why: so.why });
    }
  }
  return tableOf<[string, { xs: number[]; cells: number; why: string }]>(
    [
      { head: 'flag', cell: ([flag]) => flag },
      {
        head: 'configurations',
        isLong: true,
        cell: ([, { xs, cells }]) => `${plural(cells, 'configuration')}, ${xPhrase(xOfPlan(plan), xs)}`,
      },
      { head: 'first of them', isLong: true, cell: ([, { why }]) => why },
    ],
    [...found],
    { isStacked: true },
  );
}

const flagTable = (): DocumentBlock => ({
  kind: 'folded',
  summary: 'Flags and their limits',
  body: [
    tableOf<(typeof loadFlags)[number]>(
      [
        { head: 'flag', cell: ({ flag }) => flag },
        { head: 'meaning', isLong: true, cell: ({ meaning }) => meaning },
        { head: 'raised from', isLong: true, cell: ({ limit }) => limit },
        { head: 'read from', isLong: true, cell: ({ source }) => source },
      ],
      loadFlags,
      { isStacked: true },
    ),
  ],
});
