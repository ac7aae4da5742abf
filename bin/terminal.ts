// The only file that writes to stdout and stderr. Control characters from other sources are made visible, so that a terminal does
// not execute them.
import { jsonLine } from '../results/files/json.ts';
import { sanitiseLine, sanitiseText, withAsciiSigns, wrap } from '../results/text.ts';

export { nearPath } from '../results/store/paths.ts';

const csi = '\u001b[';
/**
 * Pattern of the control sequences for colours that reports use (reports/terminal, picocolors). Unlike other control sequences,
 * these cannot hide or move text.
 */
const colour = new RegExp(`${csi.replace('[', '\\[')}(?:[0-47]|2[2-47]|[349][0-79])m`, 'g');

/**
 * Returns text that every terminal can show: without control characters, and, if the locale is not UTF-8, with ASCII for
 * collbench's own signs ("us" for "µs").
 */
function safeText(text: string): string {
  const safe = sanitiseText(text);
  return saysUtf8() ? safe : withAsciiSigns(safe);
}

/** Prints text on stdout without control sequences; no line break is added. Colours stay if stdout should have colours. */
export function printText(text: string): void {
  process.stdout.write(shapeOfStdout().color ? withColours(text) : safeText(text));
}

function withColours(text: string): string {
  const colours = text.match(colour) ?? [];
  const parts = text.split(colour).map(safeText);
  return parts.map((part, i) => part + (colours[i] ?? '')).join('');
}

/** Writes bytes of a picture to stdout, unchanged. */
export const printBytes = (content: Uint8Array): void => {
  process.stdout.write(content);
};

export const printJson = (value: unknown, space?: number): void => {
  process.stdout.write(jsonLine(value, space));
};

export const printError = (text: string): void => {
  process.stderr.write(safeText(text));
};

/**
 * Breaks lines at the width of the terminal. If the stream is no terminal, lines are broken at COLUMNS, or not at all if COLUMNS is
 * unset. Lines that begin with "Next: " stay whole, so that users can copy the command.
 */
function broken(text: string, { isTTY, columns }: NodeJS.WriteStream): string {
  const width = isTTY ? columns || 80 : Number(process.env.COLUMNS) || Number.POSITIVE_INFINITY;
  const isWhole = (line: string) => line.length <= width || line.startsWith('Next: ');
  const shown = (line: string) => (isWhole(line) ? line : wrap(line, width, '  ').join('\n'));
  return text.split('\n').map(shown).join('\n');
}

/** Prints a message on stderr, broken at the width of the terminal, with a line break at its end. */
export const printMessage = (text: string): void => printError(`${broken(text, process.stderr)}\n`);

/**
 * Prints sentences on stdout, broken at the width of the terminal; no line break is added at the end. Tables have their own widths
 * and use printText().
 */
export const printSentences = (text: string): void => printText(broken(text, process.stdout));

/**
 * Prints a note on stderr, after "collbench: " and with a line break at its end. Line breaks in the text become spaces; a long note
 * is broken at the width of the terminal.
 */
export const printNote = (text: string): void => printMessage(`collbench: ${sanitiseLine(text)}`);

/**
 * Writes a control sequence that collbench itself made, for example a cursor movement. Never pass text from other sources,
 * because nothing is removed from it.
 */
export const controlTerminal = (stream: 'stdout' | 'stderr', sequence: string): void => {
  process[stream].write(sequence);
};

/**
 * True if output should have colours. The variables NO_COLOR (no-color.org) and FORCE_COLOR ("0" = none) decide, in this
 * order. If both are unset or empty, only terminals get colours, except TERM=dumb.
 */
export function wantsColor(isTerminal: boolean): boolean {
  if (process.env.NO_COLOR) return false;
  if (process.env.FORCE_COLOR) return process.env.FORCE_COLOR !== '0';
  return isTerminal && process.env.TERM !== 'dumb';
}

/** True if the locale uses UTF-8. The first of LC_ALL, LC_CTYPE and LANG that is set decides. */
export function saysUtf8(): boolean {
  const { LC_ALL, LC_CTYPE, LANG } = process.env;
  return /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '');
}

/**
 * Width of stdout in characters, and whether it gets colours. If stdout is not a terminal, the width is COLUMNS, or `usual` if
 * COLUMNS is unset.
 */
export function shapeOfStdout(usual = 120): { columns: number; color: boolean } {
  const isTerminal = process.stdout.isTTY === true;
  const columns = isTerminal ? process.stdout.columns || 80 : Number(process.env.COLUMNS) || usual;
  return { columns, color: wantsColor(isTerminal) };
}

const clearLine = `\r${csi}K`;

/** A progress line on stderr, which each update overwrites. Nothing is shown if stderr is not a terminal, or if TERM=dumb. */
export class ProgressLine {
  private readonly isTerminal = process.stderr.isTTY === true && process.env.TERM !== 'dumb';
  private isShown = false;

  /**
   * Shows a new text in place of the present one.
   * @param text returns the text for a width in characters; longer text is cut
   */
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

  /**
   * Erases the progress line and prints a note on stderr. The next show() writes the line again, below the note. Also works if
   * stderr is not a terminal.
   */
  note(text: string): void {
    this.clear();
    printNote(text);
  }
}
