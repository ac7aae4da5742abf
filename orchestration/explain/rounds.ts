// Measures variants of a command in rounds: each variant once in each round, with new processes and in random order.

import { mean, median } from 'simple-statistics';
import { ChannelTable, windowOf } from '../../results/derive/index.ts';
import { meanNsOf, type TimeSum, timeSumOf } from '../../results/explain/back-to-back.ts';
import { cleanTimes, type HostReadings, type SelectedTimes } from '../../results/explain/clean-samples.ts';
import { type RecordedLoad, recordedLoadOf } from '../../results/explain/recorded-load.ts';
import type { LaunchFacts } from '../../results/explain/separation.ts';
import { shuffle } from '../../results/random.ts';
import {
  measuredOf,
  type OkCell,
  type TrialName,
  wholeNsOf,
  workloadOf,
} from '../../results/schema/index.ts';
import { openRun } from '../../results/store/read.ts';
import type { LoadedRun } from '../../results/store/types.ts';
import { exitCode } from '../../results/verdicts/exit-code.ts';
import { type SampleFilter, type Variant, wordsOf } from '../../suites/explain/variants.ts';
import { commandNamed } from '../../suites/workloads/index.ts';
import type { MeasureOptions } from '../engines/index.ts';
import { measureOneRun } from '../running/one-run.ts';
import type { RunTools } from '../running/output.ts';
import { reasonOf } from '../suites/entry-plan.ts';

/**
 * Functions of the command line, and the folder in which runs are stored. Orchestration may not import the command
 * line itself.
 */
export interface ExplainTools {
  /**
   * Parses the options of a measuring command. @throws Refusal if they contradict each other or are not possible on
   * this machine
   */
  readOptions(command: string, words: readonly string[]): MeasureOptions;
  run: RunTools;
  /** Folder in which the runs are stored. */
  root: string;
  note(text: string): void;
}

/** Result of one launch (start of all ranks) of a variant: the explained command with some changes. */
export interface VariantLaunch extends LaunchFacts, RecordedLoad {
  /**
   * Time of the explained operation, ns. If the explained operation contains the variant's operation several times, it is the
   * measured time multiplied by this number.
   */
  ns: number;
  /**
   * Mean time of the operation when operations run back to back, ns, multiplied as in `ns`; with the filters `common-start` and
   * `queued-before` the mean of the isolated ones. Null = not measured.
   */
  backToBackNs: number | null;
  /**
   * The times `ns` and `backToBackNs` of all samples of the launch if those above are of samples that counters select; null = no
   * samples are selected.
   */
  unselected: { ns: number; backToBackNs: number } | null;
  /** 95th percentile of the times of the samples, ns, multiplied as in `ns`; null = not known. */
  p95Ns: number | null;
  /**
   * Number of isolated samples that were requested (--iters); as many samples ran back to back. `sampleNs`: duration of the
   * launch's blocks divided by this number.
   */
  samples: number;
  sampleNs: number;
  algorithm: string;
}

/**
 * Seconds that the samples of one launch should take, for a median and for a mean. A median needs enough samples, in a
 * time that is short beside the start of the ranks. If some operations are stopped, a mean must cover several time
 * slices of the kernel, and several periods of a CPU quota (0.1 s).
 */
const [medianS, meanS] = [0.15, 0.3];
/**
 * Minimum number of samples of a launch, and maximum numbers: for a median, for the first mean, and for further means.
 */
const [minSamples, maxForMedian, maxForFirst, maxForMean] = [5, 400, 100, 10_000];
/**
 * Maximum ratio of the sample counts of two successive launches of a variant, if a mean is needed. The earlier launch may have met
 * no stops, so its speed may mislead.
 */
const maxGrowth = 3;

/** Expected time of an operation, which decides the number of samples of a launch. */
export interface ExpectedTime {
  /** Expected time, ns: the back-to-back time if it is longer than the typical one. */
  ns: number;
  /**
   * True if some operations may be stopped for a while (by a CPU quota, other processes or lost TCP segments), so that
   * the mean time is explained in addition to the median.
   */
  isStalled: boolean;
  /** Sample count and speed of an earlier launch; null = there is none. */
  before: Pick<VariantLaunch, 'samples' | 'sampleNs'> | null;
}

/**
 * Maximum seconds that all samples of one launch should take, including samples that are not used, by the speed of an earlier
 * launch. If `factor` times as many samples are wanted, the limit is multiplied by factor / 2, but at least by 1.
 */
const maxLaunchS = 0.6;

/**
 * Returns the number of samples that each trial of a launch requests (--iters). If operations are sometimes stopped, a mean is
 * needed instead of a median, with more operations; an earlier launch shows how many fit into `maxLaunchS`.
 * @param factor multiple of the usual number of samples that is wanted
 */
function iterationsFor({ ns, isStalled, before }: ExpectedTime, factor: number): number {
  const most = !isStalled
    ? maxForMedian
    : before === null
      ? maxForFirst
      : Math.min(maxForMean, (maxGrowth * before.samples) / factor);
  const wanted = factor * Math.min(most, ((isStalled ? meanS : medianS) * 1e9) / ns);
  const launchS = maxLaunchS * Math.max(1, factor / 2);
  const affordable = before === null ? wanted : (launchS * 1e9) / before.sampleNs;
  return Math.round(Math.max(minSamples, Math.min(wanted, affordable)));
}

/**
 * Settings of a run whose samples are selected by readings of counters: the interval of the readings, and the factor
 * by which it has more samples. Each of its samples has one operation, so that the readings are about single operations.
 */
const [filteredInterval, filteredFactor] = ['1ms', 8];
/**
 * Only metric source of a run whose samples are selected by counters. A sampler of all sources would read less often,
 * because some are slow.
 */
const filteredSources = ['tcp'];

/**
 * Returns readings of the number of TCP segments of each host that a timer sent again since boot, in order of time, on the clock of
 * rank 0: all segments sent again without those that the receiver reported as lost. A host whose clock is not known has no reading.
 */
async function timeoutReadings(run: LoadedRun): Promise<HostReadings[]> {
  const clocks: OkCell['clocks'] = Object.assign(
    {},
    ...run.cells.map((cell) => (cell.status === 'ok' ? cell.clocks : {})),
  );
  const hosts = new Map<string, HostReadings>();
  for (const { header, lines } of await run.metrics()) {
    const channels = new ChannelTable(header.channels);
    const [all, reported] = [channels.index('tcp', 'retransSegs'), channels.index('tcp', 'fastRetransmits')];
    const clock = clocks?.[header.host];
    const readings = [...(hosts.get(header.host)?.readings ?? [])];
    hosts.set(header.host, { readings, uncertaintyNs: clock?.uncertaintyNs ?? 0 });
    if (all === undefined || reported === undefined || clock === undefined) continue;
    for await (const line of lines()) {
      const [again, fast] = 'values' in line ? [line.values[all], line.values[reported]] : [];
      if ('startNs' in line && again != null && fast != null)
        readings.push({ ns: line.startNs + clock.offsetNs, value: again - fast });
    }
  }
  return [...hosts.values()];
}

/** Times of a run's samples in ns, which its cell of figures does not have. */
interface SampleTimes {
  /** Times of the samples that a filter leaves, beside those of all samples with readings, by trial. */
  selected: Record<TrialName, SelectedTimes>;
  /**
   * Mean time of an operation in isolated trials, ns; null = not measured. `backToBackNs`: the same in pipelined
   * trials.
   */
  isolatedMeanNs: number | null;
  backToBackNs: number | null;
  /** Sum over all blocks of the time from the first start to the last end, ns. */
  spanNs: number;
}

/**
 * Reads the times of a run's samples.
 * @param filter rule that selects samples; only `without-timeouts` selects some here, with any other or none `selected` stays empty
 */
async function sampleTimesOf(dir: string, filter: SampleFilter | undefined): Promise<SampleTimes> {
  const run = await openRun(dir);
  const hosts = filter === 'without-timeouts' ? await timeoutReadings(run) : [];
  const selected: SampleTimes['selected'] = {
    isolated: { all: [], clean: [] },
    pipelined: { all: [], clean: [] },
  };
  const sums: Record<TrialName, TimeSum[]> = { isolated: [], pipelined: [] };
  let spanNs = 0;
  for await (const block of run.blocks()) {
    if (block.trial === 'attest') continue;
    sums[block.trial].push(timeSumOf(block));
    const { fromNs, toNs } = windowOf(block);
    spanNs += toNs - fromNs;
    if (hosts.length === 0) continue;
    const { all, clean } = cleanTimes(block, hosts);
    selected[block.trial].all.push(...all);
    selected[block.trial].clean.push(...clean);
  }
  const [isolatedMeanNs, backToBackNs] = [meanNsOf(sums.isolated), meanNsOf(sums.pipelined)];
  return { selected, isolatedMeanNs, backToBackNs, spanNs };
}

/** Reason why a variant was not measured. */
export interface MissingLaunch {
  reason: string;
  /** True if the variant was measured, and the verification found wrong results. */
  isWrong?: boolean;
}

/**
 * Measures a variant once, in a run with one launch. A failure is in the result (MissingLaunch), not thrown.
 * @param expected expected time of an operation, which decides the number of samples
 * @param isRepeated true if an earlier launch showed which algorithm the engine chooses. Engine nccl then needs no launch for that,
 * which takes as long as the one that is measured
 */
export async function measureVariant(
  { command, options, payloadBytes, times, filter, unset }: Variant,
  expected: ExpectedTime,
  { readOptions, run, root }: ExplainTools,
  isRepeated = false,
): Promise<VariantLaunch | MissingLaunch | { interrupted: true }> {
  const isFiltered = filter === 'without-timeouts';
  const iterations = iterationsFor({ ...expected, ns: expected.ns / times }, isFiltered ? filteredFactor : 1);
  // Only frequent readings of the counters show which samples had a retransmit.
  const readings = isFiltered ? { sampleInterval: filteredInterval, batch: '1' } : {};
  const sources = isFiltered ? { metricsSources: filteredSources } : {};
  const words = [
    ...wordsOf({ ...options, ...readings }),
    `--sizes=${payloadBytes}`,
    `--iters=${iterations}`,
    '--launches=1',
  ];
  try {
    const read = readOptions(command, words);
    const outcome = await measureOneRun(
      {
        ...{ command: commandNamed(command), words, unset, ...sources },
        options: isRepeated ? { ...read, attest: false } : read,
      },
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
    const { selected, isolatedMeanNs, backToBackNs, spanNs } = await sampleTimesOf(outcome.dir, filter);
    const { isolated, pipelined } = selected;
    const few = [isolated, pipelined].find(({ clean }) => clean.length < minSamples);
    if (isFiltered && few !== undefined)
      return {
        reason: `${few.clean.length} of ${few.all.length} samples had no retransmit by timer; needs ${minSamples}, as of smaller sizes`,
      };
    // A sample of a pingpong has two operations.
    const perOperation = times / workloadOf(cell.workload).unitsPerOperation(cell);
    const meanNs = filter === undefined ? backToBackNs : isFiltered ? mean(pipelined.clean) : isolatedMeanNs;
    return {
      ns: isFiltered ? perOperation * median(isolated.clean) : times * wholeNs,
      unselected: isFiltered
        ? {
            ns: perOperation * median(isolated.all),
            backToBackNs: perOperation * mean(pipelined.all),
          }
        : null,
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

/** A variant of the explained command, with the results of its launches: one per round that was kept. */
export interface MeasuredVariant {
  variant: Variant;
  launches: VariantLaunch[];
}

/**
 * End of a round. `over`: the time was over before every variant was measured, so no further launch may start. The launches of the
 * round are then dropped, unless measureRound() got `late`. Those of an interrupted round are always dropped.
 */
export type RoundEnd = 'complete' | 'over' | 'interrupted';

/**
 * Returns the sample count of the last launch with the speed of the slowest one; null without launches. On a busy machine a launch
 * may take a hundred times as long as the one before, and a long one leaves no time for others.
 */
function slowestOf(launches: readonly VariantLaunch[]): ExpectedTime['before'] {
  const last = launches.at(-1);
  if (last === undefined) return null;
  return { samples: last.samples, sampleNs: Math.max(...launches.map(({ sampleNs }) => sampleNs)) };
}

/**
 * Measures all variants once each, in random order. A launch that fails is repeated once, unless its data were wrong or the time is
 * over. A round that ends early adds no launch to the variants, unless `late` removes those that are left.
 * @param expected expected time of one operation
 * @param isOver returns true if no further launch may start; gets the variants that the round has measured so far
 * @param begin called before each launch of a variant
 * @param drop called for a variant that cannot be measured; removes it from the list
 * @param late called for a variant that is not measured because the time is over; removes it, and the round keeps its launches.
 * Absent = the round is dropped
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
      const before = slowestOf(one.launches) ?? expected.before;
      return measureVariant(one.variant, { ...expected, before }, tools, one.launches.length > 0);
    };
    let launch = await measure();
    // On a busy machine no sample of a launch may be usable. Without a second launch this message size could not be
    // explained.
    if ('reason' in launch && launch.isWrong !== true && !isOver(found)) launch = await measure();
    if ('interrupted' in launch) return 'interrupted';
    const [{ algorithm = null } = {}] = one.launches;
    if ('ns' in launch)
      found.set(one, { ...launch, algorithm: algorithm ?? launch.algorithm, position: found.size });
    else drop(one, launch);
  }
  for (const [one, launch] of found) one.launches.push(launch);
  return end;
}
