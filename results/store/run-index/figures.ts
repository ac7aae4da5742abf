// Writes and parses the times in a line of the run index, as records of fixed width: "+09123456:00010100:0005 " and "gmqv28". A
// query over 10,000 runs with 48 times each needs three of the times of each run; the fixed width lets it skip the others without
// parsing.

/**
 * Mean time of one operation over the message sizes of one size range, for one series (such as transport, data type and collective)
 * in one run.
 */
export interface GroupLevel {
  /** Mean of ln(time in ns) over the sizes with a usable time and over launches (starts of all rank processes). */
  log: number;
  /**
   * Standard deviation of the log time between launches, after each launch's log times were averaged over the sizes; never below
   * what the scatter of the samples implies. 0 with fewer than two launches.
   */
  sd: number;
  /** Number of launches; 0 = not known, as for imported runs. */
  launches: number;
}

const width = 24;
/**
 * Factor by which logarithms are multiplied to be stored as integers: the resolution of one part in a million is finer than any
 * clock.
 */
const unit = 1e6;
/** Highest standard deviation of ln(time) that is stored, in millionths; a larger one is stored as this value. */
const maxSd = 99_999_999;

export function recordOf({ log, sd, launches }: GroupLevel): string {
  const ppm = Math.round(log * unit);
  const sign = ppm < 0 ? '-' : '+';
  return [
    sign + String(Math.abs(ppm)).padStart(8, '0'),
    String(Math.min(maxSd, Math.round(sd * unit))).padStart(8, '0'),
    `${String(Math.min(9999, launches)).padStart(4, '0')} `,
  ].join(':');
}

/**
 * Parses one mean time from `figures`, the text of fixed-width records in a line of the run index.
 * @param column index of the record
 * @returns null if the record is missing or cannot be parsed
 */
export function figureAt(figures: string, column: number): GroupLevel | null {
  const at = column * width;
  // The test also fails if the text is too short, because every record ends with a space.
  if (figures[at + width - 1] !== ' ') return null;
  const size = numberAt(figures, at + 1, 8);
  const sd = numberAt(figures, at + 10, 8);
  const launches = numberAt(figures, at + 19, 4);
  if (size < 0 || sd < 0 || launches < 0) return null;
  return { log: (figures[at] === '-' ? -size : size) / unit, sd: sd / unit, launches };
}

const zero = 48;

/**
 * Parses an unsigned number of `digits` digits at position `from`; -1 if there is any other character. This is ten times as fast as
 * cutting out the text.
 */
function numberAt(text: string, from: number, digits: number): number {
  let value = 0;
  for (let i = from; i < from + digits; i += 1) {
    const digit = text.charCodeAt(i) - zero;
    if (!(digit >= 0 && digit <= 9)) return -1;
    value = value * 10 + digit;
  }
  return value;
}

const pointWidth = 6;
/**
 * Number added to the logarithms (in millionths) before they are stored, so that all are positive: e^-1000 ns is shorter than any
 * time.
 */
const pointOffset = 1e9;
const noPoint = '-'.repeat(pointWidth);

/**
 * Returns the text for the time at one message size in the run index: six characters, "------" without a usable time.
 * @param log ln(time in ns); null if there is no usable time
 */
export const pointText = (log: number | null): string =>
  log === null
    ? noPoint
    : (Math.round(log * unit) + pointOffset).toString(36).padStart(pointWidth, '0').slice(-pointWidth);

/**
 * True if `count` successive message sizes all have a time in the fixed-width text `points`.
 * @param from index of the first size
 */
export function hasAllPoints(points: string, from: number, count: number): boolean {
  const gap = points.indexOf('-', from * pointWidth);
  const end = (from + count) * pointWidth;
  return points.length >= end && (gap < 0 || gap >= end);
}

/**
 * Returns ln(time in ns) of `count` message sizes in the fixed-width text `points`, from index `from` on; null for sizes without a
 * usable time.
 */
export const pointsAt = (points: string, from: number, count: number): (number | null)[] =>
  Array.from({ length: count }, (_, i) => {
    const text = points.slice((from + i) * pointWidth, (from + i + 1) * pointWidth);
    return /^[0-9a-z]{6}$/.test(text) ? (Number.parseInt(text, 36) - pointOffset) / unit : null;
  });
