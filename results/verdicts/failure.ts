import { linesOf } from '../refusals/words.ts';
import type { Failure } from '../schema/index.ts';

/**
 * Error that carries a failure, such as that of a rank or host. A run stores the failure in its record; a command without a run
 * prints it.
 */
export class FailureError extends Error {
  readonly failure: Failure;
  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.message, options);
    this.name = 'FailureError';
    this.failure = failure;
  }
}

/**
 * Returns the text of a failure, one part per line: "collbench: " with the message, the details such as the state of the ranks
 * (indented), and "Next: " with the command to use next if there is one. It ends with a line break.
 */
export function failureText({ message, details, next }: Failure): string {
  const lines = linesOf({
    message: `collbench: ${message}`,
    details,
    ...(next === null ? {} : { next: typeof next === 'string' ? { shell: next } : next }),
  });
  return `${lines.join('\n')}\n`;
}
