// Figures of a line of the index, each a record of fixed width: "+09123456:00010100:0005 ". Of 10,000 runs with 48 figures each
// a question is about three; the others cost nothing but their bytes.

/** All sizes of a group, of one run. */
export interface GroupLevel {
  /** Mean over sizes and launches of log time, ns. */
  log: number;
  /** Standard deviation between launches of the mean over sizes of log time; 0 with fewer than two. */
  sd: number;
  /** 0 = not told. */
  launches: number;
}

const width = 24;
/** Logs are kept to one part in a million: no clock is better. */
const unit = 1e6;
/** A factor of e^99 between launches is beyond any measurement. */
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

/** The record of a column; null where there is none that can be read. */
export function figureAt(figures: string, column: number): GroupLevel | null {
  const at = column * width;
  // Also where the text is too short: no record ends without a blank.
  if (figures[at + width - 1] !== ' ') return null;
  const size = numberAt(figures, at + 1, 8);
  const sd = numberAt(figures, at + 10, 8);
  const launches = numberAt(figures, at + 19, 4);
  if (size < 0 || sd < 0 || launches < 0) return null;
  return { log: (figures[at] === '-' ? -size : size) / unit, sd: sd / unit, launches };
}

const zero = 48;

/** A whole number of so many digits; -1 where there is something else. Ten times as fast as cutting it out. */
function numberAt(text: string, from: number, digits: number): number {
  let value = 0;
  for (let i = from; i < from + digits; i += 1) {
    const digit = text.charCodeAt(i) - zero;
    if (!(digit >= 0 && digit <= 9)) return -1;
    value = value * 10 + digit;
  }
  return value;
}
