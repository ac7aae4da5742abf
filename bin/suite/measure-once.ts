import type { CellRecord, SuiteMembership } from '../../results/schema/index.ts';
import { createRun } from '../../results/store/index.ts';
import type { ExitCode } from '../../results/verdicts/exit-code.ts';
import { Measuring } from '../measuring.ts';
import { newRecord, setEnvironment } from '../new-record.ts';
import { nodesOf } from '../nodes.ts';
import type { Output } from '../output.ts';
import { prepare } from '../prepare.ts';
import type { SuiteCommand } from './words.ts';

export interface MeasuredOnce {
  id: string;
  dir: string;
  exitCode: ExitCode;
  cells: readonly CellRecord[];
  expected: number;
}

/** What is heard of a run while it goes on. */
export interface Listener {
  /** Share of the run that is done, 0 to 1. */
  progress(share: number): void;
  note(text: string): void;
}

/**
 * One run of a suite: prepared, measured and stored as on the command line.
 * @param report whether report.html is made for it
 * @throws CommandError, FailureError before anything was measured
 */
export async function measureOnce(
  { collective, options, words }: SuiteCommand,
  environment: Record<string, string>,
  suite: SuiteMembership,
  { root, listener, report }: { root: string; listener: Listener; report: boolean },
): Promise<MeasuredOnce> {
  const nodes = await nodesOf(options);
  try {
    const { plan, inventories, versions } = await prepare(collective, options, words, nodes);
    const record = newRecord(plan, inventories, versions);
    setEnvironment(record, environment);
    record.suite = suite;
    const writer = await createRun({ record, root });
    let cells: readonly CellRecord[] = [];
    const output: Output = {
      begin: () => undefined,
      cell: () => undefined,
      note: (text) => listener.note(text),
      progress: (_, share) => listener.progress(share),
      end: (all) => {
        cells = all;
      },
    };
    const how = {
      inProcess: options.inProcess,
      json: false,
      jsonFile: null,
      nodes,
      environment,
      output,
      report,
    };
    const exitCode = await new Measuring(plan, how, record, writer).carryOut();
    return { id: record.id, dir: writer.dir, exitCode, cells, expected: plan.expected.cells };
  } finally {
    await nodes.close();
  }
}
