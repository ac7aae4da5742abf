/** Maximum number of points of a system load curve: about one for every two pixels of a wide chart. */
export const maxCurvePoints = 320;

export interface TimeCurvePoint {
  /** Seconds since the start of the curve, at the middle of the interval that the point covers. */
  s: number;
  value: number;
}

/**
 * A curve over the time of a run, made from any number of readings in limited memory. It keeps the mean of the readings in each of
 * many time intervals of equal length. If there are more than `maxCurvePoints` intervals, their length is doubled. An interval
 * without readings has no point.
 */
export class TimeCurve {
  private stretchNs: number;
  private sums: number[] = [];
  private weights: number[] = [];
  private readonly fromNs: number;

  /**
   * Creates an empty curve.
   * @param fromNs time at which the curve starts, on the clock of the readings
   * @param stretchNs initial length of an interval in ns, above 0
   */
  constructor(fromNs: number, stretchNs: number) {
    this.fromNs = fromNs;
    this.stretchNs = stretchNs;
  }

  /**
   * Adds a reading.
   * @param atNs time of the reading in ns; a reading before the start of the curve counts for the first interval
   */
  add(atNs: number, value: number): void {
    while (Math.floor((atNs - this.fromNs) / this.stretchNs) >= maxCurvePoints) this.double();
    const at = Math.max(0, Math.floor((atNs - this.fromNs) / this.stretchNs));
    this.sums[at] = (this.sums[at] ?? 0) + value;
    this.weights[at] = (this.weights[at] ?? 0) + 1;
  }

  points(): TimeCurvePoint[] {
    return Array.from(this.weights, (weight = 0, i) => ({
      s: ((i + 0.5) * this.stretchNs) / 1e9,
      value: (this.sums[i] ?? 0) / weight,
    })).filter(({ value }) => Number.isFinite(value));
  }

  get stretchS(): number {
    return this.stretchNs / 1e9;
  }

  private double(): void {
    const halve = (list: readonly number[]): number[] =>
      Array.from(
        { length: Math.ceil(list.length / 2) },
        (_, i) => (list[2 * i] ?? 0) + (list[2 * i + 1] ?? 0),
      );
    this.sums = halve(this.sums);
    this.weights = halve(this.weights);
    this.stretchNs *= 2;
  }
}
