/** A stretch of calls that repeats: `count` periods of `length` calls from `from` on. */
export interface CallPeriod {
  from: number;
  length: number;
  count: number;
}

/** Calls at the end of a job that are looked at, and the longest step among them. */
const mostCalls = 20_000;
const longestStep = 2000;
/** Of all calls that are looked at. */
const leastShare = 0.6;

/**
 * The shortest sequence that repeats three times or more over most of the calls; null where none does. A single call that
 * repeats is a step only where nothing else happens.
 */
export function periodOf(keys: readonly string[]): CallPeriod | null {
  const skipped = Math.max(0, keys.length - mostCalls);
  const words = new Map<string, number>();
  const seen = keys.slice(skipped).map((key) => {
    const known = words.get(key) ?? words.size;
    words.set(key, known);
    return known;
  });
  for (let length = 1; length <= Math.min(longestStep, Math.floor(seen.length / 3)); length += 1) {
    const { from, matches } = longestRun(seen, length);
    const covered = matches + length;
    if (covered >= 3 * length && covered >= leastShare * seen.length)
      return { from: skipped + from, length, count: Math.floor(covered / length) };
  }
  return null;
}

/** Where `length` calls later the same follows, for how long. */
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
