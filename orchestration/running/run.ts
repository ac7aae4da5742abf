// One run from its options to its exit code: what a measuring command does, and every entry of a suite.
import type { CellRecord, RunPlan, RunRecord, SuiteMembership } from '../../results/schema/index.ts';
import { createRun } from '../../results/store/index.ts';
import type { ExitCode } from '../../results/verdicts/exit-code.ts';
import type { MeasureOptions } from '../engines/index.ts';
import { type HostPool, nodesOf } from '../preparing/host-pool.ts';
import { type PreparedPlan, prepare } from '../preparing/prepare.ts';
import { RunExecution, type RunExecutionOptions } from './execution.ts';
import { newRecord, type RunMarks, setEnvironment, setMarks } from './new-record.ts';
import type { RunOutput } from './output.ts';

/**
 * Plans a run on its machines and hands both over; connections end with the work.
 * @param environment what the run sets for its ranks
 */
export async function withPrepared<T>(
  command: string,
  options: MeasureOptions,
  words: readonly string[],
  work: (prepared: PreparedPlan, nodes: HostPool) => Promise<T>,
  environment: Record<string, string> = {},
): Promise<T> {
  const nodes = await nodesOf(options);
  try {
    return await work(await prepare(command, options, words, nodes, environment), nodes);
  } finally {
    await nodes.close();
  }
}

export interface RunOptions
  extends Pick<RunExecutionOptions, 'tools' | 'environment' | 'report' | 'beganMs'> {
  /** Folder of this run, or the folder that takes it; neither = collbench-runs. */
  out?: string | null;
  root?: string;
  suite?: SuiteMembership;
  /** What its user calls it. */
  marks?: RunMarks;
  outputsFor(plan: RunPlan, id: string): { outputs: readonly RunOutput[]; close?: () => void };
}

export interface RunOutcome {
  id: string;
  dir: string;
  exitCode: ExitCode;
  cells: readonly CellRecord[];
  expected: number;
}

/** Measures a plan and stores it as a run. */
export async function measurePlan(
  { plan, inventories, versions }: PreparedPlan,
  nodes: HostPool,
  { out = null, root, suite, marks, outputsFor, ...options }: RunOptions,
): Promise<RunOutcome> {
  const record: RunRecord = newRecord(plan, inventories, versions);
  setEnvironment(record, options.environment ?? {});
  if (suite !== undefined) record.suite = suite;
  if (marks !== undefined) setMarks(record, marks);
  const writer = await createRun({
    record,
    ...(out === null ? {} : { out }),
    ...(root === undefined ? {} : { root }),
  });
  const { outputs, close } = outputsFor(plan, record.id);
  try {
    const measuring = new RunExecution({ ...options, nodes, outputs }, record, writer);
    const exitCode = await measuring.carryOut();
    const { cells } = measuring;
    return { id: record.id, dir: writer.dir, exitCode, cells, expected: plan.expected.cells };
  } finally {
    close?.();
  }
}
