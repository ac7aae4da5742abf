import { CsvError, parse } from 'csv-parse/sync';
import { ImportError } from './imported-output.ts';

/**
 * A table of comma-separated values that another program wrote. `head`: fields of the first line; `rows`: fields of the other
 * lines, whose numbers may differ.
 */
export interface CsvRows {
  head: string[];
  rows: string[][];
  /** True if the last line ends with a line feed, so that it was not cut off. */
  isWhole: boolean;
}

/**
 * Parses CSV text.
 * @param notices receives a sentence if the last line was cut off and therefore left out
 * @throws ImportError if the text is no valid CSV, for example if a quoted field has no end
 */
export function csvRows(text: string, notices: string[]): CsvRows {
  const isWhole = /\n\s*$/.test(text.slice(-8));
  const end = text.trimEnd().lastIndexOf('\n');
  const isCut = !isWhole && end > 0;
  if (isCut) notices.push('the last line is cut off and was skipped');
  const options = { trim: true, relax_column_count: true, relax_quotes: true, skip_empty_lines: true };
  try {
    const [head = [], ...rows] = parse(isCut ? text.slice(0, end) : text, options);
    return { head, rows, isWhole };
  } catch (error) {
    if (error instanceof CsvError) throw new ImportError(`this is no whole CSV: ${error.message}`);
    throw error;
  }
}
