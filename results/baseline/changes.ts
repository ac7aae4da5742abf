import type { GateResult, SettingChange } from '../schema/index.ts';
import type { EntryComparison } from './decide.ts';

/**
 * Returns the settings that differ between tonight's runs and the reference: versions, variables, machines, plans. A difference
 * of several entries is listed once, with the names of all of them.
 */
export function changesSinceReference(
  compared: readonly Pick<EntryComparison, 'entry' | 'pair'>[],
): NonNullable<GateResult['changed']> {
  const found = new Map<string, SettingChange & { entries: string[] }>();
  for (const { entry, pair } of compared) {
    for (const { about, name, base, other } of pair.settings) {
      const key = JSON.stringify([about, name, base, other]);
      const row = found.get(key) ?? { about, name, base, other, entries: [] };
      row.entries.push(entry);
      found.set(key, row);
    }
  }
  return [...found.values()];
}
