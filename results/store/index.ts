import type { RunRecord } from '../schema/index.ts';
import type { LoadedRun, RunEntry, RunWriter } from './types.ts';

export type { LoadedRun, RunEntry, RunWriter } from './types.ts';

export const defaultRoot = 'collbench-runs';

export async function createRun(_options: {
  root?: string;
  out?: string;
  record: RunRecord;
}): Promise<RunWriter> {
  throw new Error('createRun: being written');
}
export async function openRun(_pathOrId: string, _root: string = defaultRoot): Promise<LoadedRun> {
  throw new Error('openRun: being written');
}
export async function listRuns(_root: string = defaultRoot): Promise<RunEntry[]> {
  throw new Error('listRuns: being written');
}
