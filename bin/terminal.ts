// The one place that writes to stdout and stderr: what a terminal would take for a command is shown, wherever it comes from.
import { jsonLine } from '../results/files/json.ts';
import { sanitiseLine, sanitiseText } from '../results/text.ts';

export { nearPath } from '../results/store/paths.ts';

const csi = '\u001b[';
/** Colours of reports/terminal (picocolors). They can hide nothing and move nothing. */
const colour = new RegExp(`${csi.replace('[', '\\[')}(?:[0-47]|2[2-47]|[349][0-79])m`, 'g');

/** Text on stdout; of control sequences only colours pass, where they are wanted. */
export function printText(text: string): void {
  process.stdout.write(shapeOfStdout().color ? withColours(text) : sanitiseText(text));
}

function withColours(text: string): string {
  const colours = text.match(colour) ?? [];
  const parts = text.split(colour).map(sanitiseText);
  return parts.map((part, i) => part + (colours[i] ?? '')).join('');
}

/** A picture on stdout, as it is. */
export const printBytes = (content: Uint8Array): void => {
  process.stdout.write(content);
};

/** One line of JSON on stdout. */
export const printJson = (value: unknown, space?: number): void => {
  process.stdout.write(jsonLine(value, space));
};

/** Text on stderr. */
export const printError = (text: string): void => {
  process.stderr.write(sanitiseText(text));
};

/** A line of its own on stderr. */
export const printNote = (text: string): void => printError(`collbench: ${sanitiseLine(text)}\n`);

/** Cursor movements of this program; nothing that anybody else wrote. */
export const controlTerminal = (stream: 'stdout' | 'stderr', sequence: string): void => {
  process[stream].write(sequence);
};

/** NO_COLOR (no-color.org) and FORCE_COLOR are honoured; else colour goes to terminals only. */
export function wantsColor(isTerminal: boolean): boolean {
  if (process.env.NO_COLOR) return false;
  if (process.env.FORCE_COLOR) return process.env.FORCE_COLOR !== '0';
  return isTerminal && process.env.TERM !== 'dumb';
}

/** Whether the locale of the environment is one of UTF-8: LC_ALL, LC_CTYPE, LANG in that order. */
export function saysUtf8({ LC_ALL, LC_CTYPE, LANG }: NodeJS.ProcessEnv = process.env): boolean {
  return /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '');
}

/** Of stdout; where that is no terminal COLUMNS says how wide a line may be. */
export function shapeOfStdout(usual = 120): { columns: number; color: boolean } {
  const isTerminal = process.stdout.isTTY === true;
  const columns = isTerminal ? process.stdout.columns || 80 : Number(process.env.COLUMNS) || usual;
  return { columns, color: wantsColor(isTerminal) };
}

const clearLine = `\r${csi}K`;

/** A last line on stderr that says what goes on and is overwritten by the next; none where stderr is no terminal. */
export class ProgressLine {
  private readonly isTerminal = process.stderr.isTTY === true && process.env.TERM !== 'dumb';
  private isShown = false;

  /** @param text made for so many columns */
  show(text: (columns: number) => string): void {
    if (!this.isTerminal) return;
    const columns = Math.min(process.stderr.columns || 80, 100) - 1;
    controlTerminal('stderr', clearLine);
    printError(sanitiseLine(text(columns)).slice(0, columns));
    this.isShown = true;
  }

  clear(): void {
    if (this.isShown) controlTerminal('stderr', clearLine);
    this.isShown = false;
  }

  /** A line of its own, above. */
  note(text: string): void {
    this.clear();
    printNote(text);
  }
}
