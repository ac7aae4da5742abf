/**
 * Returns the lowest number of insertions, deletions, replacements, and swaps of neighbouring letters that change one word into the
 * other (optimal string alignment).
 */
export function editDistance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i, ...new Array<number>(b.length).fill(0)]);
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0;
  for (let j = 0; j <= b.length; j++) (rows[0] as number[])[j] = j;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, at(i - 2, j - 2) + 1);
      (rows[i] as number[])[j] = best;
    }
  }
  return at(a.length, b.length);
}

/**
 * Returns the known word that is most similar to `word`. Null if two are equally similar, or if none is similar enough: at most two
 * edits, or a third of the word's length if that is more, and never more edits than half of the known word's letters.
 */
export function nearestWord(word: string, words: readonly string[]): string | null {
  const [best, second] = [...new Set(words)]
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .sort((a, b) => a.distance - b.distance);
  if (best === undefined || best.distance === second?.distance) return null;
  const most = Math.min(Math.max(2, Math.floor(word.length / 3)), best.candidate.length / 2);
  return best.distance <= most ? best.candidate : null;
}
