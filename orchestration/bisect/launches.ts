// Launches of a bisection: builds what is not built yet, and measures one item with new processes.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { makeFolder } from '../../results/files/folders.ts';
import { replaceWhole } from '../../results/files/whole.ts';
import { lowTimesOf } from '../../results/gate/low-times.ts';
import {
  type BisectedSubject,
  type BisectionRecord,
  dataOf,
  headlineOf,
  type RunPlan,
  wholeNsOf,
} from '../../results/schema/index.ts';
import { openRun } from '../../results/store/read.ts';
import { shellWord } from '../../results/text.ts';
import { exitCode } from '../../results/verdicts/exit-code.ts';
import { type AppliedSettings, applySettings } from '../../suites/bisect/settings.ts';
import { canTakeTurns } from '../../suites/rounds.ts';
import { commandNamed } from '../../suites/workloads/index.ts';
import type { MeasureOptions } from '../engines/index.ts';
import { measureOneRun } from '../running/one-run.ts';
import type { RunTools } from '../running/output.ts';
import type { RunOutcome } from '../running/run.ts';
import { AlternatingRuns, type RunTurns } from '../running/turns.ts';
import { reasonOf } from '../suites/entry-plan.ts';
import { type BisectedList, itemWord } from './items.ts';

export interface BisectTools {
  /**
   * Parses the options of a measuring command.
   * @param command name of the command, such as "allreduce"
   * @param words its arguments, as in argv
   * @throws Refusal if they contradict each other or are not possible on this machine
   */
  readOptions(command: string, words: readonly string[]): MeasureOptions;
  run: RunTools;
  /** Folder in which the runs are stored; the logs of builds are in its subfolder `logs`. */
  root: string;
  note(text: string): void;
}

/** Times of one launch in ns, keyed by the point and the transport of the configuration, joined by a space. */
export type LaunchTimes = ReadonlyMap<string, number>;

export type LaunchResult =
  | { times: LaunchTimes }
  | { interrupted: true }
  /**
   * The subject cannot be built or measured; `reason` is the text of the first failure. `isWrong`: it was measured, but its data
   * were wrong.
   */
  | { reason: string; isWrong: boolean };

/**
 * Options that decide how many samples a launch takes. If the measured command, with the settings of its item, has none of them, a
 * launch takes only its first samples, so that there is time for more launches.
 */
const samplingOptions = ['--iters', '--precision', '--budget', '-n'];

const isOption = (word: string, name: string): boolean => word === name || word.startsWith(`${name}=`);

/** Builds and measures the subjects of one bisection. Each measurement is a run of its own, stored in `tools.root`. */
export class BisectLauncher {
  private readonly record: BisectionRecord;
  private readonly list: BisectedList;
  private readonly tools: BisectTools;
  /**
   * Plan of the last complete launch; null before the first. From it follows whether two such launches can be open at the same
   * time.
   */
  private plan: RunPlan | null = null;
  /**
   * Results of builds in this session, keyed by revision: null = built, otherwise the reason why it cannot be built.
   */
  private readonly builds = new Map<string, string | null>();

  constructor(record: BisectionRecord, list: BisectedList, tools: BisectTools) {
    this.record = record;
    this.list = list;
    this.tools = tools;
  }

  /**
   * Returns the command that measures a subject (the start, the end or a mixture of both): its arguments, which follow the name of
   * the operation, and the environment variables to set and to unset.
   */
  private appliedTo({ item, fixed }: BisectedSubject): AppliedSettings {
    const [, ...typed] = this.record.command;
    const { settings } = this.list;
    if (settings === null) {
      const value = this.list.items[item]?.value ?? '';
      const words = typed.map((word) => word.replaceAll(itemWord, value));
      return { words, environment: {}, unset: [] };
    }
    const applied = new Set([...Array.from({ length: item }, (_, at) => at + 1), ...fixed]);
    const found = applySettings(settings.good, settings.differences, applied);
    return { ...found, words: [...typed, ...found.words] };
  }

  /**
   * Measures both subjects of a pair with launches that are open at the same time and alternate round by round, so that a change of
   * the machine affects both alike.
   * @returns one result per subject, in their order; null if this is not possible: before the first complete launch, if a variable
   * must be unset, if the launches cannot be open at the same time, or if a subject cannot be built
   */
  async measureInTurn(subjects: readonly [BisectedSubject, BisectedSubject]): Promise<LaunchResult[] | null> {
    // A variable is unset for this whole process, so for both launches.
    const isUnset = subjects.some((subject) => this.appliedTo(subject).unset.length > 0);
    if (this.plan === null || isUnset || !canTakeTurns(this.plan)) return null;
    for (const subject of subjects) if ((await this.whyNotBuilt(subject)) !== null) return null;
    const runs = new AlternatingRuns();
    return Promise.all(
      ([0, 1] as const).map((side) =>
        this.measure(subjects[side], { runs, side }).finally(() => runs.leave(side)),
      ),
    );
  }

  /**
   * Builds a subject if necessary, and measures it once, in a run with one launch. Refusals and failures are in the result, not
   * thrown.
   * @param turns alternation with the launch of another subject, round by round; absent = this subject is measured alone
   */
  async measure(subject: BisectedSubject, turns?: RunTurns): Promise<LaunchResult> {
    const failed = await this.whyNotBuilt(subject);
    if (failed !== null) return { reason: failed, isWrong: false };
    const value = this.list.items[subject.item]?.value ?? null;
    const [name = ''] = this.record.command;
    const { words: own, environment, unset } = this.appliedTo(subject);
    const isTyped = (option: string) => own.some((word) => isOption(word, option));
    const words = [...own, '--launches=1', ...(samplingOptions.some(isTyped) ? [] : ['--precision=off'])];
    const { readOptions, run, root, note } = this.tools;
    try {
      const outcome = await measureOneRun(
        {
          ...{ command: commandNamed(name), options: readOptions(name, words), words, environment, unset },
          ...(turns === undefined ? {} : { turns }),
        },
        { root, tools: run },
        { note, progress: () => undefined },
      );
      if (outcome.exitCode === exitCode.interrupted) return { interrupted: true };
      const isWrong = outcome.exitCode === exitCode.wrongData;
      if (outcome.exitCode !== exitCode.ok)
        return { reason: outcome.failures[0]?.message ?? 'it was not measured', isWrong };
      const { ns, plan } = await timesOf(outcome, value);
      if (ns.size === 0) return { reason: 'it was not measured', isWrong };
      this.plan = plan;
      return { times: ns };
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === null) throw error;
      return { reason, isWrong: false };
    }
  }

  /**
   * Builds the revision of a subject, if its item is a revision.
   * @returns the reason why it cannot be built, as text for the user; null = it is built, or nothing has to be built
   */
  private async whyNotBuilt({ item }: BisectedSubject): Promise<string | null> {
    const value = this.list.items[item]?.value ?? null;
    return value === null ? null : this.built(value);
  }

  /**
   * Builds a revision, unless this session has built it before, or the bisection has no build command. The output goes to a file
   * in the folder `logs`.
   * @returns the reason why it cannot be built; null = it is built, or nothing has to be built
   */
  private async built(value: string): Promise<string | null> {
    const { build, folder } = this.record;
    if (build === null) return null;
    const known = this.builds.get(value);
    if (known !== undefined) return known;
    const logs = path.join(this.tools.root, 'logs');
    await makeFolder(logs);
    const log = path.join(logs, `build-${value.slice(0, 12)}.log`);
    const code = await runShell(build.replaceAll(itemWord, shellWord(value)), folder, log);
    const reason =
      code === 0 ? null : `the build ended with ${code}, see ${path.join('logs', path.basename(log))}`;
    this.builds.set(value, reason);
    return reason;
  }
}

/** Maximum bytes of a build's output that are kept. The end is kept, because it names the error. */
const maxLogBytes = 2 ** 20;

/**
 * Runs a shell command and waits for its end.
 * @param folder working directory of the command
 * @param log file that is replaced by the end of its stdout and stderr, at most `maxLogBytes`
 * @returns its exit code; as text, the signal that ended it or the reason why no shell could be started
 */
async function runShell(command: string, folder: string, log: string): Promise<number | string> {
  const child = spawn('/bin/sh', ['-c', command], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = Buffer.alloc(0);
  const keep = (chunk: Buffer): void => {
    output = Buffer.concat([output, chunk]).subarray(-maxLogBytes);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const code = await new Promise<number | string>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (status, signal) => resolve(status ?? signal ?? 'a failure'));
  });
  await replaceWhole(log, output);
  return code;
}

/**
 * Returns the time of each configuration, ns, with the plan of the run. The time is the lower quartile of the isolated samples,
 * which other programs hardly affect; if there is none, the latency or the main figure of the configuration. Keys contain {item}
 * instead of the item, so that they are equal for all items. Configurations without a time are left out.
 * @param value text that replaced {item} in the command; null = the command has no {item}
 */
async function timesOf(
  { dir, cells }: RunOutcome,
  value: string | null,
): Promise<{ ns: LaunchTimes; plan: RunPlan }> {
  const run = await openRun(dir);
  const low = await lowTimesOf(run);
  const times = new Map<string, number>();
  for (const cell of cells) {
    const ns = low.get(cell.id) ?? wholeNsOf(cell) ?? headlineOf(dataOf(cell.workload), cell)?.value ?? null;
    const transport = value === null ? cell.transport : cell.transport.replaceAll(value, itemWord);
    if (ns !== null && ns > 0) times.set(`${cell.point} ${transport}`, ns);
  }
  return { ns: times, plan: run.record.plan };
}

/**
 * Returns the mean of ln(candidate time / reference time) over all configurations that both launches measured, below 0 if the
 * candidate is faster; null if they have no configuration in common.
 */
export function logRatioOf(candidate: LaunchTimes, reference: LaunchTimes): number | null {
  const ratios = [...candidate].flatMap(([name, ns]) => {
    const before = reference.get(name);
    return before === undefined ? [] : [Math.log(ns / before)];
  });
  return ratios.length === 0 ? null : ratios.reduce((sum, value) => sum + value, 0) / ratios.length;
}
