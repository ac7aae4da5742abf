// Options of `collbench suite`: options of the option table that change every entry, and its own.
import type { OptionKey } from './flag.ts';
import { hostKeys } from './host-keys.ts';

/** Options that the command line sets for all entries; they replace values in the suite. */
export const suiteKeys = [
  'launches',
  'transport',
  'interface',
  ...hostKeys,
  'timeout',
  'seed',
  'sampleInterval',
  'waitQuiet',
] as const satisfies readonly OptionKey[];
