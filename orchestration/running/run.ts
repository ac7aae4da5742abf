// One run, from its options to its exit code. Measuring commands and entries of a suite use it.
import type {
  CellRecord,
  Failure,
  LaunchRecord,
  RunPlan,
  RunRecord,
  SuiteMembership,
} from '../../results/schema/index.ts';
import { createRun } from '../../results/store/write.ts';
import type { ExitCode } from '../../results/verdicts/exit-code.ts';
import { type HostPool, nodesOf } from '../preparing/host-pool.ts';
import { type PreparedPlan, prepare, type RequestedRun } from '../preparing/prepare.ts';
import { RunExecution, type RunExecutionOptions } from './execution.ts';
import { newRecord, type RunMarks, setEnvironment, setMarks } from './new-record.ts';
import type { RunOutput } from './output.ts';

/**
 * Plans a run on its hosts, calls `work` with the plan and the hosts, and returns its result. Connections to the hosts are closed
 * afterwards, also if `work` rejects.
 * @param environment environment variables that the run sets for its ranks
 * @throws Refusal if the run cannot be planned, FailureError if a host cannot be probed; `work` is not called then
 */
export async function withPrepared<T>(
  requested: RequestedRun,
  work: (prepared: PreparedPlan, nodes: HostPool) => Promise<T>,
  environment: Record<string, string> = {},
): Promise<T> {
  const nodes = await nodesOf(requested.options);
  try {
    return await work(await prepare(requested, nodes, environment), nodes);
  } finally {
    await nodes.close();
  }
}

export interface RunOptions
  extends Pick<RunExecutionOptions, 'tools' | 'environment' | 'report' | 'beganMs' | 'turns'> {
  /**
   * `out`: path of the new run's folder; a folder that exists must be empty. `root`: folder in which a folder with a generated name
   * is created if `out` is not given. If neither is given, it is created in collbench-runs.
   */
  out?: string | null;
  root?: string;
  suite?: SuiteMembership;
  /** Label, tags and note that the user gives the run; absent = none. */
  marks?: RunMarks;
  outputsFor(plan: RunPlan, id: string): { outputs: readonly RunOutput[]; close?: () => void };
}

export interface RunOutcome {
  id: string;
  dir: string;
  exitCode: ExitCode;
  cells: readonly CellRecord[];
  expected: number;
  failures: readonly Failure[];
  launches: readonly LaunchRecord[];
}

/**
 * Measures everything in a plan, and stores results, logs and report in the folder of a new run. Failures and an interrupt are in
 * the outcome, not thrown.
 * @param nodes hosts of the plan; the caller closes them
 * @throws StoreError if the folder cannot be created
 */
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
    const { id, failures, launches } = record;
    return { ...{ id, dir: writer.dir, exitCode, cells, expected: plan.expected.cells }, failures, launches };
  } finally {
    close?.();
  }
}
