/**
 * A part of a list of calls that repeats: `length` calls, `count` times in a row. `from` is the index of the first call in the
 * list.
 */
export interface CallPeriod {
  from: number;
  length: number;
  count: number;
}

/**
 * Number of calls at the end of a recording among which repetitions are searched; earlier calls are ignored. `longestStep`: highest
 * number of calls in a step.
 */
const maxCalls = 20_000;
const longestStep = 2000;
/** Lowest share of the searched calls, 0 to 1, that the repetitions of a step must make up. */
const minShare = 0.6;

/**
 * Returns the shortest sequence of calls that repeats; null if there is none. It must occur at least three times in a row, and all
 * its repetitions must make up at least the share `minShare` of the searched calls. A single repeated call counts as a sequence.
 * Only the last `maxCalls` calls are searched, and sequences of at most `longestStep`.
 * @param keys one text per call; calls with equal text count as equal
 */
export function periodOf(keys: readonly string[]): CallPeriod | null {
  const skipped = Math.max(0, keys.length - maxCalls);
  const words = new Map<string, number>();
  const seen = keys.slice(skipped).map((key) => {
    const known = words.get(key) ?? words.size;
    words.set(key, known);
    return known;
  });
  for (let length = 1; length <= Math.min(longestStep, Math.floor(seen.length / 3)); length += 1) {
    const { from, matches } = longestRun(seen, length);
    const covered = matches + length;
    if (covered >= 3 * length && covered >= minShare * seen.length)
      return { from: skipped + from, length, count: Math.floor(covered / length) };
  }
  return null;
}

/**
 * Finds the longest part of the list in which each call equals the call `length` positions after it. Returns the index of its first
 * call (`from`) and its number of calls (`matches`), 0 if no call does.
 * @param seen one number per call; equal calls have equal numbers
 */
function longestRun(seen: readonly number[], length: number): { from: number; matches: number } {
  let best = { from: 0, matches: 0 };
  let from = 0;
  for (let at = length; at <= seen.length; at += 1) {
    if (at < seen.length && seen[at] === seen[at - length]) continue;
    if (at - length - from > best.matches) best = { from, matches: at - length - from };
    from = at - length + 1;
  }
  return best;
}
