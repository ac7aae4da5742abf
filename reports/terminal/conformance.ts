// Results of conformance tests of a library (for example an NCCL net plugin): one line per test, and a last line with the number of
// tests.
import { wrap, wrapBeside } from '../../results/text.ts';

interface OutcomeRow {
  group: string;
  name: string;
  outcome: 'passed' | 'failed' | 'skipped';
  expected: string;
  seen: string;
}

const marks = { passed: '✓', failed: '✗', skipped: '-' } as const;
const indent = '      ';

/**
 * Returns the text about one conformance test: a line with its name, and lines with details below it; no newline at the end. The
 * details are the expected and the seen value of a failure, the reason for skipping, or a remark.
 * @param columns width of the terminal in characters
 */
export function conformanceLine(row: OutcomeRow, columns: number): string {
  const details =
    row.outcome === 'failed'
      ? [`expected: ${row.expected}`, `seen: ${row.seen}`]
      : row.outcome === 'skipped'
        ? [`skipped: ${row.seen}`]
        : row.seen === ''
          ? []
          : [row.seen];
  const below = details.flatMap((text) => wrapBeside(indent, text, columns));
  return [`${marks[row.outcome]} ${row.group.padEnd(10)} ${row.name}`, ...below].join('\n');
}

/**
 * Start of the reason of a test that was skipped because a test that it depends on has failed
 * (native/emulated/conformance/runner.h).
 */
const needsAnother = 'it failed before: ';

/** True if a test was skipped because a test that it depends on has failed. All such tests share one line of the output. */
export const isLeftOut = ({ outcome, seen }: OutcomeRow): boolean =>
  outcome === 'skipped' && seen.startsWith(needsAnother);

/**
 * Returns the lines about tests that were skipped because another test failed: "- 25 tests skipped, which need one that failed: can
 * be loaded and comes through init". Empty if there are no such tests.
 */
export function leftOutLines(rows: readonly OutcomeRow[], columns: number): string[] {
  const leftOut = rows.filter(isLeftOut);
  const [first] = leftOut;
  if (first === undefined) return [];
  const cause = first.seen.slice(needsAnother.length);
  const count = `${leftOut.length} ${leftOut.length === 1 ? 'test' : 'tests'}`;
  return wrap(`- ${count} skipped, which need one that failed: ${cause}`, columns, '  ');
}

/**
 * Returns the verdict on an NCCL net plugin, one line without newline, printed after all tests: it does what NCCL expects, it
 * cannot be used, or NCCL may fail with it. If tests failed, the verdict has what the first of them showed.
 */
export function pluginVerdict(rows: readonly OutcomeRow[]): string {
  const failed = rows.filter(({ outcome }) => outcome === 'failed');
  const [first] = failed;
  if (first === undefined) return 'verdict: it does what NCCL expects, as far as host memory shows';
  if (first.group === deciding) return `verdict: it cannot be used: ${first.seen}`;
  const groups = [...new Set(failed.map(({ group }) => group))];
  const more = failed.length === 1 ? '' : ` (and ${failed.length - 1} more)`;
  return `verdict: NCCL may fail with it (${groups.join(', ')}): ${first.name}: expected ${first.expected}, seen ${first.seen}${more}`;
}

/**
 * Name of the group of tests (native/emulated/conformance/main.cc) on which all other tests of an NCCL net plugin depend. If one of
 * its tests fails, the plugin cannot be used.
 */
const deciding = 'load';

/**
 * Returns the number of conformance tests of a library by result: "84 tests of /usr/lib/libmlx5.so.1: 80 passed, 1 failed, 3
 * skipped".
 * @param library path of the tested library
 */
export function conformanceSummary(rows: readonly OutcomeRow[], library: string): string {
  const count = (outcome: OutcomeRow['outcome']) => rows.filter((row) => row.outcome === outcome).length;
  const parts = [`${count('passed')} passed`, `${count('failed')} failed`];
  if (count('skipped') > 0) parts.push(`${count('skipped')} skipped`);
  return `${rows.length} tests of ${library}: ${parts.join(', ')}`;
}
