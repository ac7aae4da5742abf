// Tests of a library's interface: a line per test, a last line with their number.
import { wrap } from '../wording.ts';

interface Row {
  group: string;
  name: string;
  outcome: 'passed' | 'failed' | 'skipped';
  expected: string;
  seen: string;
}

const marks = { passed: '✓', failed: '✗', skipped: '-' } as const;
const indent = '      ';

/** One test: its name, and below it what a failed one expected and saw, or why it was skipped. */
export function conformanceLine(row: Row, columns: number): string {
  const details =
    row.outcome === 'failed'
      ? [`expected: ${row.expected}`, `seen: ${row.seen}`]
      : row.outcome === 'skipped'
        ? [`skipped: ${row.seen}`]
        : [];
  const below = details.flatMap((text) => wrap(text, columns - indent.length).map((line) => indent + line));
  return [`${marks[row.outcome]} ${row.group.padEnd(10)} ${row.name}`, ...below].join('\n');
}

/** "84 tests of /usr/lib/libmlx5.so.1: 80 passed, 1 failed, 3 skipped" */
export function conformanceSummary(rows: readonly Row[], library: string): string {
  const count = (outcome: Row['outcome']) => rows.filter((row) => row.outcome === outcome).length;
  const parts = [`${count('passed')} passed`, `${count('failed')} failed`];
  if (count('skipped') > 0) parts.push(`${count('skipped')} skipped`);
  return `${rows.length} tests of ${library}: ${parts.join(', ')}`;
}
