import { geometricMean, median, quantileSorted } from 'simple-statistics';
import { addAll, sumOfCounts } from '../../collections.ts';
import {
  type BlockRecord,
  type CellFigure,
  type CellRecord,
  dataOf,
  engineRow,
  flagLevelOf,
  idOf,
  type MeasuredFigure,
  measuredRows,
  type OkCell,
  type OtherCell,
  type PointContext,
  type PointPlan,
  type RunPlan,
  type SideFigure,
  skewNsOf,
  type TransportPlan,
  type TrialName,
  type Workload,
  workloadOf,
} from '../../schema/index.ts';
import { evidenceOf, trafficOf } from '../evidence/index.ts';
import { launchFigure, spreadLaunches } from '../launches/launches.ts';
import { loadOverlaps } from '../load/load-overlaps.ts';
import { windowsOf } from '../metrics/windows.ts';
import { singleLaunchInterval } from '../statistics/figure-interval.ts';
import {
  eventQuantumNs,
  intervalZ,
  medianDoubt,
  medianInterval,
  sequentialZ,
  timerQuantumNs,
} from '../statistics/interval.ts';
import { tInterval } from '../statistics/launch-interval.ts';
import { type LaunchSamples, samplesAlone } from '../statistics/sample-interval.ts';
import { choicesOf } from './choices.ts';
import { areLaunchesClose, clockLimit, isUnsteady, trialFlags } from './flags.ts';
import { arrivalsOf, operationTimes, startSpreadNs } from './operation-times.ts';
import { highestOf, partsOf } from './steps.ts';
import { samplesForP95, samplesForP99 } from './tails.ts';

const summaries: Record<TrialName, string> = {
  isolated: 'max over ranks of end - common start',
  pipelined: 'max over ranks of (end - start) / batch',
};
const skewedSummary = 'max over ranks of end - due start of the last rank';
const deviceSummary = '(max over ranks of end - max over ranks of start - mark) / batch';

/**
 * Computes the result of one configuration (point and transport) from its blocks of samples. The same blocks always give the same
 * result.
 * @param point, transport indices into the plan
 * @param blocks in the order of measuring. With no timed block and no wrong element the result is `failed`, or `aborted` if `flags`
 * contain `interrupted`. Otherwise it is `ok`, even with wrong elements; `verification` counts these
 * @param flags names of flags that the result has for reasons outside its samples; they come first in its list
 * @param beside blocks of other groups of ranks measured at the same time: their bytes may have used the same interfaces
 * @throws {RangeError} if the point or transport does not exist, or a block is of another configuration
 */
export function deriveCell(
  plan: RunPlan,
  point: number,
  transport: number,
  blocks: readonly BlockRecord[],
  flags: readonly string[] = [],
  beside: readonly BlockRecord[] = [],
): CellRecord {
  const { at, over } = cellOf(plan, point, transport);
  const stranger = blocks.find((block) => block.point !== point || block.transport !== transport);
  if (stranger !== undefined) {
    throw new RangeError(
      `block ${stranger.block} is of point ${stranger.point}, transport ${stranger.transport}; wanted ${point}, ${transport}`,
    );
  }
  if (blocks.length === 0) {
    const stopped = flags.includes('interrupted');
    const reason = stopped ? 'the run was interrupted before it was measured' : 'nothing was measured';
    return missingCell(plan, point, transport, stopped ? 'aborted' : 'failed', reason);
  }
  const timed = blocks.filter((block) => block.trial !== 'attest');
  const isWrong = blocks.some((block) => block.wrong.some((one) => one.wrongElements > 0));
  if (timed.length === 0 && !isWrong) {
    const stopped = flags.includes('interrupted');
    const reason = `${stopped ? 'the run was interrupted' : 'the run ended'} before anything was timed`;
    return missingCell(plan, point, transport, stopped ? 'aborted' : 'failed', reason);
  }
  const row = workloadOf(at.workload);
  const place = { axes: at.axes, ranks: plan.ranks };
  const isClose = areLaunchesClose(timed);
  const skewNs = skewNsOf(over);
  const trials = measuredRows(row).flatMap(({ name, trial: kind }) =>
    kind === null ? [] : [trial(plan, row, place, name, kind, blocks, isClose, skewNs)],
  );
  const figures = trials.flatMap((one) => one.figure ?? []);
  const { otherTraffic, ...evidence } = evidenceOf(plan, at, over, blocks, beside);
  const found = [...flags, ...trials.flatMap((one) => one.flags)];
  if (isClose) found.push('launches-close');
  if (otherTraffic === true) found.push('network-busy');
  return {
    ...identity(plan, at, over, point),
    status: 'ok',
    ...choicesOf(blocks),
    figures: inOrder(row, [
      ...figures,
      ...enqueueCost(timed),
      ...(skewNs > 0 ? arrivals(timed) : []),
      ...partsOf(row, timed),
      ...timesAcrossRanks(row, timed),
      ...deriveFigures(row, place, figures),
    ]),
    firstCallNs: firstCalls(timed),
    verification: verification(plan, blocks),
    evidence,
    traffic: trafficOf(plan, at, over, blocks),
    ...windowsOf(plan, blocks),
    ...loadOverlaps(plan, over, timed),
    flags: [...new Set(found)].map((name) => ({ name, level: flagLevelOf(name), reason: null })),
  };
}

/**
 * Returns the figures, such as bus bandwidth, that the workload's formulas compute from the given measured times, one for each time
 * and formula. A computed value is left out if the workload does not list it as a figure made from that time.
 * @param row the workload
 * @param place axis values and number of ranks of the point
 */
export function deriveFigures(
  row: Workload,
  place: PointContext,
  figures: readonly MeasuredFigure[],
): CellFigure[] {
  return figures.flatMap((from) =>
    row.derive(place, from.name, from.value).flatMap(({ name, value, factor }): CellFigure[] => {
      const made = row.figures.find((one) => one.name === name);
      if (made === undefined || !made.from.includes(from.name)) return [];
      const by = factor === undefined ? {} : { factor };
      return [{ kind: 'derived', name, unit: made.unit, value, from: from.name, ...by }];
    }),
  );
}

/**
 * Returns the figures of a result in order: measured times, then recorded values (kind `side`), then those computed from others.
 * Each kind is in the order of the workload's figures; a computed figure is placed as the time it is computed from.
 */
function inOrder(row: Workload, figures: readonly CellFigure[]): CellFigure[] {
  const kinds = ['measured', 'side', 'derived'];
  const rank = (one: CellFigure): number =>
    row.figures.findIndex(({ name }) => name === (one.kind === 'derived' ? one.from : one.name));
  return figures.toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || rank(a) - rank(b));
}

/**
 * Returns the record of a configuration without results.
 * @param reason why there are no results, for readers
 * @throws {RangeError} if the plan has no such point or transport
 */
export function missingCell(
  plan: RunPlan,
  point: number,
  transport: number,
  status: OtherCell['status'],
  reason: string,
): OtherCell {
  const { at, over } = cellOf(plan, point, transport);
  return { ...identity(plan, at, over, point), status, reason };
}

/**
 * Returns the algorithm that the user requested, if any, and the engine settings that change what is measured, by the names they
 * have in cell ids. A setting of the transport replaces the plan's setting of equal name. Settings that do not change what is
 * measured, according to the table of engines, are left out.
 */
function requestedOf(plan: RunPlan, transport: TransportPlan): Record<string, string> {
  const names = engineRow(plan).requested;
  const words = { ...plan.settings, ...transport.settings };
  return {
    ...(plan.algorithm === null ? {} : { algorithm: plan.algorithm }),
    ...Object.fromEntries(
      Object.entries(words).flatMap(([word, value]) =>
        names[word] === undefined ? [] : [[names[word], value]],
      ),
    ),
  };
}

function cellOf(plan: RunPlan, point: number, transport: number): { at: PointPlan; over: TransportPlan } {
  const at = plan.points[point];
  const over = plan.transports[transport];
  if (at === undefined || over === undefined) {
    throw new RangeError(
      `the plan has ${plan.points.length} points and ${plan.transports.length} transports; there is no cell ${point}, ${transport}`,
    );
  }
  return { at, over };
}

const withoutScript = ({ script: _, ...point }: PointPlan): Omit<PointPlan, 'script'> => point;

/**
 * Returns the fields of a result that are known before measuring, such as id, axes, settings, ranks, engine and transport.
 * @param at the point
 * @param over the transport
 * @param point index of `at` in the plan
 */
export function identity(plan: RunPlan, at: PointPlan, over: TransportPlan, point: number) {
  const measured = {
    workload: at.workload,
    axes: at.axes,
    requested: requestedOf(plan, over),
    ranks: plan.ranks,
    nodes: plan.hosts.length,
    engine: plan.engine,
    transport: over.name,
    medium: over.medium,
  };
  return {
    schemaVersion: 3 as const,
    id: idOf(dataOf(at.workload, plan.workloads), measured),
    point,
    // The script of a point is left out here; it stays in the plan.
    ...withoutScript(at),
    ...measured,
    detail: over.detail,
  };
}

function trial(
  plan: RunPlan,
  row: Workload,
  place: PointContext,
  name: string,
  kind: TrialName,
  all: readonly BlockRecord[],
  isClose: boolean,
  skewNs: number,
): { figure: MeasuredFigure | null; flags: string[] } {
  const units = row.unitsPerOperation(place);
  const blocks = withSureClocks(all.filter((block) => block.trial === kind));
  const launches = new Map<number, { ns: number[]; blocks: number[] }>();
  let measured = 0;
  let late = 0;
  for (const block of blocks) {
    const series = operationTimes(block);
    measured += series.measured;
    late += series.late;
    const launch = launches.get(block.launch) ?? { ns: [], blocks: [] };
    launch.ns.push(...(units === 1 ? series.ns : series.ns.map((ns) => ns / units)));
    launch.blocks.push(series.ns.length);
    launches.set(block.launch, launch);
  }
  const used = [...launches.values()].filter((launch) => launch.ns.length > 0);
  const pooled = used.flatMap((launch) => launch.ns).sort((a, b) => a - b);
  const lateShare = measured === 0 ? 0 : late / measured;
  const medians = used.map((launch) => median(launch.ns));
  if (pooled.length === 0 || medians.some((ns) => !(ns > 0))) {
    // No positive figure: all samples were late, or the clock did not move. A rate cannot be computed from either.
    if (measured === 0) return { figure: null, flags: [] };
    return { figure: null, flags: [pooled.length === 0 ? 'late' : 'timer-limited'] };
  }
  const batch = Math.round(median(blocks.map((block) => block.batch)));
  const onDevice = blocks.some((block) => block.clock === 'device');
  const halfQuantum = (onDevice ? eventQuantumNs : timerQuantumNs) / (2 * batch * units);
  const z = plan.sampling.adaptive === undefined ? intervalZ : sequentialZ;
  const [min = 0, max = 0] = [pooled[0], pooled.at(-1)];
  // Batches may differ if the ranks chose them. A mean over a batch says nothing about tails.
  const tails = blocks.every((block) => block.batch === 1);
  const quantile = (p: number, fewest: number): number | null =>
    tails && pooled.length >= fewest ? quantileSorted(pooled, p) : null;
  const figure: MeasuredFigure = {
    kind: 'measured',
    name,
    unit: 'ns',
    ...centre(used, medians, { min, max }, halfQuantum, z, isClose),
    samples: pooled.length,
    launches: used.length,
    batch,
    min,
    max,
    p5: quantile(0.05, samplesForP95),
    p95: quantile(0.95, samplesForP95),
    p99: quantile(0.99, samplesForP99),
    launchValues: medians,
    lateShare,
    method: {
      ...(onDevice
        ? { clock: 'CUDA events', sync: 'hold' as const, summary: deviceSummary }
        : {
            clock: 'CLOCK_MONOTONIC',
            sync: kind === 'isolated' ? ('window' as const) : ('none' as const),
            summary: skewNs > 0 ? skewedSummary : summaries[kind],
          }),
      warmup: plan.sampling.warmup,
      batch,
    },
  };
  const spread = blocks.length === 0 ? 0 : Math.abs(median(blocks.map(startSpreadNs)) - skewNs);
  const clockError = blocks.length === 0 ? 0 : median(blocks.map(clockErrorNs));
  const flags = trialFlags(figure, kind, units, plan.sampling.launches, spread, clockError);
  if (used.some((launch) => isUnsteady(launch.ns))) flags.push('unsteady');
  return { figure, flags };
}

/**
 * Returns the largest clock offset error of any rank in the block, ns; an unknown one counts as 0. 0 for trials whose time does not
 * compare clocks of several hosts.
 */
const clockErrorNs = ({ trial: kind, clock, clockUncertaintyNs = [] }: BlockRecord): number =>
  kind !== 'isolated' || clock === 'device' ? 0 : Math.max(0, ...clockUncertaintyNs.map((ns) => ns ?? 0));

/**
 * Removes blocks whose clock offset error exceeds the share `clockLimit` of the median time of one operation over all blocks. A
 * launch keeps all its blocks if more than half of its samples would be removed.
 */
function withSureClocks(blocks: readonly BlockRecord[]): readonly BlockRecord[] {
  if (blocks.every((block) => clockErrorNs(block) === 0)) return blocks;
  const ns = blocks.flatMap((block) => operationTimes(block).ns);
  if (ns.length === 0) return blocks;
  const limitNs = clockLimit * median(ns);
  const isSure = (block: BlockRecord): boolean => clockErrorNs(block) <= limitNs;
  const samplesOf = (some: readonly BlockRecord[]): number =>
    some.reduce((sum, block) => sum + block.commonStartNs.length, 0);
  return blocks.filter((block) => {
    if (isSure(block)) return true;
    const launch = blocks.filter((one) => one.launch === block.launch);
    return 2 * samplesOf(launch.filter(isSure)) < samplesOf(launch);
  });
}

type FigureCentre = Pick<
  MeasuredFigure,
  'value' | 'interval' | 'intervalReason' | 'samplesAlone' | 'effectiveSamples'
>;

/**
 * Returns the value of a time and its interval, which is null, with a reason, if it cannot be computed. One launch: the median of
 * its samples, with an interval for this launch only. Several: the geometric mean of the launches' medians, with an interval that
 * covers their differences.
 * @param used samples of each launch that has samples
 * @param medians median of each launch in `used`, ns
 * @param ends lowest and highest sample, ns
 * @param halfQuantum half the resolution of the clock, divided by the operations of a sample, ns
 * @param z quantile of the normal distribution that sets the confidence of intervals computed from samples
 * @param isClose true if launches ran shortly after one another: they are then counted as differing by more than measured
 */
function centre(
  used: readonly LaunchSamples[],
  medians: readonly number[],
  ends: { min: number; max: number },
  halfQuantum: number,
  z: number,
  isClose: boolean,
): FigureCentre {
  const effectiveSamples = used.reduce(
    (sum, { ns, blocks }) => sum + medianDoubt(ns, blocks, z).effective,
    0,
  );
  const [only] = used;
  if (only !== undefined && used.length === 1) {
    const { interval, reason } = singleLaunchInterval(
      medianInterval(only.ns, halfQuantum, only.blocks, z),
      only.ns.length,
    );
    return {
      value: medians[0] as number,
      interval: interval === null ? null : { ...interval, scope: 'this-launch', basis: 'order-statistics' },
      intervalReason: reason,
      effectiveSamples,
    };
  }
  const { standardErrors: _, ...alone } = samplesAlone(used, halfQuantum, z);
  return {
    value: tInterval(medians).centreNs,
    ...launchFigure(isClose ? spreadLaunches(medians) : medians, [], { ...alone, ...ends }),
    samplesAlone: alone,
    effectiveSamples,
  };
}

/**
 * Returns how long the first warm-up operation took on the slowest rank, ns, one value per launch in the order of measuring. A
 * launch whose first block has no warm-up is left out.
 * @param blocks in the order of measuring
 */
function firstCalls(blocks: readonly BlockRecord[]): number[] {
  const first = new Map<number, BlockRecord>();
  for (const block of blocks) if (!first.has(block.launch)) first.set(block.launch, block);
  return [...first.values()].flatMap((block) => {
    const calls = block.warmupNs.flatMap((rank) => rank.slice(0, 1));
    return calls.length === 0 ? [] : [Math.max(...calls)];
  });
}

/**
 * Returns a recorded time (kind `side`) in ns as a list of one figure: the median over the samples of each launch, summarized over
 * the launches. The list is empty without samples.
 * @param name name of the figure
 * @param samples ns by launch
 * @param over computes the figure's value from the launches' medians; absent = their median
 */
function sideFigure(
  name: string,
  samples: ReadonlyMap<number, readonly number[]>,
  over: (medians: number[]) => number = median,
): SideFigure[] {
  const medians = [...samples.values()].filter((ns) => ns.length > 0).map((ns) => median([...ns]));
  return medians.length === 0
    ? []
    : [{ kind: 'side', name, unit: 'ns', value: over(medians), launchValues: medians }];
}

/**
 * Summarizes the launches' medians of a recorded time as those of the main time are: by the geometric mean, or by the median if one
 * is 0. So a part of an operation never appears longer than the whole operation, and a time from the first rank's start never
 * shorter than one from a later start.
 */
const asHeadline = (medians: number[]): number =>
  medians.every((ns) => ns > 0) ? geometricMean(medians) : median(medians);

/**
 * Returns the recorded times, ns, of which the highest of all ranks counts in each operation, such as the time to the first page of
 * a KV cache. Only isolated trials count; the value is the geometric mean of the launches' medians (asHeadline()).
 */
function timesAcrossRanks(row: Workload, blocks: readonly BlockRecord[]): SideFigure[] {
  return row.figures.flatMap(({ name, acrossRanks }) => {
    if (acrossRanks === undefined) return [];
    const samples = new Map<number, number[]>();
    for (const block of withSureClocks(blocks.filter(({ trial }) => trial === 'isolated'))) {
      const highest = highestOf(block.columns?.[name] ?? []);
      if (highest.length === 0) continue;
      addAll(
        samples,
        block.launch,
        operationTimes(block).used.flatMap((sample) => highest[sample] ?? []),
      );
    }
    return sideFigure(name, samples, asHeadline);
  });
}

/**
 * Returns the host's time to enqueue one operation, ns, as a list of one figure; empty if no block has it. Each sample counts with
 * its slowest rank; the value is the median over launches of their medians.
 */
function enqueueCost(blocks: readonly BlockRecord[]): SideFigure[] {
  const perLaunch = new Map<number, number[]>();
  for (const { launch, enqueueNs } of blocks) {
    const slowest = (enqueueNs?.[0] ?? []).map((_, sample) =>
      Math.max(...(enqueueNs ?? []).map((rank) => rank[sample] ?? 0)),
    );
    addAll(perLaunch, launch, slowest);
  }
  return sideFigure('enqueue', perLaunch);
}

/**
 * Returns two recorded times of isolated trials, ns: `fromFirst`, from the arrival of the first rank to the end of the operation,
 * and `skew`, from the first to the last arrival. Empty without samples.
 */
function arrivals(blocks: readonly BlockRecord[]): SideFigure[] {
  const fromFirst = new Map<number, number[]>();
  const skew = new Map<number, number[]>();
  for (const block of withSureClocks(blocks.filter(({ trial }) => trial === 'isolated'))) {
    const ns = arrivalsOf(block);
    addAll(fromFirst, block.launch, ns.fromFirst);
    addAll(skew, block.launch, ns.skew);
  }
  return [...sideFigure('fromFirst', fromFirst, asHeadline), ...sideFigure('skew', skew)];
}

function checkingTime(blocks: readonly BlockRecord[]): Pick<OkCell['verification'], 'checkingNs'> {
  const times = blocks.flatMap(({ checkingNs }) =>
    checkingNs === undefined ? [] : Math.max(0, ...checkingNs),
  );
  return times.length === 0 ? {} : { checkingNs: sumOfCounts(times) };
}

function verification(plan: RunPlan, blocks: readonly BlockRecord[]): OkCell['verification'] {
  const wrong = blocks.flatMap((block) => block.wrong);
  const where = wrong.find((one) => one.first !== null);
  const checks = sumOfCounts(blocks.flatMap((block) => block.checks));
  const due = blocks.reduce(
    (sum, block) => sum + block.operations * block.checks.filter((n) => n > 0).length,
    0,
  );
  return {
    enabled: plan.sampling.check > 0,
    checks,
    share: due === 0 ? null : Math.min(1, checks / due),
    wrongElements: sumOfCounts(wrong.map((one) => one.wrongElements)),
    comparedElements: sumOfCounts(wrong.map((one) => one.comparedElements)),
    ...checkingTime(blocks),
    first: where === undefined || where.first === null ? null : { rank: where.rank, ...where.first },
  };
}
