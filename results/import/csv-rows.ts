/** A table of comma separated values, as programs write them: quotes around texts, none within. */
export interface CsvRows {
  head: string[];
  rows: string[][];
  /** The last line ends in a line feed. */
  isWhole: boolean;
}

/** @param notices gets a sentence where a last line was cut and left out */
export function csvRows(text: string, notices: string[]): CsvRows {
  const isWhole = /\n\s*$/.test(text.slice(-8));
  const lines = text
    .trim()
    .split('\n')
    .map((line) => line.trim());
  if (!isWhole && lines.length > 1) {
    lines.pop();
    notices.push('the last line is cut off and was skipped');
  }
  const [head, ...rows] = lines
    .filter((line) => line !== '')
    .map((line) => line.split(',').map((value) => value.trim().replace(/^"(.*)"$/, '$1')));
  return { head: head ?? [], rows, isWhole };
}
