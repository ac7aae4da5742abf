/** A visible point of a drawing: its element (`mark`), its bounding box in pixels, and the name of its series (null = none). */
export interface PlacedMark<Mark> {
  mark: Mark;
  series: string | null;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/**
 * Returns the drawn point whose box is nearest to the position x, y in pixels; null if none is nearer than `withinPx`. The distance
 * to a box that contains the position is 0.
 */
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

/** True for the name of a key (arrows, Home, End) that moves from one drawn point to another. */
export const isMoveKey = (key: string): boolean => /^(Arrow(Left|Right|Up|Down)|Home|End)$/.test(key);

/**
 * Returns the drawn point to which a key moves from the current one. Left, right, Home and End move within the series; up and down
 * move to the point of the previous or next series that is nearest in x. Left and right stop at the ends of a series; after the
 * last series comes the first. If the current point is null or hidden, returns the first point; null if no point is visible.
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
