import { linesOf } from '../refusals/words.ts';
import type { Failure } from '../schema/index.ts';

/** Message, what the ranks were doing, and the next command to type; ends with a line break. */
export function failureText({ message, details, next }: Failure): string {
  const lines = linesOf({
    message: `collbench: ${message}`,
    details,
    ...(next === null ? {} : { next: { shell: next } }),
  });
  return `${lines.join('\n')}\n`;
}
