import { linesOf } from '../refusals/words.ts';
import type { Failure } from '../schema/index.ts';

/** Returns the text of a failure: message, state of the ranks, and the command to type next. It ends with a line break. */
export function failureText({ message, details, next }: Failure): string {
  const lines = linesOf({
    message: `collbench: ${message}`,
    details,
    ...(next === null ? {} : { next: { shell: next } }),
  });
  return `${lines.join('\n')}\n`;
}
