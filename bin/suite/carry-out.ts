// The story of a suite: read it, see what can run, measure, judge, tell.
import { writeFile } from 'node:fs/promises';
import { gateMarkdown, gateText } from '../../reports/gate.ts';
import { writeSuitePage } from '../../reports/html/suite.ts';
import type { GateResult, SuiteEntry, SuiteRecord } from '../../results/schema/index.ts';
import { createSuite, newRunId } from '../../results/store/index.ts';
import { harmless } from '../../results/text.ts';
import { type ExitCode, exitCode } from '../../results/verdicts/exit-code.ts';
import { usualLaunches } from '../../suites/planning/sampling-plan.ts';
import type { SuitePlanEntry, WrittenOptions } from '../../suites/suite/index.ts';
import { layered, loadSuite, type Suite } from '../../suites/suite/index.ts';
import { CommandError } from '../exit.ts';
import { Gate, gateSource } from './gate.ts';
import { environmentOf, type Ready, readyOf } from './ready.ts';
import { exitCodeOfSuite, SuiteRunner, type Work } from './runner.ts';
import { footOf, JsonScreen, TextScreen } from './screen.ts';
import { reading } from './vocabulary.ts';
import { commandOf } from './words.ts';

export interface SuiteOptions {
  /** Options of the command line, for every entry. */
  given: WrittenOptions;
  /** Of the anchor, before what the suite says of it. */
  anchor: WrittenOptions;
  /** Where runs are kept. */
  root: string;
  out: string | null;
  isGate: boolean;
  isPlanOnly: boolean;
  json: boolean;
  /** File for the verdict. */
  markdown: string | null;
  baseline: string | null;
  baselines: string;
  /** As typed. */
  command: string[];
}

/** @throws CommandError a mistake in the suite, before anything is measured */
export async function carryOut(name: string, options: SuiteOptions): Promise<ExitCode> {
  const { suite, entries } = await loadSuite(name, reading, options.given);
  // Mistakes of the suite are told before any machine is asked.
  const anchored = (entry: SuitePlanEntry): Work['anchor'] =>
    options.isGate ? anchorOf(suite, entry, options.anchor) : null;
  for (const entry of entries) {
    commandOf(entry);
    anchored(entry);
  }
  const source = options.isGate
    ? await gateSource(suite.name, suite.anchor !== null || options.anchor.size > 0, options)
    : null;
  const works: Work[] = [];
  for (const entry of entries) {
    const ready = await readyOf(entry);
    works.push({ ready, anchor: anchored(ready.entry) });
  }
  const record = recordOf(suite, works, options);
  if (options.isPlanOnly) return printPlans(record, works);
  if (works.every(({ ready }) => ready.command === null)) throw nothingRuns(works);
  const writer = await createSuite(record, {
    root: options.root,
    ...(options.out === null ? {} : { out: options.out }),
  });
  const screen = options.json ? new JsonScreen() : new TextScreen(record, estimateS(works), suite.title);
  const runner = new SuiteRunner(record, writer, screen, options.root);
  try {
    await runner.measureAll(works);
    if (source !== null && !runner.isInterrupted) {
      record.gate = await new Gate(record, writer.dir, source, suite.detect).judge(works, runner);
    }
    // What was to be measured again and was not is no ground for a verdict.
    if (runner.isInterrupted) record.gate = null;
    const code = runner.isInterrupted
      ? exitCode.interrupted
      : ((record.gate?.exitCode ?? exitCodeOfSuite(record)) as ExitCode);
    record.endedAt = new Date().toISOString();
    record.exitCode = code;
    record.state = stateOf(code);
    await writer.update(record);
    const page = await writeSuitePage(record, writer.dir);
    if (options.json) process.stdout.write(`${JSON.stringify({ type: 'suite', ...record })}\n`);
    else process.stdout.write(footOf(record, page));
    if (record.gate !== null) await tellGate(record.gate, options);
    return code;
  } finally {
    runner.release();
  }
}

/** A verdict is an end like any other: what was asked was done. */
function stateOf(code: ExitCode): SuiteRecord['state'] {
  if (code === exitCode.interrupted) return 'interrupted';
  return code === exitCode.notRun || code === exitCode.wrongData ? 'failed' : 'complete';
}

async function tellGate(gate: GateResult, { json, markdown }: SuiteOptions): Promise<void> {
  if (!json) {
    const width = Math.min(process.stdout.columns || Number(process.env.COLUMNS) || 100, 100);
    process.stdout.write(`\n${harmless(gateText(gate, width))}`);
  }
  if (markdown === null) return;
  try {
    await writeFile(markdown, gateMarkdown(gate));
  } catch (error) {
    throw new CommandError(`--markdown ${markdown}: ${(error as Error).message}`);
  }
}

/** The entry with what the anchor has otherwise; null where there is none. */
function anchorOf({ anchor }: Suite, entry: SuitePlanEntry, given: WrittenOptions): Work['anchor'] {
  if (anchor === null && given.size === 0) return null;
  const { options = new Map(), environment = new Map() } = anchor ?? {};
  const command = commandOf(entry, layered([entry.options, options, given], reading));
  return { command, environment: { ...environmentOf(entry.environment), ...environmentOf(environment) } };
}

function recordOf(suite: Suite, works: readonly Work[], { command }: SuiteOptions): SuiteRecord {
  return {
    schemaVersion: 1,
    id: newRunId(),
    name: suite.name,
    title: suite.title,
    command,
    files: suite.files,
    startedAt: new Date().toISOString(),
    endedAt: null,
    state: 'running',
    exitCode: null,
    entries: works.map(({ ready }) => entryOf(ready)),
    gate: null,
  };
}

function entryOf({ entry, environment, command, plan, reason, leftOut }: Ready): SuiteEntry {
  return {
    name: entry.name,
    collective: entry.collective,
    words: command?.words ?? commandOf(entry).words,
    environment,
    optional: entry.isOptional,
    status: command === null ? 'cannot-run' : 'not-reached',
    reason,
    leftOut,
    cells: { expected: plan?.expected.cells ?? 0, measured: 0 },
    runs: [],
  };
}

function printPlans(record: SuiteRecord, works: readonly Work[]): ExitCode {
  const { name, title, files } = record;
  const entries = record.entries.map(({ cells: _, runs: __, status, ...entry }, i) => ({
    ...entry,
    canRun: status !== 'cannot-run',
    plan: works[i]?.ready.plan ?? null,
  }));
  process.stdout.write(`${JSON.stringify({ name, title, files, entries }, null, 2)}\n`);
  return exitCode.ok;
}

/** What a run costs beside its blocks: agents, ranks, reading and writing. */
const runOverheadS = 0.7;

/** With an anchor everything is measured twice, in a run per launch. */
function estimateS(works: readonly Work[]): number {
  return works.reduce((sum, { ready, anchor }) => {
    const { plan, command } = ready;
    if (plan === null || command === null) return sum;
    const runs = anchor === null ? 1 : 2 * (command.options.launches ?? usualLaunches);
    return sum + plan.estimateS * (anchor === null ? 1 : 2) + runOverheadS * runs;
  }, 0);
}

function nothingRuns(works: readonly Work[]): CommandError {
  const reasons = [...new Set(works.map(({ ready }) => ready.reason))].slice(0, 5);
  return new CommandError(
    'nothing of the suite can run here',
    [...reasons.map((reason) => `  ${reason}`), 'Next: collbench transports --explain'],
    exitCode.notRun,
  );
}
