import { type TrafficPattern, trafficPatternName } from '../../results/schema/index.ts';

/**
 * Returns the name of a pattern, with this seed if it draws something and the word that stands for it has no seed of its own.
 * @param word the pattern as typed
 * @param seed null = no seed was given
 */
export function nameWithSeed(pattern: TrafficPattern, word: string, seed: number | null): string {
  const hasOwn = word.split(':').length > 2;
  return trafficPatternName('seed' in pattern && !hasOwn && seed !== null ? { ...pattern, seed } : pattern);
}
