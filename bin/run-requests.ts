// The runs of one measuring command: a single run, or one per engine and a report of all of them.
import path from 'node:path';
import type { HostPool } from '../orchestration/preparing/host-pool.ts';
import type { PreparedPlan, RequestedRun } from '../orchestration/preparing/prepare.ts';
import { measurePlan, type RunOutcome, withPrepared } from '../orchestration/running/run.ts';
import { type ExitCode, exitCode } from '../results/verdicts/exit-code.ts';
import { longRunNote, type UnsetOptions } from '../suites/planning/budget-plan.ts';
import type { MeasuringCommandOptions } from './options/index.ts';
import { runTools } from './run-tools.ts';
import { outputsOf } from './screens/run.ts';
import { nearPath, printNote } from './terminal.ts';

export type CommandRun = RequestedRun<MeasuringCommandOptions & UnsetOptions>;
type RunWithPlan = CommandRun & { prepared: PreparedPlan; nodes: HostPool };

/**
 * Makes the plans of all requested runs (one per engine), measures the runs one after the other, and writes one report about them.
 * With --plan-only it prints the plans instead. An interrupt ends the series of runs.
 * @returns the worst exit code of the runs: interrupted, then wrong data, then incomplete; with --why, if all runs have code 0,
 * that of the explanations
 * @throws Refusal if a run cannot be planned, or cannot be explained with --why; nothing is measured then
 */
export async function measureAll(requests: readonly CommandRun[]): Promise<ExitCode> {
  const runs: RunOutcome[] = [];
  const isExplained = requests.some(({ options }) => options.why);
  await planned(requests, [], async (all) => {
    if (isExplained) {
      const { requireExplainable } = await import('./commands/explain.ts');
      for (const { prepared } of all) requireExplainable(prepared.plan, '');
    }
    for (const one of all) {
      for (const note of one.prepared.notes) printNote(note);
      for (const reason of one.prepared.leftOut) printNote(`left out: ${reason}`);
      if (one.options.planOnly) {
        (await import('./screens/plan.ts')).printPlan(one.prepared.plan, one.options);
        continue;
      }
      printLong(one);
      runs.push(await measured(one, all.length > 1));
      if (runs.at(-1)?.exitCode === exitCode.interrupted) break;
    }
    if (runs.length > 1) await reportTogether(runs, requests);
  });
  const code = worst(runs);
  return isExplained && code === exitCode.ok ? explainAll(runs, requests) : code;
}

/**
 * Explains all runs (`--why`), each within the default budget of `collbench explain`.
 * @returns the first exit code of an explanation that is not 0, otherwise 0
 */
async function explainAll(runs: readonly RunOutcome[], [first]: readonly CommandRun[]): Promise<ExitCode> {
  const { explainRun, usualBudgetS } = await import('./commands/explain.ts');
  let code: ExitCode = exitCode.ok;
  for (const { dir } of runs) {
    const json = first?.options.json === true || first?.options.jsonLive === true;
    const own = await explainRun({ run: dir, root: path.dirname(dir), budget: usualBudgetS, json });
    if (code === exitCode.ok) code = own;
  }
  return code;
}

/** Prints a note about a run that takes more than a minute, unless the notes of its plan already say how long it takes. */
function printLong({ options, prepared: { plan, notes } }: RunWithPlan): void {
  const note = longRunNote(plan, options.budget);
  if (note !== null && !notes.some((text) => text.includes(' takes about '))) printNote(note);
}

/**
 * Makes the plans of all requested runs, then calls `work` with them. So every refusal comes before the first measurement.
 * @param before runs whose plans are already made
 */
function planned<T>(
  [first, ...rest]: readonly CommandRun[],
  before: readonly RunWithPlan[],
  work: (all: readonly RunWithPlan[]) => Promise<T>,
): Promise<T> {
  if (first === undefined) return work(before);
  return withPrepared(first, (prepared, nodes) =>
    planned(rest, [...before, { ...first, prepared, nodes }], work),
  );
}

/**
 * Time from which the time budget of a single run counts, on the clock of performance.now(), in ms: 0, the start of this process; or
 * the end of the build that the command had to do first (bin/setup.mjs).
 */
export const commandBeganMs = (): number => performance.getEntriesByName('set up')[0]?.startTime ?? 0;

function measured({ options, prepared, nodes }: RunWithPlan, isOneOfSeveral: boolean): Promise<RunOutcome> {
  const { out, engine } = options;
  return measurePlan(prepared, nodes, {
    out: out !== null && isOneOfSeveral ? path.join(out, engine) : out,
    // Labels distinguish the runs in the report.
    marks: isOneOfSeveral ? { ...options, label: options.label ?? engine } : options,
    tools: runTools,
    ...(isOneOfSeveral ? {} : { beganMs: commandBeganMs() }),
    outputsFor: (plan, id) => outputsOf(plan, id, options),
  });
}

const order: readonly ExitCode[] = [exitCode.interrupted, exitCode.wrongData, exitCode.notRun];
const worst = (runs: readonly RunOutcome[]): ExitCode =>
  order.find((code) => runs.some((run) => run.exitCode === code)) ?? exitCode.ok;

async function reportTogether(runs: readonly RunOutcome[], [first]: readonly CommandRun[]): Promise<void> {
  const { reportOf } = await import('./report-of.ts');
  const { openRun } = await import('../results/store/read.ts');
  const { html } = await reportOf(
    await Promise.all(runs.map(({ dir }) => openRun(dir))),
    first?.options.out ?? 'collbench-report',
  );
  const isJson = first?.options.json === true || first?.options.jsonLive === true;
  (isJson ? process.stderr : process.stdout).write(`report of all engines: ${nearPath(html)}\n`);
}
