// Figures of a line of the index, each a record of fixed width: "+09123456:010100:0005 ". Of 10,000 runs with 48 figures each
// a question is about three; the others cost nothing but their bytes.

/** All sizes of a group, of one run. */
export interface Figure {
  /** Mean over sizes and launches of log time, ns. */
  log: number;
  /** Standard deviation between launches of the mean over sizes of log time; 0 with fewer than two. */
  sd: number;
  /** 0 = not told. */
  launches: number;
}

const width = 22;
/** Logs are kept to one part in a million: no clock is better. */
const unit = 1e6;
const mostSd = 999_999;

export function recordOf({ log, sd, launches }: Figure): string {
  const ppm = Math.round(log * unit);
  const sign = ppm < 0 ? '-' : '+';
  return [
    sign + String(Math.abs(ppm)).padStart(8, '0'),
    String(Math.min(mostSd, Math.round(sd * unit))).padStart(6, '0'),
    `${String(Math.min(9999, launches)).padStart(4, '0')} `,
  ].join(':');
}

/** The record of a column; null where there is none that can be read. */
export function figureAt(figures: string, column: number): Figure | null {
  const at = column * width;
  const log = Number(figures.slice(at, at + 9)) / unit;
  const sd = Number(figures.slice(at + 10, at + 16)) / unit;
  const launches = Number(figures.slice(at + 17, at + 21));
  // Also where the text is too short: "" is 0, and no record ends without a blank.
  if (figures[at + 21] !== ' ' || Number.isNaN(log + sd + launches)) return null;
  return { log, sd, launches };
}
