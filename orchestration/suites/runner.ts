// Carries out a suite: measures entry after entry, stores each as a normal run, and updates the suite's record after each one.
import path from 'node:path';
import type {
  SuiteArm,
  SuiteEntry,
  SuiteMembership,
  SuiteRecord,
  SuiteRun,
} from '../../results/schema/index.ts';
import { runFolder, type SuiteWriter } from '../../results/store/suites.ts';
import { type ExitCode, exitCode } from '../../results/verdicts/exit-code.ts';
import { usualLaunches } from '../../suites/planning/sampling-plan.ts';
import type { RequestedRun } from '../preparing/prepare.ts';
import { InterruptHandler } from '../running/interrupt.ts';
import { measureOneRun } from '../running/one-run.ts';
import type { RunTools } from '../running/output.ts';
import type { RunOutcome } from '../running/run.ts';
import { type EntryPlan, reasonOf } from './entry-plan.ts';

/** Receives the events of a suite and shows them to the user. */
export interface SuiteScreen {
  begin(entry: SuiteEntry, pass: SuiteMembership['pass']): void;
  progress(entry: SuiteEntry, share: number): void;
  note(entry: SuiteEntry, text: string): void;
  /**
   * Called when an entry has ended. @param runs runs of the entry that were just measured @param seconds time that they took
   */
  end(entry: SuiteEntry, runs: readonly SuiteRun[], seconds: number): void;
  /** Shows an unexpected error, which is a defect of collbench. The other entries are still measured. */
  error(error: unknown): void;
}

/** One entry to be measured, and its anchor: the reference build with which it is compared. */
export interface EntryWork {
  ready: EntryPlan;
  /**
   * Command and environment variables of the anchor, the reference build. It is measured in turn with the entry, so that drift
   * of the machine does not look like a difference of the builds. Null if the entry has no anchor.
   */
  anchor: { command: RequestedRun; environment: Record<string, string> } | null;
}

/**
 * The build that is measured in turn number `turn`: the entry's (`tonight`) or the reference build (`anchor`). The order is the
 * Thue-Morse sequence A B B A B A A B ..., so that a slow drift of the machine affects both alike.
 */
export function armOfTurn(turn: number): SuiteArm {
  let ones = 0;
  for (let rest = turn; rest > 0; rest >>>= 1) ones += rest & 1;
  return ones % 2 === 0 ? 'tonight' : 'anchor';
}

export class SuiteRunner {
  private readonly record: SuiteRecord;
  private readonly writer: SuiteWriter;
  private readonly screen: SuiteScreen;
  private readonly root: string;
  private readonly tools: RunTools;
  private readonly interrupt = new InterruptHandler();
  /**
   * Folder of the suite, stored in each run so that the run finds its suite. Set only if `--out` put the suite outside of the
   * folder of runs.
   */
  private readonly elsewhere: Pick<SuiteMembership, 'folder'>;

  constructor(
    record: SuiteRecord,
    writer: SuiteWriter,
    screen: SuiteScreen,
    { root, tools }: { root: string; tools: RunTools },
  ) {
    this.record = record;
    this.writer = writer;
    this.screen = screen;
    this.root = root;
    const folder = runFolder(path.resolve(root), path.resolve(writer.dir));
    this.elsewhere = path.dirname(folder) === '.' ? {} : { folder };
    this.tools = tools;
  }

  get isInterrupted(): boolean {
    return this.interrupt.signal.aborted;
  }

  release(): void {
    this.interrupt.release();
  }

  /**
   * Measures all entries of the suite that can run, in order. A failure of one entry does not stop the others; an interrupt
   * does.
   */
  async measureAll(works: readonly EntryWork[]): Promise<void> {
    for (const work of works) {
      if (this.isInterrupted) return;
      await this.measure(work, 'first');
    }
  }

  /**
   * Measures one entry and writes the suite's record. With an anchor (reference build), each turn is a run of one launch, of
   * the entry or of the anchor alternately, until a turn fails. Without an anchor, it is one run with all launches. An entry
   * that cannot run is only shown.
   */
  async measure(work: EntryWork, pass: SuiteMembership['pass']): Promise<void> {
    const entry = this.entryOf(work);
    this.screen.begin(entry, pass);
    const { ready, anchor } = work;
    const { command, environment } = ready;
    if (command === null) return;
    const started = performance.now();
    const first = entry.runs.length;
    if (anchor === null) {
      await this.turn(entry, command, environment, { arm: 'tonight', pass, turn: 0 }, 1);
    } else {
      const turns = 2 * (command.options.launches ?? usualLaunches);
      for (let turn = 0; turn < turns && !this.isInterrupted; turn += 1) {
        const arm = armOfTurn(turn);
        const [chosen, variables] =
          arm === 'tonight' ? [command, environment] : [anchor.command, anchor.environment];
        const whole = await this.turn(entry, oneLaunch(chosen), variables, { arm, pass, turn }, turns);
        if (!whole) break;
      }
    }
    if (pass === 'first') conclude(entry);
    await this.writer.update(this.record);
    this.screen.end(entry, entry.runs.slice(first), (performance.now() - started) / 1000);
  }

  /**
   * Measures one turn: one run of the entry or of the anchor (the reference build, measured alternately with it).
   * @param turns number of turns of the entry, for the progress
   * @returns true if it succeeded; otherwise further turns are pointless
   */
  private async turn(
    entry: SuiteEntry,
    command: RequestedRun,
    environment: Record<string, string>,
    place: Pick<SuiteMembership, 'arm' | 'pass' | 'turn'>,
    turns: number,
  ): Promise<boolean> {
    const { id, name } = this.record;
    let done: RunOutcome;
    try {
      const suite = { id, name, entry: entry.name, ...place, ...this.elsewhere };
      done = await measureOneRun(
        { ...command, environment, suite, report: turns === 1 },
        { root: this.root, tools: this.tools },
        {
          note: (text) => this.screen.note(entry, text),
          progress: (share) => this.screen.progress(entry, (place.turn + share) / turns),
        },
      );
    } catch (error) {
      entry.reason = this.reason(error);
      entry.status = 'failed';
      return false;
    }
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
    await this.writer.update(this.record);
    return done.exitCode === exitCode.ok;
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
 * The command with one launch. In each turn all ranks are started once, so that differences between starts show as differences
 * between turns.
 */
function oneLaunch(command: RequestedRun): RequestedRun {
  return { ...command, options: { ...command.options, launches: 1 } };
}

function conclude(entry: SuiteEntry): void {
  if (entry.status === 'failed') return;
  const codes = entry.runs.map((run) => run.exitCode);
  const isInterrupted = codes.includes(exitCode.interrupted);
  const bad = codes.find((code) => code !== exitCode.ok);
  entry.status = isInterrupted ? 'interrupted' : bad === undefined ? 'measured' : 'failed';
  if (bad !== undefined) entry.reason ??= reasons[bad] ?? `exit code ${bad}`;
}

const reasons: Partial<Record<number, string>> = {
  [exitCode.wrongData]: 'wrong data',
  [exitCode.interrupted]: 'interrupted',
};

/**
 * Exit code of a suite without comparison to a reference. The first that applies: interrupted, wrong data, an entry that
 * failed or did not run or left out a transport. Optional entries that cannot run here do not count. Without any of these it
 * is 0.
 */
export function exitCodeOfSuite(record: SuiteRecord): ExitCode {
  const codes = record.entries.flatMap(({ runs }) => runs.map((run) => run.exitCode));
  if (codes.includes(exitCode.interrupted)) return exitCode.interrupted;
  if (codes.includes(exitCode.wrongData)) return exitCode.wrongData;
  const isBad = ({ status, optional }: SuiteEntry): boolean =>
    status === 'failed' || status === 'not-reached' || (status === 'cannot-run' && !optional);
  const leftOut = record.entries.some((entry) => entry.leftOut.length > 0 && !entry.optional);
  return record.entries.some(isBad) || leftOut ? exitCode.notRun : exitCode.ok;
}
