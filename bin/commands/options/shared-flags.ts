// Options of the collectives that another command takes, with their meaning there.
import type { LineFlag } from '../../line/flag.ts';
import type { ParsedValues } from '../../line/read.ts';
import { tableFlag } from '../../line/table-flag.ts';
import { defaults, flags, type MeasuringCommandOptions, type OptionKey } from '../../options/index.ts';

export interface SharedFlags<K extends OptionKey> {
  flags: readonly LineFlag[];
  /** Those that were said. */
  read(found: ParsedValues): Partial<Pick<MeasuringCommandOptions, K>>;
  /** All of a measurement: what was not said, or is not taken here, has its default. */
  all(found: ParsedValues): MeasuringCommandOptions;
}

/** @param shown defaults and meanings that differ here */
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
