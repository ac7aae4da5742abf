/** Writes run folders of many nights with given times, for tests. */
import { join } from 'node:path';
import type { RunRecord } from '../schema/index.ts';
import { createRun } from '../store/write.ts';
import { type SyntheticRun, syntheticRecord } from './run.ts';

/** Start of a night: 3:00 UTC, this number of days after 2026-03-01. */
export const nightAt = (night: number): string => new Date(Date.UTC(2026, 2, 1 + night, 3)).toISOString();

export const idOf = (night: number, turn = 0): string => (0xa00000 + 16 * night + turn).toString(16);

export interface SyntheticNight extends SyntheticRun {
  night: number;
  turn?: number;
}

/**
 * Writes one run, by default of three sizes and two launches, into its own folder below `root`. It starts `turn` minutes after
 * the start of its night.
 * @returns the folder
 */
export async function writeNight(root: string, made: SyntheticNight): Promise<string> {
  const { night, turn = 0, record = {}, ...rest } = made;
  const at = new Date(Date.parse(nightAt(night)) + turn * 60_000).toISOString();
  const ended: Partial<RunRecord> = { startedAt: at, endedAt: at, state: 'complete', exitCode: 0 };
  const { record: whole, cells } = syntheticRecord({
    id: idOf(night, turn),
    seed: 100 * night + turn + 1,
    launches: 2,
    sizes: [8, 1024, 65536],
    ...rest,
    record: { ...ended, ...record },
  });
  const writer = await createRun({ root, record: whole });
  await writer.replaceCells(cells);
  await writer.close();
  return join(writer.dir);
}
