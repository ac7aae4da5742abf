import { xValueOf } from '../../derive/cells/cell-group.ts';
import {
  type CellRecord,
  dataOf,
  type MeasuredFigure,
  type Medium,
  measuredOf,
  type TransportDetail,
  titleOf,
  whatOf,
} from '../../schema/index.ts';
import type { LinkDevice } from './device.ts';
import type { LinkPoint } from './fit.ts';
import { stepsOf, wayOf } from './steps.ts';

/** All measured times over one transport by one engine, from which costs of its link are fitted. */
export interface LinkMeasurement {
  transport: string;
  engine: string;
  medium: Medium;
  /** Description of the adapter, or of the software device and its link model, copied from the results. */
  detail: TransportDetail;
  /** The software device whose link model is fitted, also for measurements over a real adapter. */
  device: LinkDevice;
  /** False if it is not known how the transport sends a message; the fit then assumes one write per message. */
  isKnown: boolean;
  /** Measured times, sorted by series, then by size. */
  points: LinkPoint[];
  /** Titles of the series whose times are in `points`: "pingpong", "put window 64". */
  from: string[];
  /** Message sizes in bytes, by series, that are not used, because it is not known by which messages the operation sends them. */
  ignored: { series: string; sizes: number[] }[];
  /**
   * Message sizes in bytes that were measured with a link model only, so that the time of the software device itself is unknown.
   */
  withoutOwn: number[];
  /**
   * Message sizes in bytes at which the software device itself takes nearly all of the time, so that no link model can reproduce
   * the time.
   */
  tooFast: number[];
}

/**
 * A time is not used if the software device itself takes more than this share of it: the rest is smaller than the scatter of the
 * times.
 */
const largestOwnShare = 0.9;

/**
 * Collects the measured times and the steps of each operation, one result for each engine, transport and medium. Failed cells,
 * cells with wrong data and empty messages are left out, so `points` may be empty.
 * @param cells cells of the runs over the link
 * @param unpaced cells of the same operations over the software device without a link model, which show its own time; null = not
 * measured, then its own time counts as part of the link's
 */
export function measuredLinks(
  cells: readonly CellRecord[],
  unpaced: readonly CellRecord[] | null,
): LinkMeasurement[] {
  const own = new Map(
    (unpaced ?? []).flatMap((cell) => {
      const timeNs = timeOf(cell);
      return timeNs === null ? [] : [[operationKey(cell), timeNs] as const];
    }),
  );
  const links = new Map<string, LinkMeasurement>();
  for (const cell of cells) {
    const key = `${cell.engine}/${cell.transport}/${cell.medium}`;
    const link = links.get(key) ?? emptyLink(cell);
    links.set(key, link);
    const ownNs = unpaced === null ? 0 : (own.get(operationKey(cell)) ?? null);
    enter(link, cell, ownNs);
  }
  for (const { points, from } of links.values())
    points.sort((a, b) => from.indexOf(a.series) - from.indexOf(b.series) || a.bytes - b.bytes);
  return [...links.values()];
}

function emptyLink({ transport, engine, medium, detail }: CellRecord): LinkMeasurement {
  const { device, isKnown } = wayOf(transport, engine);
  const lists = { points: [], from: [], ignored: [], withoutOwn: [], tooFast: [] };
  return { transport, engine, medium, detail, device, isKnown, ...lists };
}

function enter(link: LinkMeasurement, cell: CellRecord, ownNs: number | null): void {
  const measured = measuredTime(cell);
  const timeNs = measured?.value ?? null;
  const row = dataOf(cell.workload);
  const bytes = xValueOf(cell);
  if (timeNs === null || bytes <= 0 || cell.status !== 'ok') return;
  const { workload, axes, ranks } = cell;
  const choice = cell.choice.algorithm;
  const what = whatOf(row, axes);
  const steps = stepsOf(wayOf(link.transport, link.engine), { workload, axes, what, ranks, choice, bytes });
  const title = titleOf(row, axes);
  if (steps === null) {
    const known = link.ignored.find(({ series }) => series === title);
    if (known === undefined) link.ignored.push({ series: title, sizes: [bytes] });
    else addNew(known.sizes, bytes);
  } else if (ownNs === null) {
    addNew(link.withoutOwn, bytes);
  } else if (ownNs > largestOwnShare * timeNs) {
    addNew(link.tooFast, bytes);
  } else {
    addNew(link.from, title);
    const counted = steps.overlaps === true ? 0 : ownNs;
    const { interval } = measured as MeasuredFigure;
    const half = interval === null ? 0 : (interval.high - interval.low) / 2 / timeNs;
    link.points.push({ series: title, bytes, timeNs, half, ownNs: counted, steps });
  }
}

function addNew<T>(list: T[], one: T): void {
  if (!list.includes(one)) list.push(one);
}

/**
 * Returns the isolated time of an operation; if there is none, the pipelined time, unless the operation is `put`, whose operations
 * overlap. Null without either, and for wrong data.
 */
function measuredTime(cell: CellRecord): MeasuredFigure | null {
  if (cell.status !== 'ok' || cell.verification.wrongElements > 0) return null;
  const backToBack = cell.axes.operation === 'put' ? null : measuredOf(cell, 'pipelined');
  return measuredOf(cell, 'latency') ?? backToBack;
}
const timeOf = (cell: CellRecord): number | null => measuredTime(cell)?.value ?? null;

const operationKey = ({ workload, axes, ranks, engine, transport }: CellRecord): string =>
  JSON.stringify([
    workload,
    Object.entries(axes).sort(([a], [b]) => (a < b ? -1 : 1)),
    ...[ranks, engine, transport],
  ]);
