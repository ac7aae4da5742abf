// Options of `collbench suite`: options of the option table that change every entry, and its own.
import type { OptionKey } from './flag.ts';
import { hostKeys } from './host-keys.ts';

/** Options that may be set on the command line of `suite` for all entries; they replace values in the suite file. */
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
