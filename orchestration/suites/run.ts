// Runs a suite: reads it, checks what can run, measures, judges.

import { armOf } from '../../results/baseline/source.ts';
import { groupOf, suiteFound } from '../../results/derive/index.ts';
import { tooFewLaunches } from '../../results/gate/launches-needed.ts';
import type { GateSource } from '../../results/gate/reference.ts';
import { lowestPairs, PairedSequence } from '../../results/gate/sequence.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import type { RunPlan, SuiteEntry, SuiteFinding, SuiteRecord } from '../../results/schema/index.ts';
import { createSuite } from '../../results/store/suites.ts';
import { newRunId } from '../../results/store/write.ts';
import { exitCode } from '../../results/verdicts/exit-code.ts';
import { layered } from '../../suites/suite/expand.ts';
import { loadSuite } from '../../suites/suite/load.ts';
import type { ResolvedSuite, SuiteOptionTexts, SuitePlanEntry } from '../../suites/suite/types.ts';
import type { RequestedRun } from '../preparing/prepare.ts';
import { withPrepared } from '../running/run.ts';
import { type EntryPlan, environmentOf, readyOf, type SuiteTools } from './entry-plan.ts';
import { gateSource, SuiteGate } from './gate.ts';
import { type EntryWork, exitCodeOfSuite, SuiteRunner, type SuiteScreen } from './runner.ts';

export interface SuiteOptions {
  /** Options from the command line; they replace the same options of every entry of the suite. */
  given: SuiteOptionTexts;
  /** Names of the suite entries to measure; null = all entries. */
  only: readonly string[] | null;
  /**
   * Options from the command line for the anchor, the reference build that is measured alternately with each entry. Each replaces
   * the option of the same name that the suite file gives the anchor.
   */
  anchor: SuiteOptionTexts;
  /** Folder in which runs are stored. `out`: folder of the suite; null = a new one in `root`. */
  root: string;
  out: string | null;
  isGate: boolean;
  /**
   * Maximum number of pairs of launches per entry, if there is a reference build. One launch of a pair measures the
   * entry, the other one the reference build.
   */
  pairs: number;
  /** Maximum seconds for the pairs of one entry; null = no limit. */
  budgetS: number | null;
  baseline: string | null;
  baselines: string;
  /** Words of the command line as typed, stored in the suite's record. */
  command: string[];
}

/**
 * A suite that was read and checked, with the plans of the entries that can run. `works`: all chosen entries in the order of the
 * file, also those that cannot run. `record`: content of suite.json, not stored yet. `suite`: name, title, files and the change
 * that must be detected.
 */
export interface PreparedSuite {
  suite: SuiteHead;
  record: SuiteRecord;
  works: readonly EntryWork[];
  /** Reference with which results are compared (stored baseline or reference build); null if no gate was requested. */
  source: GateSource | null;
  /** Collects the ratios of pairs of launches and judges them; null without a gate against a reference build. */
  sequence: PairedSequence | null;
  /** Estimated duration of the suite, seconds. */
  estimateS: number;
}

type SuiteHead = Pick<ResolvedSuite, 'name' | 'title' | 'files' | 'detect'>;

/**
 * Reads and checks a suite file, and probes the machines for each of its entries. Nothing is measured or written. An entry that
 * cannot run is in the result, with the reason.
 * @param name name of a suite that is part of collbench, or path of a suite file
 * @throws Refusal if the suite file does not exist or has a mistake, the named baseline does not exist, or a gate has too few
 * launches or pairs of launches to reach a verdict
 */
export async function prepareSuite(
  name: string,
  options: SuiteOptions,
  tools: SuiteTools,
): Promise<PreparedSuite> {
  const { suite, entries } = await loadSuite(name, tools.reading, options.given, options.only);
  const anchored = (entry: SuitePlanEntry): EntryWork['anchor'] =>
    options.isGate ? anchorOf(suite, entry, options.anchor, tools) : null;
  // Mistakes in the suite are reported before any host is contacted.
  for (const entry of entries) {
    tools.commandOf(entry);
    anchored(entry);
  }
  const hasAnchor = suite.anchor !== null || options.anchor.size > 0;
  const source = options.isGate ? await gateSource(suite.name, hasAnchor, options) : null;
  const works: EntryWork[] = [];
  for (const entry of entries) {
    const ready = await readyOf(entry, tools.commandOf);
    works.push({ ready, anchor: anchored(ready.entry) });
  }
  leaveOutNeedless(works);
  const sequence =
    source?.hasAnchor === true
      ? sequenceOf(suite, works, source.baseline, {
          maxPairs: options.pairs,
          budgetS: options.budgetS,
          command: 'suite',
        })
      : null;
  if (source !== null && sequence === null) requireEnoughLaunches(suite, works, source);
  const record = recordOf(suite, works, options, tools);
  return { suite, record, works, source, sequence, estimateS: estimateS(works) };
}

function sequenceOf(
  { detect }: Pick<SuiteHead, 'detect'>,
  works: readonly EntryWork[],
  baseline: GateSource['baseline'],
  { maxPairs, budgetS, command }: { maxPairs: number; budgetS: number | null; command: string },
): PairedSequence {
  requireEnoughPairs(command, detect, maxPairs);
  return new PairedSequence({
    margin: detect,
    maxPairs,
    budgetS,
    ranges: rangesOf(works),
    learned: baseline?.learned?.groups ?? [],
  });
}

/**
 * One of two builds or settings whose launches are interleaved, to compare them. `environment`: variables that it sets for its
 * ranks.
 */
export interface InterleavedSide extends RequestedRun {
  environment: Record<string, string>;
}

/**
 * Prepares a comparison of two commands whose launches are measured in pairs. It becomes a suite with one entry, the candidate,
 * whose reference build is the first command. Nothing is measured or written.
 * @param margin largest change of a time that counts as no change, as a share
 * @param pairs maximum number of pairs of launches
 * @param budgetS maximum seconds for the pairs; null = no limit
 * @throws Refusal if one of the commands cannot run, or there are too few pairs
 * @throws FailureError if a host cannot be probed
 */
export async function prepareInterleaved(
  [reference, candidate]: readonly [InterleavedSide, InterleavedSide],
  {
    title,
    margin,
    pairs,
    budgetS,
    command,
  }: { title: string; margin: number; pairs: number; budgetS: number | null; command: string[] },
): Promise<PreparedSuite> {
  const plan = await withPrepared(candidate, async (prepared) => prepared.plan, candidate.environment);
  await withPrepared(reference, async () => undefined, reference.environment);
  const entry: SuitePlanEntry = {
    ...{ name: 'pairs', at: { file: 'the command line', line: 1, column: 1 } },
    ...{ collective: candidate.command.name, options: new Map(), environment: new Map() },
    ...{ isOptional: false, unless: [] },
  };
  const { environment } = candidate;
  const ready = { entry, environment, command: candidate, plan, reason: null, leftOut: [] };
  const works = [{ ready, anchor: { command: reference, environment: reference.environment } }];
  const suite = { name: 'compare', title, files: [], detect: margin };
  const sequence = sequenceOf(suite, works, null, {
    maxPairs: pairs,
    budgetS,
    command: 'compare --interleave',
  });
  const record = recordOf(suite, works, { command }, { commandOf: () => candidate });
  const source = { baseline: null, hasAnchor: true };
  return { suite, record, works, source, sequence, estimateS: estimateS(works) };
}

/**
 * Marks entries as not needed, in place, if an entry that they name in `unless` can run. This is no failure. Entries that are
 * already marked count as unable to run.
 */
function leaveOutNeedless(works: readonly EntryWork[]): void {
  const entryOf = ({ ready }: EntryWork) => ready.entry.name.split('/')[0] ?? '';
  for (const work of works) {
    const { ready } = work;
    const other = works.find(
      (one) => one.ready.command !== null && ready.entry.unless.includes(entryOf(one)),
    );
    if (ready.command === null || other === undefined) continue;
    const reason = `${entryOf(other)} can run here`;
    work.ready = { ...ready, command: null, plan: null, reason, isNeedless: true };
  }
}

/** Returns the plan of each entry, in the order of entries; null for an entry that is not run. */
export const plansOf = ({ works }: PreparedSuite): (RunPlan | null)[] => works.map(({ ready }) => ready.plan);

/**
 * Measures all entries of the suite and stores their runs and the suite's record. If a gate was requested, decides whether a build
 * became slower than the reference. An interrupted suite gets no verdict. Failures of entries are in the record, not thrown.
 * @returns exit code of the command, and path of the suite's folder
 * @throws Refusal if no entry can run
 * @throws StoreError if the suite's folder cannot be written
 */
export async function measureSuite(
  { record, works, source, sequence, suite }: PreparedSuite,
  { root, out }: Pick<SuiteOptions, 'root' | 'out'>,
  tools: Pick<SuiteTools, 'run'>,
  screenFor: () => SuiteScreen,
): Promise<{ code: number; dir: string }> {
  if (works.every(({ ready }) => ready.command === null)) {
    const reasons = [...new Set(works.flatMap(({ ready }) => ready.reason ?? []))];
    throw refuse('nothing-of-suite', { reasons: reasons.slice(0, 5) });
  }
  const writer = await createSuite(record, { root, ...(out === null ? {} : { out }) });
  const runner = new SuiteRunner(record, writer, screenFor(), { root, tools: tools.run, sequence });
  try {
    await runner.measureAll(works);
    record.found = await foundIn(record, writer.dir);
    if (source !== null && !runner.isInterrupted) {
      record.gate = await new SuiteGate({ record, dir: writer.dir, root }, source, suite.detect).judge(
        works,
        runner,
        sequence,
      );
    }
    // An interrupted suite gets no verdict, because repeated measurements may be missing.
    if (runner.isInterrupted) record.gate = null;
    const verdict = record.gate?.exitCode ?? exitCodeOfSuite(record);
    const code = runner.isInterrupted ? exitCode.interrupted : verdict;
    record.endedAt = new Date().toISOString();
    record.exitCode = code;
    record.state = stateOf(record, code);
    await writer.update(record);
    return { code, dir: writer.dir };
  } finally {
    runner.release();
  }
}

async function foundIn(record: SuiteRecord, dir: string): Promise<SuiteFinding> {
  const tonight = await armOf({ record, dir }, 'tonight', 'first');
  return suiteFound(record.entries, new Map([...tonight].map(([name, { cells }]) => [name, cells])));
}

/**
 * Returns the state of a suite with this exit code: interrupted; `incomplete` if nothing but time was missing and the suite has no
 * gate; `failed` if results are missing for another reason, or data were wrong; else complete. A suite whose results became slower
 * than the reference is complete, because everything was measured.
 */
function stateOf({ entries, gate }: SuiteRecord, code: number): SuiteRecord['state'] {
  if (code === exitCode.interrupted) return 'interrupted';
  const isOver = entries.some(({ status }) => status === 'incomplete');
  const others: readonly SuiteEntry['status'][] = ['failed', 'not-reached', 'cannot-run'];
  if (
    code === exitCode.notRun &&
    gate === null &&
    isOver &&
    !entries.some(({ status }) => others.includes(status))
  )
    return 'incomplete';
  return code === exitCode.notRun || code === exitCode.wrongData ? 'failed' : 'complete';
}

/**
 * Returns the command that measures the anchor (reference build) of an entry, with its environment variables. Options of the
 * command line replace those of the suite's anchor, which replace those of the entry. Null if the suite has no anchor and the
 * command line gives no options for one.
 * @throws Refusal if options contradict each other
 */
function anchorOf(
  { anchor }: ResolvedSuite,
  entry: SuitePlanEntry,
  given: SuiteOptionTexts,
  { commandOf, reading }: SuiteTools,
): EntryWork['anchor'] {
  if (anchor === null && given.size === 0) return null;
  const { options = new Map(), environment = new Map() } = anchor ?? {};
  const command = commandOf(entry, layered([entry.options, options, given], reading));
  return { command, environment: { ...environmentOf(entry.environment), ...environmentOf(environment) } };
}

function recordOf(
  { name, title, files }: SuiteHead,
  works: readonly EntryWork[],
  { command }: Pick<SuiteOptions, 'command'>,
  { commandOf }: Pick<SuiteTools, 'commandOf'>,
): SuiteRecord {
  return {
    schemaVersion: 2,
    id: newRunId(),
    ...{ name, title, command, files },
    startedAt: new Date().toISOString(),
    endedAt: null,
    state: 'running',
    exitCode: null,
    entries: works.map(({ ready }) => entryOf(ready, commandOf)),
    gate: null,
  };
}

function entryOf(
  { entry, environment, command, plan, reason, leftOut, isNeedless }: EntryPlan,
  commandOf: SuiteTools['commandOf'],
): SuiteEntry {
  const { words } = command ?? commandOf(entry);
  return {
    name: entry.name,
    command: entry.collective,
    ...{ words: [...words], environment, reason, leftOut },
    optional: entry.isOptional,
    status: command !== null ? 'not-reached' : isNeedless === true ? 'not-needed' : 'cannot-run',
    cells: { expected: plan?.expected.cells ?? 0, measured: 0 },
    runs: [],
  };
}

/**
 * Estimated seconds that a run takes in addition to the measurement itself: starting agents and ranks, reading and
 * writing files.
 */
const runOverheadS = 0.7;

/** Number of pairs of launches after which an entry usually has its verdicts; used only for estimates of the duration. */
const expectedPairs = 10;

/**
 * Returns the estimated seconds of the suite; entries that are not run count 0. With an anchor (reference build) each launch is a
 * separate run.
 */
function estimateS(works: readonly EntryWork[]): number {
  return works.reduce((sum, { ready: { plan }, anchor }) => {
    if (plan === null) return sum;
    if (anchor === null) return sum + plan.estimateS + runOverheadS;
    return sum + 2 * expectedPairs * (plan.estimateS / plan.sampling.launches + runOverheadS);
  }, 0);
}

/**
 * Checks that every suite entry that can run has enough launches to decide whether a build became slower than the baseline.
 * @param detect change of a time that must be detected, as a share (0.1 = 10 %)
 * @throws Refusal if an entry has too few launches to detect this change even on an idle machine
 */
function requireEnoughLaunches(
  { name, detect }: Pick<ResolvedSuite, 'name' | 'detect'>,
  works: readonly EntryWork[],
  { baseline }: GateSource,
): void {
  const entries = works.flatMap(({ ready: { entry, command, plan } }) => {
    if (plan === null || command === null) return [];
    const { adaptive, launches } = plan.sampling;
    return [{ entry: entry.name, launches: adaptive?.maxLaunches ?? launches, groups: groupsOf(plan) }];
  });
  const found = tooFewLaunches(entries, baseline, detect);
  if (found === null) return;
  throw refuse('gate-needs-launches', { suite: name, detect, ...found });
}

/**
 * Checks that `maxPairs` pairs of launches can be enough to show that nothing changed.
 * @param command name of the command, for the refusal
 * @param margin largest change of a time that counts as no change, as a share (0.1 = 10 %)
 * @throws Refusal if the pairs are too few even on an idle machine
 */
function requireEnoughPairs(command: string, margin: number, maxPairs: number): void {
  const lowest = lowestPairs(margin);
  if (maxPairs < lowest) throw refuse('gate-needs-pairs', { command, pairs: maxPairs, margin, lowest });
}

/** Returns the number of verdicts (size ranges that are judged), over all entries that can run. */
const rangesOf = (works: readonly EntryWork[]): number =>
  works.reduce((sum, { ready: { plan } }) => sum + (plan === null ? 0 : groupsOf(plan)), 0);

/**
 * Returns the number of verdicts that a plan gets: one per size range of each collective, data type, transport and
 * group.
 */
function groupsOf({ points, transports, ranks, engine, groups }: RunPlan): number {
  const keys = points.flatMap(({ workload, axes }) =>
    transports.map(
      ({ name, medium }) =>
        groupOf({ ...{ workload, axes, ranks, engine, medium }, requested: {}, nodes: 1, transport: name })
          .key,
    ),
  );
  return new Set(keys).size * (groups?.members.length ?? 1);
}
