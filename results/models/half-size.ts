interface SizeTime {
  bytes: number;
  timeNs: number;
}

/**
 * Size at which the measured bandwidth first reaches half of that at saturation: n1/2 of Hockney, read from the times
 * themselves, because alpha/beta of a line misleads where there are several lines. Between neighbouring sizes time is taken
 * as linear in bytes, as for crossovers: interpolated in both logarithms it comes out 3 % too large with sizes an octave
 * apart.
 * @param points in order of size
 * @param nsPerByte of the last segment: the inverse of the algorithm bandwidth at saturation, positive
 * @returns null where the smallest size is above it already, or none reaches it
 */
export function halfSize(points: readonly SizeTime[], nsPerByte: number): number | null {
  // At half the bandwidth each byte takes twice as long.
  const excess = ({ bytes, timeNs }: SizeTime) => timeNs - 2 * nsPerByte * bytes;
  const at = points.findIndex((point) => excess(point) <= 0);
  const [before, after] = [points[at - 1], points[at]];
  if (before === undefined || after === undefined) return null;
  const share = excess(before) / (excess(before) - excess(after));
  return before.bytes + share * (after.bytes - before.bytes);
}
