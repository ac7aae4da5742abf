/** An axis of a chart that is printed in a terminal. `text` formats a value for a label. */
export interface PlotAxis {
  /** Title of the axis: "message size", "busbw". */
  title: string;
  isLog: boolean;
  /** Base of the powers at which a logarithmic axis has ticks; 10 if absent. */
  base?: 2 | 10;
  text(value: number): string;
}

export interface PlotScale {
  low: number;
  high: number;
  /** Returns the position of a value on the axis: 0 at its low end, 1 at its high end. */
  at(value: number): number;
}

/**
 * Returns the scale of an axis that contains all values; a logarithmic axis ignores values of 0 and below. If all values are equal,
 * the axis extends a little to both sides.
 * @param values at least one that the axis can show
 * @param pad free space at each end of the axis, as a share of the range of values
 */
export function scaleOf(values: readonly number[], { isLog }: PlotAxis, pad = 0): PlotScale {
  const forth = isLog ? Math.log : (value: number) => value;
  const back = isLog ? Math.exp : (value: number) => value;
  const own = values.filter((value) => Number.isFinite(value) && (!isLog || value > 0)).map(forth);
  let [low, high] = [Math.min(...own), Math.max(...own)];
  if (!(high > low)) [low, high] = [low - (Math.abs(low) * 0.02 || 1), high + (Math.abs(high) * 0.02 || 1)];
  const room = (high - low) * pad;
  [low, high] = [low - room, high + room];
  return { low: back(low), high: back(high), at: (value) => (forth(value) - low) / (high - low) };
}

/**
 * Returns round values for the labels of an axis. A logarithmic axis has powers of its base. If the base is ten and the axis
 * contains fewer than three powers, they are 1, 2 and 5 times each power, or evenly spaced if fewer than two of these are on the
 * axis.
 * @param most about the maximum number of values
 */
export function ticksOf({ low, high }: PlotScale, { isLog, base = 10 }: PlotAxis, most: number): number[] {
  if (!isLog) return linearTicks(low, high, most);
  const [first, last] = [
    Math.ceil(Math.log(low) / Math.log(base) - 1e-9),
    Math.floor(Math.log(high) / Math.log(base) + 1e-9),
  ];
  // An axis with fewer than three powers of ten gets labels at 1, 2 and 5 times each power.
  if (base === 10 && last - first < 2) {
    const fine = range(first - 1, last + 1).flatMap((power) => [1, 2, 5].map((n) => n * 10 ** power));
    const inside = fine.filter((value) => value >= low && value <= high);
    return inside.length >= 2 ? thinOut(inside, most) : linearTicks(low, high, most);
  }
  return thinOut(
    range(first, last).map((power) => base ** power),
    most,
  );
}

function linearTicks(low: number, high: number, most: number): number[] {
  const power = 10 ** Math.floor(Math.log10((high - low) / most));
  const step = ([1, 2, 5, 10].find((n) => (high - low) / (n * power) <= most) ?? 10) * power;
  return range(Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9)).map((n) => n * step);
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);

/** Returns the first value and from there every n-th one, with the smallest n that leaves at most `most` values. */
function thinOut(values: readonly number[], most: number): number[] {
  const step = Math.max(1, Math.ceil(values.length / most));
  return values.filter((_, i) => i % step === 0);
}
