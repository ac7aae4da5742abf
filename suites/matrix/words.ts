import { type TrafficPattern, trafficPatternName } from '../../results/schema/index.ts';
import { sizeFlag } from '../../results/units.ts';

/**
 * Number of bytes of whose multiples an alltoall is measured: whole float32 elements for each rank if the ranks are a power of two
 * up to 256.
 */
const stepBytes = 1024;

/**
 * Returns the arguments of `collbench` for an alltoall in which each rank sends about this many bytes in total, to all ranks and
 * itself, rounded to a multiple of 1 KiB (at least 1 KiB).
 */
export const alltoallWords = (bytes: number): string[] => [
  ...['alltoall', '--sizes', sizeFlag(Math.max(1, Math.round(bytes / stepBytes)) * stepBytes)],
];

/**
 * Returns the name of a traffic pattern. The seed becomes part of the name if the pattern draws random numbers and the typed word
 * contains no seed (a third part after a colon).
 * @param word the pattern as typed
 * @param seed seed of the command line; null = the user gave none
 */
export function nameWithSeed(pattern: TrafficPattern, word: string, seed: number | null): string {
  const hasOwn = word.split(':').length > 2;
  return trafficPatternName('seed' in pattern && !hasOwn && seed !== null ? { ...pattern, seed } : pattern);
}
