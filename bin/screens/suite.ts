import type { SuiteScreen } from '../../orchestration/suites/runner.ts';
import { suiteEntryLines, suiteHead } from '../../reports/terminal/suite.ts';
import type { SuiteRecord } from '../../results/schema/index.ts';
import { reportError } from '../report-error.ts';
import { ProgressLine, printJson, printText, shapeOfStdout } from '../terminal.ts';

/**
 * Output of a suite for people: lines about each entry on stdout when it ends, and progress on stderr if that is a terminal. Prints
 * the title at once.
 * @param estimateS estimated seconds of the whole suite
 */
export function suiteText(record: SuiteRecord, estimateS: number): SuiteScreen {
  const { entries } = record;
  const line = new ProgressLine();
  let isAgain = false;
  const width = Math.min(shapeOfStdout(100).columns, 100);
  printText(suiteHead(record, estimateS, width));
  const screen: SuiteScreen = {
    begin(entry, pass) {
      isAgain = pass === 'again';
      screen.progress(entry, 0);
    },
    progress(entry, share, pairs) {
      const name = `${entry.name}${isAgain ? ', again' : ''}`;
      line.show(
        () =>
          `${entries.indexOf(entry) + 1} of ${entries.length}: ${name} · ${pairs ?? `${Math.round(share * 100)} %`}`,
      );
    },
    note: (entry, text) => line.note(`${entry.name}: ${text}`),
    end(entry, runs, seconds) {
      line.clear();
      printText(suiteEntryLines(entry, runs, seconds, isAgain, width));
    },
    error: reportError,
  };
  return screen;
}

/**
 * Output of a suite with --json: an object per entry when the entry ends. The command itself prints the record of the suite at the
 * end.
 */
export const suiteJson = (): SuiteScreen => ({
  begin: () => undefined,
  progress: () => undefined,
  note: ({ name }, text) => new ProgressLine().note(`${name}: ${text}`),
  end: (entry, runs) => printJson({ type: 'entry', ...entry, runs }),
  error: reportError,
});
