// What the terminal can show; nothing of what is shown.
import { isAbsolute, relative } from 'node:path';
import { harmless } from '../results/text.ts';

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

/** The shorter way to write a path: from here where it lies below, else whole. */
export function nearPath(file: string): string {
  const near = relative(process.cwd(), file);
  return near.startsWith('..') || isAbsolute(near) ? file : near;
}

const clearLine = '\r\u001b[K';

/** A last line on stderr that says what goes on and is overwritten by the next; none where stderr is no terminal. */
export class ProgressLine {
  private readonly isTerminal = process.stderr.isTTY === true && process.env.TERM !== 'dumb';
  private isShown = false;

  /** @param text made for so many columns */
  show(text: (columns: number) => string): void {
    if (!this.isTerminal) return;
    const columns = Math.min(process.stderr.columns || 80, 100) - 1;
    process.stderr.write(clearLine + harmless(text(columns)).slice(0, columns));
    this.isShown = true;
  }

  clear(): void {
    if (this.isShown) process.stderr.write(clearLine);
    this.isShown = false;
  }

  /** A line of its own, above. */
  note(text: string): void {
    this.clear();
    process.stderr.write(`collbench: ${harmless(text)}\n`);
  }
}
