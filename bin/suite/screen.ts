import { fit } from '../../reports/terminal/columns.ts';
import { formatDuration, plural } from '../../reports/wording.ts';
import type { SuiteEntry, SuiteMembership, SuiteRecord, SuiteRun } from '../../results/schema/index.ts';
import { harmless } from '../../results/text.ts';
import { nearPath } from '../terminal.ts';

/** Where a suite is told while it goes on. */
export interface SuiteScreen {
  begin(entry: SuiteEntry, pass: SuiteMembership['pass']): void;
  progress(entry: SuiteEntry, share: number): void;
  note(entry: SuiteEntry, text: string): void;
  /** @param runs those of this pass */
  end(entry: SuiteEntry, runs: readonly SuiteRun[], seconds: number): void;
}

const clearLine = '\r\u001b[K';
const nameWidth = 34;
/** Of a reason; suite.json has it whole. */
const reasonWidth = 160;

/** A line per entry on stdout, a line of progress on stderr where that is a terminal. */
export class TextScreen implements SuiteScreen {
  private readonly hasProgress = process.stderr.isTTY === true && process.env.TERM !== 'dumb';
  private readonly record: SuiteRecord;
  private pass: SuiteMembership['pass'] = 'first';

  constructor(record: SuiteRecord, estimateS: number, title: string) {
    this.record = record;
    const { id, name, entries } = record;
    const cells = entries.reduce((sum, entry) => sum + entry.cells.expected, 0);
    const head = title === name ? name : `${name}: ${title}`;
    process.stdout.write(
      `${harmless(head)}\n  ${plural(entries.length, 'entry', 'entries')}, ${plural(cells, 'cell')}, about ${formatDuration(estimateS)} · suite ${id}\n\n`,
    );
    for (const entry of entries) {
      if (entry.status === 'cannot-run') process.stdout.write(cannotLine(entry));
      for (const { transport, reason } of entry.leftOut) {
        process.stdout.write(
          `  ${nameOf(entry)}  ${harmless(`without ${transport}: ${fit(reason, reasonWidth)}`)}\n`,
        );
      }
    }
  }

  begin(entry: SuiteEntry, pass: SuiteMembership['pass']): void {
    this.pass = pass;
    this.progress(entry, 0);
  }

  progress(entry: SuiteEntry, share: number): void {
    if (!this.hasProgress) return;
    const place = this.record.entries.indexOf(entry) + 1;
    const again = this.pass === 'again' ? ', again' : '';
    const text = `${place} of ${this.record.entries.length}: ${entry.name}${again} · ${Math.round(share * 100)} %`;
    process.stderr.write(
      `${clearLine}${fit(harmless(text), Math.min(process.stderr.columns || 80, 100) - 1)}`,
    );
  }

  note(entry: SuiteEntry, text: string): void {
    this.clear();
    process.stderr.write(harmless(`collbench: ${entry.name}: ${text}\n`));
  }

  end(entry: SuiteEntry, runs: readonly SuiteRun[], seconds: number): void {
    this.clear();
    const { measured, expected } = entry.cells;
    const cells = `${measured}/${expected} cells`.padStart(13);
    const time = formatDuration(seconds).padStart(11);
    const [first] = runs;
    const which = runs.length === 1 && first !== undefined ? `run ${first.id}` : plural(runs.length, 'run');
    const again = this.pass === 'again' ? ', again' : '';
    const bad = entry.reason === null || this.pass === 'again' ? '' : `  ${harmless(entry.reason)}`;
    process.stdout.write(`  ${nameOf(entry)}${cells}${time}  ${which}${again}${bad}\n`);
  }

  private clear(): void {
    if (this.hasProgress) process.stderr.write(clearLine);
  }
}

const nameOf = ({ name }: SuiteEntry): string => harmless(fit(name, nameWidth)).padEnd(nameWidth);
const cannotLine = (entry: SuiteEntry): string =>
  `  ${nameOf(entry)}  cannot run here: ${harmless(fit(entry.reason ?? '', reasonWidth))}\n`;

/** One object per entry as it ends; the suite's record follows from the command. */
export class JsonScreen implements SuiteScreen {
  begin(): void {}
  progress(): void {}
  note(entry: SuiteEntry, text: string): void {
    process.stderr.write(harmless(`collbench: ${entry.name}: ${text}\n`));
  }
  end(entry: SuiteEntry, runs: readonly SuiteRun[]): void {
    process.stdout.write(`${JSON.stringify({ type: 'entry', ...entry, runs })}\n`);
  }
}

/** What there is at the end, without the gate. */
export function footOf(record: SuiteRecord, page: string): string {
  const { entries } = record;
  const measured = entries.filter(({ status }) => status === 'measured').length;
  const cannot = entries.filter(({ status }) => status === 'cannot-run').length;
  const failed = entries.filter(({ status }) => status === 'failed' || status === 'interrupted').length;
  const left = entries.filter(({ status }) => status === 'not-reached').length;
  const parts = [
    `${measured} of ${plural(entries.length, 'entry', 'entries')} measured`,
    ...(cannot > 0 ? [`${cannot} cannot run here`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(left > 0 ? [`${left} not reached`] : []),
  ];
  return `\n${parts.join(', ')} · report: ${nearPath(page)}\n`;
}
