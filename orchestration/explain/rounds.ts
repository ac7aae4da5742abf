// Measures variants of a command in rounds: each variant once in each round, with new processes and in random order.

import { mean, median } from 'simple-statistics';
import { ChannelTable, windowOf } from '../../results/derive/index.ts';
import { meanNsOf, type TimeSum, timeSumOf } from '../../results/explain/back-to-back.ts';
import { type CounterReading, cleanTimes } from '../../results/explain/clean-samples.ts';
import { type RecordedLoad, recordedLoadOf } from '../../results/explain/recorded-load.ts';
import type { LaunchFacts } from '../../results/explain/separation.ts';
import { shuffle } from '../../results/random.ts';
import { measuredOf, type TrialName, wholeNsOf, workloadOf } from '../../results/schema/index.ts';
import { openRun } from '../../results/store/read.ts';
import type { LoadedRun } from '../../results/store/types.ts';
import { exitCode } from '../../results/verdicts/exit-code.ts';
import { type SampleFilter, type Variant, wordsOf } from '../../suites/explain/variants.ts';
import { commandNamed } from '../../suites/workloads/index.ts';
import type { MeasureOptions } from '../engines/index.ts';
import { measureOneRun } from '../running/one-run.ts';
import type { RunTools } from '../running/output.ts';
import { reasonOf } from '../suites/entry-plan.ts';

/** Functions of the command line and of modules that orchestration may not import, and where runs are stored. */
export interface ExplainTools {
  /** Reads options of a measuring command. @throws Refusal if they contradict each other or are not possible here */
  readOptions(command: string, words: readonly string[]): MeasureOptions;
  run: RunTools;
  /** Folder in which the runs are stored. */
  root: string;
  note(text: string): void;
}

/** The result of one launch (start of all ranks) of a variant, which is the explained command with some changes. */
export interface VariantLaunch extends LaunchFacts, RecordedLoad {
  /** Time of the explained operation in ns: the variant's own time, multiplied if the operation contains it several times. */
  ns: number;
  /** Mean time in ns of the operation back to back, multiplied in the same way; null = not known, as with too few samples. */
  backToBackNs: number | null;
  /** Time in ns that 95 % of the samples do not exceed, multiplied in the same way; null = not known. */
  p95Ns: number | null;
  /** Number of isolated samples, and as many operations back to back; the time in ns that each took with all that lies between. */
  samples: number;
  sampleNs: number;
  algorithm: string;
}

/**
 * Samples of one launch should take this many seconds: long enough for a median, short beside the start of the ranks. Where some
 * operations are stopped, a mean needs several time slices of the kernel, and periods of a quota (0.1 s).
 */
const [medianS, meanS] = [0.15, 0.3];
/** Smallest number of samples of a launch, and the largest one for a median, for a first mean and for a mean. */
const [minSamples, maxForMedian, maxForFirst, maxForMean] = [5, 400, 100, 10_000];
/** A launch has at most this many times the samples of the one before, which may have met no stops. */
const maxGrowth = 3;

/** Expected time of an operation, by which the number of its samples is chosen. */
export interface ExpectedTime {
  /** Time in ns; back to back, if that is longer. */
  ns: number;
  /** True if some operations may be stopped, so that the mean time is explained, too. */
  isStalled: boolean;
  /** An earlier launch; null = there is none. */
  before: Pick<VariantLaunch, 'samples' | 'sampleNs'> | null;
}

/** All samples of one launch may take this many seconds, also those that are not used; `factor` / 2 times as many where few of them count. */
const maxLaunchS = 0.6;

/**
 * Number of timed operations in one launch. Operations that are sometimes stopped need more, for a mean instead of a median; an
 * earlier launch shows how many fit into `maxLaunchS`. @param factor how many times as many samples as usual are wanted
 */
function iterationsFor({ ns, isStalled, before }: ExpectedTime, factor: number): number {
  const most = !isStalled
    ? maxForMedian
    : before === null
      ? maxForFirst
      : Math.min(maxForMean, maxGrowth * before.samples);
  const wanted = factor * Math.min(most, ((isStalled ? meanS : medianS) * 1e9) / ns);
  const launchS = maxLaunchS * Math.max(1, factor / 2);
  const affordable = before === null ? wanted : (launchS * 1e9) / before.sampleNs;
  return Math.round(Math.max(minSamples, Math.min(wanted, affordable)));
}

/** Interval of the readings of a run whose samples are filtered by them, and how many times as many samples it has. */
const [filteredInterval, filteredFactor] = ['1ms', 8];
/** The only source that such a run reads: a sampler of all sources reads the slow ones less often. */
const filteredSources = ['tcp'];

/** Readings of the number of TCP segments that the run's host sent again, in order of time. */
async function retransmitReadings(run: LoadedRun): Promise<CounterReading[]> {
  const readings: CounterReading[] = [];
  for (const { header, lines } of await run.metrics()) {
    const index = new ChannelTable(header.channels).index('tcp', 'retransSegs');
    for await (const line of lines()) {
      const value = 'values' in line && index !== undefined ? line.values[index] : null;
      if ('values' in line && value != null) readings.push({ ns: line.startNs, value });
    }
  }
  return readings;
}

/** Times in ns of a run's samples, beside the figures of its only cell. */
interface SampleTimes {
  /** Times of the samples in which no TCP segment was sent again, by trial; `known`: number of samples with readings. */
  clean: Record<TrialName, { ns: number[]; known: number }>;
  /** Mean time of an operation in trials of each kind; null = not measured. */
  isolatedMeanNs: number | null;
  backToBackNs: number | null;
  /** Time in ns from the first start to the last end of each block, added up. */
  spanNs: number;
}

/** @param filter rule by which samples count as clean; undefined = none is */
async function sampleTimesOf(dir: string, filter: SampleFilter | undefined): Promise<SampleTimes> {
  const run = await openRun(dir);
  const readings = filter === 'without-retransmits' ? await retransmitReadings(run) : [];
  const clean: SampleTimes['clean'] = { isolated: { ns: [], known: 0 }, pipelined: { ns: [], known: 0 } };
  const sums: Record<TrialName, TimeSum[]> = { isolated: [], pipelined: [] };
  let spanNs = 0;
  for await (const block of run.blocks()) {
    if (block.trial === 'attest') continue;
    sums[block.trial].push(timeSumOf(block));
    const { fromNs, toNs } = windowOf(block);
    spanNs += toNs - fromNs;
    if (readings.length === 0) continue;
    const { ns, known } = cleanTimes(block, readings);
    clean[block.trial].ns.push(...ns);
    clean[block.trial].known += known;
  }
  const [isolatedMeanNs, backToBackNs] = [meanNsOf(sums.isolated), meanNsOf(sums.pipelined)];
  return { clean, isolatedMeanNs, backToBackNs, spanNs };
}

/** The reason why a variant was not measured. */
export interface MissingLaunch {
  reason: string;
  /** True if its results were verified and wrong. */
  isWrong?: boolean;
}

/** Measures a variant once, in a run of one launch. */
export async function measureVariant(
  { command, options, payloadBytes, times, filter, unset }: Variant,
  expected: ExpectedTime,
  { readOptions, run, root }: ExplainTools,
): Promise<VariantLaunch | MissingLaunch | { interrupted: true }> {
  const isFiltered = filter === 'without-retransmits';
  const iterations = iterationsFor({ ...expected, ns: expected.ns / times }, isFiltered ? filteredFactor : 1);
  // Only frequent readings of counters show which samples had a retransmit.
  const read = isFiltered ? { sampleInterval: filteredInterval } : {};
  const sources = isFiltered ? { metricsSources: filteredSources } : {};
  const words = [
    ...wordsOf({ ...options, ...read }),
    `--sizes=${payloadBytes}`,
    `--iters=${iterations}`,
    '--launches=1',
  ];
  try {
    const outcome = await measureOneRun(
      { command: commandNamed(command), options: readOptions(command, words), words, unset, ...sources },
      { root, tools: run },
      // The reason why an experiment failed is part of the explanation.
      { note: () => undefined, progress: () => undefined },
    );
    if (outcome.exitCode === exitCode.interrupted) return { interrupted: true };
    const [cell] = outcome.cells;
    const wholeNs = wholeNsOf(cell);
    if (cell?.status !== 'ok' || wholeNs === null || outcome.exitCode !== exitCode.ok)
      return {
        reason: outcome.failures[0]?.message ?? 'it was not measured',
        isWrong: outcome.exitCode === exitCode.wrongData,
      };
    const latency = measuredOf(cell, 'latency');
    const { clean, isolatedMeanNs, backToBackNs, spanNs } = await sampleTimesOf(outcome.dir, filter);
    const { isolated, pipelined } = clean;
    if (isFiltered && isolated.ns.length < minSamples)
      return {
        reason: `${isolated.ns.length} of ${isolated.known} samples had no retransmit; needs ${minSamples}, as of smaller sizes`,
      };
    const cleanBackToBackNs = pipelined.ns.length < minSamples ? null : mean(pipelined.ns);
    // A sample of a pingpong has two operations.
    const perOperation = times / workloadOf(cell.workload).unitsPerOperation(cell);
    const meanNs = filter === 'common-start' ? isolatedMeanNs : isFiltered ? cleanBackToBackNs : backToBackNs;
    return {
      ns: isFiltered ? perOperation * median(isolated.ns) : times * wholeNs,
      backToBackNs: meanNs === null ? null : perOperation * meanNs,
      p95Ns: latency?.value === wholeNs && latency.p95 !== null ? times * latency.p95 : null,
      ...{ samples: iterations, sampleNs: spanNs / iterations },
      algorithm: cell.choice.algorithm,
      flags: cell.flags.map(({ name }) => name),
      cpus: outcome.launches.flatMap(({ ranks }) => ranks.map(({ cpus }) => cpus ?? '')).join(' '),
      ...recordedLoadOf(cell),
      position: 0,
    };
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === null) throw error;
    return { reason };
  }
}

/** A variant of the explained command with the results of its launches, one per round. */
export interface MeasuredVariant {
  variant: Variant;
  launches: VariantLaunch[];
}

/** How a round ended. `over`: no further launch may start; the launches of the round are dropped. */
export type RoundEnd = 'complete' | 'over' | 'interrupted';

/**
 * Measures all variants once each, in random order. Only a complete round adds its launches to the variants.
 * @param expected expected time of one operation
 * @param isOver true once no further launch may start @param found variants that the round has measured so far
 * @param begin is called before each launch of a variant
 * @param drop takes a variant that cannot be measured out of the list
 * @param late takes a variant that had no turn out of the list, so that the round is complete without it; absent = it is not
 */
export async function measureRound(
  measured: MeasuredVariant[],
  expected: ExpectedTime,
  random: () => number,
  tools: ExplainTools,
  {
    isOver,
    begin,
    drop,
    late,
  }: {
    isOver(found: ReadonlyMap<MeasuredVariant, VariantLaunch>): boolean;
    begin(one: MeasuredVariant): void;
    drop(one: MeasuredVariant, missing: MissingLaunch): void;
    late?: ((one: MeasuredVariant) => void) | undefined;
  },
): Promise<RoundEnd> {
  const found = new Map<MeasuredVariant, VariantLaunch>();
  let end: RoundEnd = 'complete';
  for (const one of shuffle(measured, random)) {
    if (isOver(found)) {
      end = 'over';
      if (late === undefined) return end;
      late(one);
      continue;
    }
    const measure = () => {
      begin(one);
      const before = one.launches.at(-1) ?? expected.before;
      return measureVariant(one.variant, { ...expected, before }, tools);
    };
    let launch = await measure();
    // On a busy machine a launch may have no sample that counts. Without a second one the whole size could be lost.
    if ('reason' in launch && launch.isWrong !== true && !isOver(found)) launch = await measure();
    if ('interrupted' in launch) return 'interrupted';
    if ('ns' in launch) found.set(one, { ...launch, position: found.size });
    else drop(one, launch);
  }
  for (const [one, launch] of found) one.launches.push(launch);
  return end;
}
