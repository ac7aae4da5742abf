import { hostKeys } from '../options/host-keys.ts';
import type { OptionKey } from '../options/index.ts';

/** Options of a collective that say something to the doctor, too, with their meaning there. */
export const doctorKeys = [
  'transport',
  'interface',
  'sisciLibrary',
  'nccl',
  ...hostKeys,
] as const satisfies readonly OptionKey[];
