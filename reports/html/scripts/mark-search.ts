/** A visible mark of a drawing, its box in px, and the series of its point. */
export interface PlacedMark<Mark> {
  mark: Mark;
  series: string | null;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Returns the mark that is nearest to a position; null if none is nearer than `withinPx`. */
export function nearestMark<Mark>(
  places: readonly PlacedMark<Mark>[],
  x: number,
  y: number,
  withinPx: number,
): Mark | null {
  let nearest: Mark | null = null;
  let lowest = withinPx;
  for (const { mark, left, right, top, bottom } of places) {
    const distance = Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom));
    if (distance >= lowest) continue;
    lowest = distance;
    nearest = mark;
  }
  return nearest;
}

/** True for a key that moves from mark to mark. */
export const isMoveKey = (key: string): boolean => /^(Arrow(Left|Right|Up|Down)|Home|End)$/.test(key);

/**
 * Returns the mark to which a key moves: left and right, Home and End within the series, up and down to the mark of the next
 * series that is nearest in x. Without a visible current mark it is the first mark; null if no mark is visible.
 */
export function markAfterKey<Mark>(
  places: readonly PlacedMark<Mark>[],
  current: Mark | null,
  key: string,
): Mark | null {
  const place = places.find(({ mark }) => mark === current);
  if (place === undefined) return places[0]?.mark ?? null;
  const marksOf = (series: string | null): PlacedMark<Mark>[] =>
    places.filter((one) => one.series === series);
  const line = marksOf(place.series);
  const at = line.indexOf(place);
  if (key === 'Home' || key === 'End') return line.at(key === 'Home' ? 0 : -1)?.mark ?? null;
  if (key === 'ArrowRight') return (line[at + 1] ?? place).mark;
  if (key === 'ArrowLeft') return (line[at - 1] ?? place).mark;
  const names = [...new Set(places.map(({ series }) => series))];
  const step = key === 'ArrowDown' ? 1 : -1;
  const other = names.at((names.indexOf(place.series) + step) % names.length) ?? null;
  const distanceTo = (one: PlacedMark<Mark>): number => Math.abs(one.left - place.left);
  return marksOf(other).reduce((best, one) => (distanceTo(one) < distanceTo(best) ? one : best)).mark;
}
