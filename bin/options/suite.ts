// Options of `collbench suite`: those of the table that change every entry, and its own.
import type { OptionKey } from './flag.ts';
import { hostKeys } from './host-keys.ts';

/** Said on the command line they go before what the suite says. */
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
