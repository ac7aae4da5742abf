import { type TrafficPattern, trafficPatternName } from '../../results/schema/index.ts';
import { sizeFlag } from '../../results/units.ts';

/** Whole elements of every data type for up to 256 ranks. */
const stepBytes = 1024;

/** Returns the words of an alltoall in which each rank sends about so many bytes, its own part included. */
export const alltoallWords = (bytes: number): string[] => [
  ...['alltoall', '--sizes', sizeFlag(Math.max(1, Math.round(bytes / stepBytes)) * stepBytes)],
];

/**
 * Returns the name of a pattern, with this seed if it draws something and the word that stands for it has no seed of its own.
 * @param word the pattern as typed
 * @param seed null = no seed was given
 */
export function nameWithSeed(pattern: TrafficPattern, word: string, seed: number | null): string {
  const hasOwn = word.split(':').length > 2;
  return trafficPatternName('seed' in pattern && !hasOwn && seed !== null ? { ...pattern, seed } : pattern);
}
