// Options of the collectives that another command takes, with their meaning there.
import type { LineFlag } from '../../line/flag.ts';
import type { Found } from '../../line/read.ts';
import { tableFlag } from '../../line/table-flag.ts';
import { defaults, flags, type OptionKey, type Options } from '../../options/index.ts';

export interface Borrowed<K extends OptionKey> {
  flags: readonly LineFlag[];
  /** Those that were said. */
  read(found: Found): Partial<Pick<Options, K>>;
  /** All of a measurement: what was not said, or is not taken here, has its default. */
  all(found: Found): Options;
}

/** @param shown defaults and meanings that differ here */
export function borrowed<K extends OptionKey>(
  keys: readonly K[],
  shown: Partial<Record<OptionKey, Partial<Pick<LineFlag, 'help' | 'shown'>>>> = {},
): Borrowed<K> {
  const read = (found: Found) => {
    const values = keys.map((key) => [key, found[flags[key].name]] as const);
    return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as Partial<Pick<Options, K>>;
  };
  return {
    flags: keys.map((key) => ({ ...tableFlag(key), ...shown[key] })),
    read,
    all: (found) => ({ ...defaults(), ...read(found) }),
  };
}
