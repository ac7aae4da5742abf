interface SizeTime {
  bytes: number;
  timeNs: number;
}

/**
 * Size at which the measured bandwidth first reaches half of the saturation bandwidth: n1/2 of Hockney. It is computed from
 * the times, because alpha/beta of a line is misleading with several lines. Between neighbouring sizes time is assumed
 * linear in bytes, as for crossovers: interpolation of both logarithms gives 3 % too much with sizes an octave apart.
 * @param points in order of size
 * @param nsPerByte of the last segment: the inverse of the algorithm bandwidth at saturation, positive
 * @returns null if the smallest size already exceeds half the bandwidth, or if no size reaches it
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
