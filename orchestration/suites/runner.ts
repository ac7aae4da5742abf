// Carries out a suite: measures entry after entry, stores each as a normal run, and updates the suite's record after each one.
import path from 'node:path';
import { lowTimesOf } from '../../results/gate/low-times.ts';
import type { PairedRun, PairedSequence } from '../../results/gate/sequence.ts';
import { randomSource } from '../../results/random.ts';
import type {
  RunPlan,
  SuiteArm,
  SuiteEntry,
  SuiteMembership,
  SuiteRecord,
  SuiteRun,
} from '../../results/schema/index.ts';
import { openRun } from '../../results/store/read.ts';
import { runFolder, type SuiteWriter } from '../../results/store/suites.ts';
import { type ExitCode, endedStateOf, exitCode } from '../../results/verdicts/exit-code.ts';
import { canTakeTurns } from '../../suites/rounds.ts';
import type { RequestedRun } from '../preparing/prepare.ts';
import { InterruptHandler } from '../running/interrupt.ts';
import { measureOneRun } from '../running/one-run.ts';
import type { RunTools } from '../running/output.ts';
import type { RunOutcome } from '../running/run.ts';
import { AlternatingRuns, type RunTurns } from '../running/turns.ts';
import { type EntryPlan, reasonOf } from './entry-plan.ts';

/**
 * Receives the events of a suite and shows them to the user. begin() is called for each entry before its measurement, also for one
 * that is not run; `entry.reason` then says why. end() is not called for such an entry.
 */
export interface SuiteScreen {
  begin(entry: SuiteEntry, pass: SuiteMembership['pass']): void;
  /**
   * Reports progress of an entry.
   * @param share finished share of the entry, 0 to 1
   * @param pairs text about the pairs of launches so far: "pair 7: 1 slower, 3 same"; absent without a reference build
   */
  progress(entry: SuiteEntry, share: number, pairs?: string): void;
  note(entry: SuiteEntry, text: string): void;
  /**
   * Called when an entry has ended, also if it failed; its status is final unless the gate measures it again.
   * @param runs runs of the entry that were just measured
   * @param seconds duration of these runs together
   */
  end(entry: SuiteEntry, runs: readonly SuiteRun[], seconds: number): void;
  /** Shows an unexpected error, which is a defect of collbench. The other entries are still measured. */
  error(error: unknown): void;
}

/**
 * One entry of a suite, with its plan or the reason why it is not run (`ready`), and its anchor: the reference build with which it
 * is compared.
 */
export interface EntryWork {
  ready: EntryPlan;
  /**
   * Command and environment variables of the anchor, the reference build. It is measured alternately with the entry, so that drift
   * of the machine does not look like a difference of the builds. Null if the suite has no anchor, or no gate was requested.
   */
  anchor: { command: RequestedRun; environment: Record<string, string> } | null;
}

export class SuiteRunner {
  private readonly record: SuiteRecord;
  private readonly writer: SuiteWriter;
  private readonly screen: SuiteScreen;
  private readonly root: string;
  private readonly tools: RunTools;
  private readonly draw: () => number;
  private readonly interrupt = new InterruptHandler();
  /**
   * Ids of runs that ended in state `incomplete` (endedStateOf()): the time was over before all configurations were complete, and
   * nothing else failed.
   */
  private readonly incompleteRuns = new Set<string>();
  /**
   * Path of the suite's folder, relative to the folder of runs, which is stored in each run, so that the suite of a run can be
   * found. Empty object if the suite lies directly in the folder of runs, where its id is enough.
   */
  private readonly elsewhere: Pick<SuiteMembership, 'folder'>;
  /** Last write of the suite's record, which may not have ended yet; the next write waits for it. */
  private written: Promise<void> = Promise.resolve();
  /** Collects and judges pairs of launches of entries with a reference build; null if no entry has one. */
  private readonly sequence: PairedSequence | null;

  constructor(
    record: SuiteRecord,
    writer: SuiteWriter,
    screen: SuiteScreen,
    { root, tools, sequence }: { root: string; tools: RunTools; sequence: PairedSequence | null },
  ) {
    this.record = record;
    this.writer = writer;
    this.screen = screen;
    this.root = root;
    const folder = runFolder(path.resolve(root), path.resolve(writer.dir));
    this.elsewhere = path.dirname(folder) === '.' ? {} : { folder };
    this.tools = tools;
    this.sequence = sequence;
    // The order within pairs follows from the id of the suite, so that it can be computed again.
    this.draw = randomSource(Number.parseInt(record.id, 16));
  }

  get isInterrupted(): boolean {
    return this.interrupt.signal.aborted;
  }

  release(): void {
    this.interrupt.release();
  }

  /**
   * Measures all entries of the suite that can run, in order. A failure of one entry does not stop the others and is not thrown;
   * an interrupt stops all.
   * @throws StoreError if the suite's record cannot be written
   */
  async measureAll(works: readonly EntryWork[]): Promise<void> {
    for (const work of works) {
      if (this.isInterrupted) return;
      await this.measure(work, 'first');
    }
  }

  /**
   * Measures one entry and writes the suite's record. With an anchor (reference build), runs of one launch measure the entry and
   * the anchor alternately, until every size range has a verdict or none is expected, the limit of pairs or time is reached, or a
   * run fails. Without an anchor, one run measures all launches. An entry that cannot run is only shown.
   * @param pass `again` if an entry that looked slower is measured once more, otherwise `first`
   * @throws StoreError if the suite's record cannot be written; other failures are in the record
   */
  async measure(work: EntryWork, pass: SuiteMembership['pass']): Promise<void> {
    const entry = this.entryOf(work);
    this.screen.begin(entry, pass);
    const { ready, anchor } = work;
    const { command } = ready;
    if (command === null) return;
    const started = performance.now();
    const first = entry.runs.length;
    if (anchor === null) {
      const progress = (share: number): void => this.screen.progress(entry, share);
      await this.turn(
        entry,
        { ...ready, command },
        { arm: 'tonight', pass, turn: 0 },
        { progress, report: true },
      );
    } else {
      await this.measurePairs(entry, work, anchor);
    }
    if (pass === 'first') conclude(entry, this.incompleteRuns);
    await this.write();
    this.screen.end(entry, entry.runs.slice(first), (performance.now() - started) / 1000);
  }

  /**
   * Measures launches of the entry and of its anchor (reference build) in pairs, and judges after every pair. Ends when every size
   * range has a verdict or none is expected, at the limit of pairs or time, or when a run fails. The order within a pair is random.
   * So if the builds are equal, each difference is positive or negative with equal probability, whatever the machine does.
   */
  private async measurePairs(
    entry: SuiteEntry,
    { ready }: EntryWork,
    anchor: NonNullable<EntryWork['anchor']>,
  ): Promise<void> {
    const { command, environment } = ready;
    const { sequence } = this;
    if (command === null || sequence === null) return;
    const isInTurn = ready.plan !== null && canTakeTurns(withFixedCounts(ready.plan));
    const arms = {
      tonight: { command: oneLaunch(command), environment },
      anchor: { command: oneLaunch(anchor.command), environment: anchor.environment },
    };
    for (let pair = 0; pair < sequence.options.maxPairs && !this.isInterrupted; pair += 1) {
      const order: [SuiteArm, SuiteArm] = this.draw() < 0.5 ? ['tonight', 'anchor'] : ['anchor', 'tonight'];
      const started = performance.now();
      const launched = await this.measurePair(
        entry,
        pair,
        order.map((arm) => ({ arm, ...arms[arm] })),
        isInTurn,
      );
      if (launched === null) return;
      const [reference, tonight] = [launched.get('anchor'), launched.get('tonight')];
      if (reference === undefined || tonight === undefined) return;
      const seconds = (performance.now() - started) / 1000;
      sequence.add(entry.name, await pairedRun(reference), await pairedRun(tonight), seconds);
      if (sequence.isOver(entry.name) || sequence.isTimeUp(entry.name)) return;
    }
  }

  /**
   * Measures both launches of a pair, in the given order. If both can be open at the same time, they alternate round by round, so
   * that a change of the machine affects both alike.
   * @param pair number of the pair, from 0
   * @param arms entry and anchor, in the order in which they are measured
   * @param isInTurn true if both launches are open at the same time
   * @returns the run of each arm (entry or anchor); null if one failed or was interrupted
   */
  private async measurePair(
    entry: SuiteEntry,
    pair: number,
    arms: readonly { arm: SuiteArm; command: RequestedRun; environment: Record<string, string> }[],
    isInTurn: boolean,
  ): Promise<Map<SuiteArm, RunOutcome> | null> {
    const { sequence } = this;
    const maxPairs = sequence?.options.maxPairs ?? 1;
    const runs = new AlternatingRuns();
    const measured = new Map<SuiteArm, RunOutcome>();
    const measure = async (i: number): Promise<void> => {
      const own = arms[i];
      if (own === undefined) return;
      const side = i === 0 ? 0 : 1;
      const turn = 2 * pair + i;
      const share = (done: number): number => (turn + done) / (2 * maxPairs);
      const text = pairText(pair, sequence?.counts(entry.name) ?? null);
      const outcome = await this.turn(
        entry,
        own,
        { arm: own.arm, pass: 'first', turn },
        {
          progress: (done) => this.screen.progress(entry, share(done), text),
          report: false,
          ...(isInTurn ? { turns: { runs, side } } : {}),
        },
      ).finally(() => runs.leave(side));
      if (outcome?.exitCode === exitCode.ok) measured.set(own.arm, outcome);
    };
    if (isInTurn) await Promise.all(arms.map((_, i) => measure(i)));
    else for (let i = 0; i < arms.length && measured.size === i; i += 1) await measure(i);
    return measured.size === arms.length ? measured : null;
  }

  /**
   * Measures one run of the entry or of the anchor (the reference build), adds it to the suite's record and writes the record.
   * @param place role of the run in the suite: entry or anchor, first measurement or repetition, number among the runs of pairs
   * @returns null if the run could not be planned or started; the entry is then marked as failed
   */
  private async turn(
    entry: SuiteEntry,
    { command, environment }: { command: RequestedRun; environment: Record<string, string> },
    place: Pick<SuiteMembership, 'arm' | 'pass' | 'turn'>,
    { progress, report, turns }: { progress(share: number): void; report: boolean; turns?: RunTurns },
  ): Promise<RunOutcome | null> {
    const { id, name } = this.record;
    let done: RunOutcome;
    try {
      const suite = { id, name, entry: entry.name, ...place, ...this.elsewhere };
      done = await measureOneRun(
        { ...command, environment, suite, report, ...(turns === undefined ? {} : { turns }) },
        { root: this.root, tools: this.tools },
        {
          note: (text) => this.screen.note(entry, text),
          progress,
        },
      );
    } catch (error) {
      entry.reason = this.reason(error);
      entry.status = 'failed';
      return null;
    }
    if (endedStateOf(done.failures, done.cells) === 'incomplete') this.incompleteRuns.add(done.id);
    const measured = done.cells.filter((cell) => cell.status === 'ok').length;
    if (place.arm === 'tonight' && place.pass === 'first') {
      entry.cells.measured = Math.max(entry.cells.measured, measured);
    }
    entry.runs.push({
      ...place,
      id: done.id,
      folder: runFolder(this.writer.dir, done.dir),
      exitCode: done.exitCode,
    });
    if (place.pass === 'first') entry.reason ??= done.failures[0]?.message ?? null;
    await this.write();
    return done;
  }

  /**
   * Writes the suite's record, after earlier writes have ended: the two runs of a pair may end at the same time.
   * @throws StoreError if it cannot be written, also if an earlier write failed
   */
  private write(): Promise<void> {
    this.written = this.written.then(() => this.writer.update(this.record));
    return this.written;
  }

  private reason(error: unknown): string {
    const reason = reasonOf(error);
    if (reason !== null) return reason;
    this.screen.error(error);
    return error instanceof Error ? error.message : String(error);
  }

  private entryOf({ ready }: EntryWork): SuiteEntry {
    const entry = this.record.entries.find(({ name }) => name === ready.entry.name);
    if (entry === undefined) throw new RangeError(`no entry ${ready.entry.name} in the record`);
    return entry;
  }
}

/**
 * Returns the text for the progress line: "pair 7: 1 slower, 3 same, 2 open"; verdicts that no size range has are left out.
 * @param pair number of the pair, from 0; the text counts from 1
 * @param counts number of size ranges of the entry with each verdict; null = none is shown
 */
function pairText(pair: number, counts: ReturnType<PairedSequence['counts']> | null): string {
  const { slower, faster, same, open } = counts ?? { slower: 0, faster: 0, same: 0, open: 0 };
  const parts = [
    ...(slower === 0 ? [] : [`${slower} slower`]),
    ...(faster === 0 ? [] : [`${faster} faster`]),
    ...(same === 0 ? [] : [`${same} same`]),
    ...(open === 0 ? [] : [`${open} open`]),
  ];
  return `pair ${pair + 1}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
}

/**
 * Returns a copy of the command with one launch and fixed sample counts. Each run of a pair starts all ranks once, so that
 * differences between starts show as differences between runs. Many short launches decide sooner than few precise ones, so
 * sampling does not continue until a precision or budget is reached.
 */
const oneLaunch = (command: RequestedRun): RequestedRun => ({
  ...command,
  options: { ...command.options, launches: 1, precision: null, budget: null },
});

/** Returns the plan of one launch of an entry with fixed sample counts, as oneLaunch() measures it. */
function withFixedCounts(plan: RunPlan): RunPlan {
  const { adaptive, ...sampling } = plan.sampling;
  return { ...plan, sampling };
}

async function pairedRun({ dir }: RunOutcome): Promise<PairedRun> {
  const run = await openRun(dir);
  return { record: run.record, cells: run.cells, lowTimesNs: await lowTimesOf(run) };
}

/**
 * Sets the status of an entry from its runs, and its reason if a run was not complete. An entry that is already `failed` is left
 * as it is.
 * @param incompleteRuns ids of runs that lack results only because the time was over
 */
function conclude(entry: SuiteEntry, incompleteRuns: ReadonlySet<string>): void {
  if (entry.status === 'failed') return;
  const codes = entry.runs.map((run) => run.exitCode);
  const isInterrupted = codes.includes(exitCode.interrupted);
  const bad = codes.find((code) => code !== exitCode.ok);
  const isOver = entry.runs.every(({ id, exitCode: code }) => code === exitCode.ok || incompleteRuns.has(id));
  const badStatus = isInterrupted ? 'interrupted' : isOver ? 'incomplete' : 'failed';
  entry.status = bad === undefined ? 'measured' : badStatus;
  if (bad !== undefined) entry.reason ??= reasons[bad] ?? `exit code ${bad}`;
}

const reasons: Partial<Record<number, string>> = {
  [exitCode.wrongData]: 'wrong data',
  [exitCode.interrupted]: 'interrupted',
};

/**
 * Returns the exit code of a suite that is not compared with a reference: interrupted; otherwise wrong data; otherwise not run, if
 * an entry failed, lacks results, did not run or left out a transport; otherwise 0. Optional entries that cannot run or left out a
 * transport do not count, nor do entries that were not needed.
 */
export function exitCodeOfSuite(record: SuiteRecord): ExitCode {
  const codes = record.entries.flatMap(({ runs }) => runs.map((run) => run.exitCode));
  if (codes.includes(exitCode.interrupted)) return exitCode.interrupted;
  if (codes.includes(exitCode.wrongData)) return exitCode.wrongData;
  const isBad = ({ status, optional }: SuiteEntry): boolean =>
    status === 'failed' ||
    status === 'incomplete' ||
    status === 'not-reached' ||
    (status === 'cannot-run' && !optional);
  const leftOut = record.entries.some((entry) => entry.leftOut.length > 0 && !entry.optional);
  return record.entries.some(isBad) || leftOut ? exitCode.notRun : exitCode.ok;
}
