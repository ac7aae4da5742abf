import type { Failure } from '../schema/index.ts';

/** A failure on its way up: a session gives it out as its last event, a command prints it. */
export class FailureError extends Error {
  readonly failure: Failure;
  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.message, options);
    this.name = 'FailureError';
    this.failure = failure;
  }
}
