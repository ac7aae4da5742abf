// Options of measuring commands that another command uses with the same meaning.
import type { LineFlag } from '../../line/flag.ts';
import type { ParsedValues } from '../../line/read.ts';
import { tableFlag } from '../../line/table-flag.ts';
import { defaults, flags, type MeasuringCommandOptions, type OptionKey } from '../../options/index.ts';

export interface SharedFlags<K extends OptionKey> {
  flags: readonly LineFlag[];
  /** Values of those options of this table that the user gave; other options are absent. */
  read(found: ParsedValues): Partial<Pick<MeasuringCommandOptions, K>>;
  /** Values of all options of a measurement: given values, and default values for all others. */
  all(found: ParsedValues): MeasuringCommandOptions;
}

/**
 * Selects options of measuring commands that another command has too.
 * @param keys options that the command uses
 * @param shown help texts and defaults that differ from those of measuring commands
 */
export function sharedFlags<K extends OptionKey>(
  keys: readonly K[],
  shown: Partial<Record<OptionKey, Partial<Pick<LineFlag, 'help' | 'shown'>>>> = {},
): SharedFlags<K> {
  const read = (found: ParsedValues) => {
    const values = keys.map((key) => [key, found[flags[key].name]] as const);
    return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as Partial<
      Pick<MeasuringCommandOptions, K>
    >;
  };
  return {
    flags: keys.map((key) => ({ ...tableFlag(key), ...shown[key] })),
    read,
    all: (found) => ({ ...defaults(), ...read(found) }),
  };
}
