import { join } from 'node:path';
import { pairCells } from '../compare/pairing.ts';
import { changedSettings } from '../compare/settings.ts';
import { isOk, type SettingChange } from '../schema/index.ts';
import { openRun } from '../store/read.ts';
import type { HistoryNight } from './nights.ts';

/**
 * Returns the settings that differ between two nights with a change between them: versions, environment, machine, plan, algorithms
 * that the engine chose. The last run before the change is compared with the first one after it. Empty if a night has no runs.
 * @param root folder of the runs
 * @throws StoreError if a run was removed or cannot be read
 */
export async function changesBetweenNights(
  root: string,
  before: HistoryNight,
  after: HistoryNight,
): Promise<SettingChange[]> {
  const [last, first] = [before.runs.at(-1), after.runs[0]];
  if (last === undefined || first === undefined) return [];
  const [base, other] = await Promise.all([
    openRun(join(root, last.folder)),
    openRun(join(root, first.folder)),
  ]);
  const pairs = pairCells(base.cells, other.cells).pairs.flatMap(({ base: a, other: b }) =>
    isOk(a) && isOk(b) ? [{ base: a, other: b }] : [],
  );
  return changedSettings(base.record, other.record, pairs);
}
