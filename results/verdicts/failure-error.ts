import type { Failure } from '../schema/index.ts';

/** Error with a failure of the run: a session reports it as its last event, a command prints it. */
export class FailureError extends Error {
  readonly failure: Failure;
  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.message, options);
    this.name = 'FailureError';
    this.failure = failure;
  }
}
