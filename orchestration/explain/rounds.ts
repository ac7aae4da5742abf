// Measures variants of a command in rounds: each variant once in each round, with new processes and in random order.

import { medianSorted } from 'simple-statistics';
import { ChannelTable } from '../../results/derive/index.ts';
import { type CounterReading, cleanTimes } from '../../results/explain/clean-samples.ts';
import type { LaunchFacts } from '../../results/explain/separation.ts';
import { shuffle } from '../../results/random.ts';
import { measuredOf, type OkCell, wholeNsOf } from '../../results/schema/index.ts';
import { openRun } from '../../results/store/read.ts';
import { exitCode } from '../../results/verdicts/exit-code.ts';
import { type Variant, wordsOf } from '../../suites/explain/variants.ts';
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
export interface VariantLaunch extends LaunchFacts {
  /** Time of the explained operation in ns: the variant's own time, multiplied if the operation contains it several times. */
  ns: number;
  /** Time in ns that 95 % of the samples do not exceed, multiplied in the same way; null = not known. */
  p95Ns: number | null;
  algorithm: string;
}

/** Samples of one launch should take this many seconds: long enough for a median, short beside the start of the ranks. */
const launchS = 0.15;
const [minSamples, maxSamples] = [5, 400];

/** Number of timed operations in one launch of an operation that takes `ns`. */
const iterationsFor = (ns: number): number =>
  Math.round(Math.min(maxSamples, Math.max(minSamples, (launchS * 1e9) / ns)));

/** Interval of the readings of a run whose samples are filtered by them, and how many times as many samples it has. */
const [filteredInterval, filteredFactor] = ['2ms', 8];

/** Isolated times in ns of a run's samples in which no TCP segment was sent again; `known`: number of samples with readings. */
async function cleanSamples(dir: string): Promise<{ ns: number[]; known: number }> {
  const run = await openRun(dir);
  const readings: CounterReading[] = [];
  for (const { header, lines } of await run.metrics()) {
    const index = new ChannelTable(header.channels).index('tcp', 'retransSegs');
    for await (const line of lines()) {
      const value = 'values' in line && index !== undefined ? line.values[index] : null;
      if ('values' in line && value != null) readings.push({ ns: line.startNs, value });
    }
  }
  const found = { ns: [] as number[], known: 0 };
  for await (const block of run.blocks()) {
    if (block.trial !== 'isolated') continue;
    const { ns, known } = cleanTimes(block, readings);
    found.ns.push(...ns);
    found.known += known;
  }
  return found;
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
  expectedNs: number,
  { readOptions, run, root, note }: ExplainTools,
): Promise<VariantLaunch | MissingLaunch | { interrupted: true }> {
  const iterations = iterationsFor(expectedNs / times) * (filter === undefined ? 1 : filteredFactor);
  // Only frequent readings of counters show which samples had a retransmit.
  const read = filter === undefined ? {} : { sampleInterval: filteredInterval };
  const words = [
    ...wordsOf({ ...options, ...read }),
    `--sizes=${payloadBytes}`,
    `--iters=${iterations}`,
    '--launches=1',
  ];
  try {
    const outcome = await withoutVariables(unset, () =>
      measureOneRun(
        { command: commandNamed(command), options: readOptions(command, words), words },
        { root, tools: run },
        { note, progress: () => undefined },
      ),
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
    const clean = filter === undefined ? null : await cleanSamples(outcome.dir);
    if (clean !== null && clean.ns.length < minSamples)
      return {
        reason: `${clean.ns.length} of ${clean.known} samples had no retransmit; needs ${minSamples}, as of smaller sizes`,
      };
    return {
      ns: times * (clean === null ? wholeNs : medianSorted(clean.ns.sort((a, b) => a - b))),
      p95Ns: latency?.value === wholeNs && latency.p95 !== null ? times * latency.p95 : null,
      algorithm: cell.choice.algorithm,
      flags: cell.flags.map(({ name }) => name),
      cpus: outcome.launches.flatMap(({ ranks }) => ranks.map(({ cpus }) => cpus ?? '')).join(' '),
      competingCores: competingCoresOf(cell),
      position: 0,
    };
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === null) throw error;
    return { reason };
  }
}

/** Highest number of cores that other processes kept busy on any host; null = not known. */
function competingCoresOf({ load }: OkCell): number | null {
  const cores = load?.hosts.flatMap(({ competingCores }) => competingCores ?? []) ?? [];
  return cores.length === 0 ? null : Math.max(...cores);
}

/** Carries out `work` while this process lacks environment variables, which its agents would inherit; then restores them. */
async function withoutVariables<T>(names: readonly string[], work: () => Promise<T>): Promise<T> {
  const before = names.map((name) => [name, process.env[name]] as const);
  for (const name of names) delete process.env[name];
  try {
    return await work();
  } finally {
    for (const [name, value] of before) if (value !== undefined) process.env[name] = value;
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
 * @param expectedNs expected time of one operation, by which the number of samples is chosen
 * @param isOver true once no further launch may start
 * @param drop takes a variant that cannot be measured out of the list
 */
export async function measureRound(
  measured: MeasuredVariant[],
  expectedNs: number,
  random: () => number,
  tools: ExplainTools,
  isOver: () => boolean,
  drop: (one: MeasuredVariant, missing: MissingLaunch) => void,
): Promise<RoundEnd> {
  const found = new Map<MeasuredVariant, VariantLaunch>();
  for (const one of shuffle(measured, random)) {
    if (isOver()) return 'over';
    const launch = await measureVariant(one.variant, expectedNs, tools);
    if ('interrupted' in launch) return 'interrupted';
    if ('ns' in launch) found.set(one, { ...launch, position: found.size });
    else drop(one, launch);
  }
  for (const [one, launch] of found) one.launches.push(launch);
  return 'complete';
}
