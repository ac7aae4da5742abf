import type { SuiteScreen } from '../../orchestration/suites/runner.ts';
import { suiteEntryLine, suiteHead } from '../../reports/terminal/suite.ts';
import type { SuiteRecord } from '../../results/schema/index.ts';
import { reportError } from '../exit.ts';
import { ProgressLine, printJson, printText, shapeOfStdout } from '../terminal.ts';

/** Prints one line per suite entry on stdout, and progress on stderr if stderr is a terminal. */
export function suiteText(record: SuiteRecord, estimateS: number): SuiteScreen {
  const { entries } = record;
  const line = new ProgressLine();
  let isAgain = false;
  printText(suiteHead(record, estimateS, Math.min(shapeOfStdout(100).columns, 100)));
  const screen: SuiteScreen = {
    begin(entry, pass) {
      isAgain = pass === 'again';
      screen.progress(entry, 0);
    },
    progress(entry, share) {
      const name = `${entry.name}${isAgain ? ', again' : ''}`;
      line.show(
        () => `${entries.indexOf(entry) + 1} of ${entries.length}: ${name} · ${Math.round(share * 100)} %`,
      );
    },
    note: (entry, text) => line.note(`${entry.name}: ${text}`),
    end(entry, runs, seconds) {
      line.clear();
      printText(suiteEntryLine(entry, runs, seconds, isAgain));
    },
    error: reportError,
  };
  return screen;
}

/** Prints one JSON object per suite entry when the entry ends. The record of the whole suite is printed by the command. */
export const suiteJson = (): SuiteScreen => ({
  begin: () => undefined,
  progress: () => undefined,
  note: ({ name }, text) => new ProgressLine().note(`${name}: ${text}`),
  end: (entry, runs) => printJson({ type: 'entry', ...entry, runs }),
  error: reportError,
});
