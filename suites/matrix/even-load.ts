import { sizeFlag } from '../../results/units.ts';

/** Whole elements of every data type for up to 256 ranks. */
const stepBytes = 1024;

/** Returns the words of an alltoall in which each rank sends about so many bytes, its own part included. */
export const alltoallWords = (bytes: number): string[] => [
  ...['alltoall', '--sizes', sizeFlag(Math.max(1, Math.round(bytes / stepBytes)) * stepBytes)],
];
