import { wantsColor } from '../output.ts';
import type { Screen } from './crosscheck.ts';

const clearLine = '\r\u001b[K';

/** Stdout for what was found, stderr for what goes on where that is a terminal. */
export function screen(): Screen {
  const isTerminal = process.stderr.isTTY === true && process.env.TERM !== 'dumb';
  return {
    out: (text) => process.stdout.write(text),
    error: (text) => process.stderr.write(text),
    progress: (text) => {
      if (isTerminal) process.stderr.write(clearLine + text.slice(0, (process.stderr.columns || 80) - 1));
    },
    color: wantsColor(process.stdout.isTTY === true),
  };
}
