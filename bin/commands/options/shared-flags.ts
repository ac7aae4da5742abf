// Options of measuring commands that another command uses with the same meaning.
import type { LineFlag } from '../../line/flag.ts';
import type { ParsedValues } from '../../line/read.ts';
import { tableFlag } from '../../line/table-flag.ts';
import { defaults, flags, type MeasuringCommandOptions, type OptionKey } from '../../options/index.ts';

export interface SharedFlags<K extends OptionKey> {
  flags: readonly LineFlag[];
  /** Values of the options that were given. */
  read(found: ParsedValues): Partial<Pick<MeasuringCommandOptions, K>>;
  /** All options of a measurement: given values, and defaults for all others. */
  all(found: ParsedValues): MeasuringCommandOptions;
}

/**
 * @param keys options that the command uses
 * @param shown help texts and defaults that differ from the option table
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
