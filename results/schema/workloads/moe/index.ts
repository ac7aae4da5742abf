import { z } from 'zod';
import { algGBps, busGBps } from '../bandwidth.ts';
import { latency, pipelined, seriesAxis, silentAxis } from '../common.ts';
import type { AxisData, FigureData, WorkloadAxes } from '../data.ts';
import { parseTrafficPattern, type TrafficMatrix } from '../matrix/traffic-matrix.ts';
import type { DerivedValue, PointContext, Workload } from '../workload.ts';
import { expertCounts, rowsBetweenRanks } from './routing.ts';

/**
 * Measured operations of a mixture of experts. `dispatch`: tokens are sent to the ranks of their experts. `combine`: the outputs
 * are sent back and added up. `pair`: both, one after the other.
 */
export const moePhases = ['dispatch', 'combine', 'pair'] as const;

/**
 * Data types of dispatched tokens. With float8e4m3, every 128 elements have a scale of type float32. Outputs that are sent back are
 * always bfloat16.
 */
export const moeDtypes = ['bfloat16', 'float8e4m3'] as const;

/** Capacity without limit, as value of the axis `capacity`: no token is dropped. */
export const dropless = 'dropless';

export const moeAxes = z.strictObject({
  phase: z.enum(moePhases),
  /**
   * Name of the routing: "uniform", "zipf:1.2", "hot:8:7" (7 = seed), or the name of a file with a hash of its content,
   * "layer3.txt@3f2a1c09".
   */
  routing: z.string(),
  /**
   * Limit on the tokens that an expert takes from each rank: "dropless" = none, or the capacity factor as text: "1.25" = 1.25 times
   * an equal share.
   */
  capacity: z.string(),
  dtype: z.enum(moeDtypes),
  experts: z.int().min(1),
  topK: z.int().min(1),
  /** Number of elements of one token. */
  hidden: z.int().min(8),
  /** Number of tokens that each rank has. */
  tokens: z.int().min(1),
  /**
   * Only for a routing from a file: bytes over the busiest port (what one rank sends to other ranks, or receives from them).
   * `sentBytes`: bytes that all ranks together send to other ranks. Null if the routing is computed from its name.
   */
  busiestBytes: z.int().min(0).nullable(),
  sentBytes: z.int().min(0).nullable(),
  /**
   * Only for a routing from a file: bytes of all rows (tokens for one expert), including those for a rank's own experts; null if
   * the routing is computed from its name.
   */
  rowsBytes: z.int().min(0).nullable(),
});
export type MoeAxes = z.infer<typeof moeAxes>;

const of = (axes: WorkloadAxes): MoeAxes => moeAxes.parse(axes);

const scaledElements = 128;

/** Returns the bytes of one dispatched token, including its scales. */
export const dispatchedBytes = ({ dtype, hidden }: Pick<MoeAxes, 'dtype' | 'hidden'>): number =>
  dtype === 'bfloat16' ? 2 * hidden : hidden + 4 * Math.ceil(hidden / scaledElements);

export interface MoeTraffic {
  /**
   * Bytes over the busiest port: the highest amount that one rank sends to other ranks, or receives from them, in one operation.
   */
  busiest: number;
  /** Bytes that all ranks together send to other ranks in one operation. */
  sent: number;
  /** Bytes of all rows (tokens for one expert) of all ranks, including those that stay on their rank. */
  rows: number;
}

/**
 * Returns the bytes that one operation moves (dispatch, combine or both, by `axes.phase`), without the counts that ranks exchange
 * first.
 * @param rows number of rows (tokens for one expert) by sender and receiver of the dispatch
 */
export function moeTraffic(
  axes: Pick<MoeAxes, 'phase' | 'dtype' | 'hidden'>,
  rows: TrafficMatrix,
): MoeTraffic {
  const out = axes.phase === 'combine' ? 0 : dispatchedBytes(axes);
  const back = axes.phase === 'dispatch' ? 0 : 2 * axes.hidden;
  const made: MoeTraffic = { busiest: 0, sent: 0, rows: 0 };
  for (const [rank, row] of rows.entries()) {
    const own = row[rank] ?? 0;
    const leaving = row.reduce((all, one) => all + one, 0);
    const arriving = rows.reduce((all, one) => all + (one[rank] ?? 0), 0) - own;
    made.rows += leaving * (out + back);
    made.sent += (leaving - own) * (out + back);
    made.busiest = Math.max(
      made.busiest,
      (leaving - own) * out + arriving * back,
      arriving * out + (leaving - own) * back,
    );
  }
  return made;
}

/**
 * Returns the capacity factor in a value of the axis `capacity`; null = dropless. The text is not checked: it becomes NaN if it
 * is no number.
 */
export const factorOf = (capacity: string): number | null =>
  capacity === dropless ? null : Number(capacity);

/** Bytes of one count, by which a rank announces how many rows follow for one expert. */
const countBytes = 4;

/**
 * Returns the bytes that all ranks together send to other ranks in one operation: rows (tokens for one expert), and before a
 * dispatch one count for each expert of another rank.
 */
function movedBytes(place: PointContext): number {
  const { phase, experts } = of(place.axes);
  const counts = phase === 'combine' ? 0 : (place.ranks - 1) * experts * countBytes;
  return trafficAt(place).sent + counts;
}

/**
 * Cache of trafficAt() by axes and number of ranks. Figures and both bounds of their intervals ask for the same traffic again and
 * again.
 */
const known = new Map<string, MoeTraffic>();
const maxKnown = 1000;

function trafficAt({ axes, ranks }: PointContext): MoeTraffic {
  const one = of(axes);
  const { busiestBytes, sentBytes, rowsBytes } = one;
  if (busiestBytes !== null && sentBytes !== null && rowsBytes !== null)
    return { busiest: busiestBytes, sent: sentBytes, rows: rowsBytes };
  const key = JSON.stringify([one, ranks]);
  const found = known.get(key);
  if (found !== undefined) return found;
  const pattern = parseTrafficPattern(one.routing);
  if (pattern === null || typeof pattern === 'string' || pattern.kind === 'diagonal')
    throw new RangeError(`no routing is called ${one.routing}`);
  const counts = expertCounts(pattern, { ...one, ranks }, factorOf(one.capacity));
  const made = moeTraffic(one, rowsBetweenRanks(counts));
  if (known.size >= maxKnown) known.clear();
  known.set(key, made);
  return made;
}

const step: Pick<FigureData, 'unit' | 'better' | 'trial' | 'from' | 'part'> = {
  unit: 'ns',
  better: 'lower',
  trial: null,
  from: [],
  part: 'step',
};
const rate: Pick<FigureData, 'unit' | 'better' | 'trial' | 'from'> = {
  unit: 'GB/s',
  better: 'higher',
  trial: null,
  from: ['latency', 'pipelined'],
};

const figures: FigureData[] = [
  {
    ...rate,
    name: 'tokens',
    unit: '1/s',
    head: 'tokens/s',
    title: 'token rate',
    column: 'tokens',
    caption: 'Tokens of all ranks per second',
    definition: 'The token rate counts the tokens of all ranks, each once, over the time of the operation.',
    isCharted: true,
    isThroughput: true,
    formula: 'Tokens of all ranks by time.',
  },
  {
    ...rate,
    name: 'payload',
    head: 'payload',
    title: 'payload rate',
    column: 'payload',
    caption: 'Bytes of all rows per second, those for a rank’s own experts included',
    definition: 'A row is a token for one of its experts; the payload rate counts the bytes of all rows.',
    formula: 'Bytes of all rows by time.',
  },
  {
    ...rate,
    name: 'algbw',
    head: 'algbw',
    longHead: 'alg. bw',
    title: 'algorithm bandwidth',
    column: 'alg',
    caption: 'Mean bytes that a rank sends, per second',
    definition: 'Algorithm bandwidth is the mean number of bytes that a rank sends over the time.',
    formula: 'Payload by ranks by time.',
  },
  {
    ...rate,
    name: 'busbw',
    head: 'busbw',
    longHead: 'bus bw',
    title: 'bus bandwidth',
    column: 'bus',
    factorColumn: 'bus_factor',
    caption: 'Bytes per second over the busiest port: what one rank sends to others, or receives',
    definition:
      'Bus bandwidth is the bytes over the busiest port over the time, as for alltoallv by a matrix.',
    isPerLink: true,
    formula: 'Bytes over the busiest port by time.',
  },
  {
    ...rate,
    name: 'imbalance',
    unit: '1',
    better: 'lower',
    head: 'imbal.',
    longHead: 'imbalance',
    title: 'imbalance',
    column: 'imbalance',
    definition: 'Imbalance is the load of the busiest port over the mean load of all ports.',
    formula: 'Bytes over the busiest port by the mean over all ports.',
  },
  {
    ...step,
    name: 'packing',
    head: 'pack',
    title: 'packing',
    caption: 'rows are copied into the send buffer',
  },
  {
    ...step,
    name: 'counting',
    head: 'counts',
    title: 'counting',
    caption: 'ranks tell each other how many rows follow for each expert',
  },
  { ...step, name: 'dispatching', head: 'rows', title: 'dispatching', caption: 'rows are sent' },
  {
    ...step,
    name: 'returning',
    head: 'return',
    title: 'returning',
    caption: 'outputs of experts are sent back',
  },
  {
    ...step,
    name: 'combining',
    head: 'sum',
    title: 'combining',
    caption: 'outputs are added up with their weights',
  },
  { ...step, name: 'total', head: 'total', title: 'total', part: 'whole' },
  {
    ...step,
    name: 'unattributed',
    head: 'rest',
    title: 'unattributed',
    caption: 'the total less all steps',
    part: 'rest',
  },
];

const counted = (name: string, column: string, titlePrefix: string, keyPrefix: string): AxisData => ({
  ...seriesAxis,
  name,
  column,
  titlePrefix,
  keyPrefix,
  isNumber: true,
});

/**
 * Workload of a mixture-of-experts layer: tokens are sent to the ranks of their experts, and outputs back. Its x axis is the number
 * of tokens that each rank has.
 */
export const moe: Workload = {
  name: 'moe',
  title: 'moe',
  noun: 'operation',
  unitOfWork: 'operation',
  axes: [
    { ...seriesAxis, name: 'phase', column: 'phase', head: 'phase', isCompared: true },
    {
      ...seriesAxis,
      name: 'routing',
      column: 'routing',
      head: 'routing',
      isCompared: true,
      reference: 'uniform',
    },
    { ...seriesAxis, name: 'capacity', column: 'capacity', titlePrefix: 'capacity ', untitled: [dropless] },
    { ...seriesAxis, name: 'dtype', column: 'dtype' },
    counted('experts', 'experts', 'experts ', 'e'),
    counted('topK', 'top_k', 'top ', 'k'),
    counted('hidden', 'hidden', 'hidden ', 'h'),
    {
      name: 'tokens',
      unit: '',
      role: 'x',
      head: 'batch',
      title: 'batch, tokens of each rank',
      isNumber: true,
      base: 2,
      column: 'tokens_per_rank',
    },
    { ...silentAxis, name: 'busiestBytes', column: 'busiest_bytes' },
    { ...silentAxis, name: 'sentBytes', column: 'sent_bytes' },
    { ...silentAxis, name: 'rowsBytes', column: 'rows_bytes' },
  ],
  figures: [
    { ...latency, title: 'time of one operation' },
    { ...pipelined, title: 'time per operation, back to back' },
    ...figures,
  ],
  unitsPerOperation: () => 1,
  derive(place, _from, elapsedNs): DerivedValue[] {
    const { busiest, sent, rows } = trafficAt(place);
    const mean = rows / place.ranks;
    return [
      { name: 'tokens', value: ((of(place.axes).tokens * place.ranks) / elapsedNs) * 1e9 },
      { name: 'payload', value: algGBps(rows, elapsedNs) },
      { name: 'algbw', value: algGBps(mean, elapsedNs) },
      { name: 'busbw', value: busGBps(busiest, elapsedNs, 1), factor: mean === 0 ? 0 : busiest / mean },
      ...(sent === 0 ? [] : [{ name: 'imbalance', value: busiest / (sent / place.ranks) }]),
    ];
  },
  payloadBytes: (place) => trafficAt(place).rows,
  minMovedBytes: movedBytes,
  minMovedByAnyAlgorithm: movedBytes,
  isPlainTransfer: () => true,
  trafficOf({ axes, script }) {
    if (script === undefined) return null;
    const counts = script.split('\n').map((line) => line.split(' ').map(Number));
    const bytes = of(axes).phase === 'combine' ? 2 * of(axes).hidden : dispatchedBytes(of(axes));
    const rows = rowsBetweenRanks(counts).map((row) => row.map((one) => one * bytes));
    // Outputs go back, so the receiver of a dispatched row is the sender.
    return of(axes).phase === 'combine' ? rows.map((_, rank) => rows.map((row) => row[rank] ?? 0)) : rows;
  },
};
