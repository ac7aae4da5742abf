import type { Failure } from '../results/schema/index.ts';
import { FailureError } from '../results/verdicts/failure-error.ts';

/**
 * Waits until `work` ends or the signal aborts. If the abort is first, a later rejection of `work` is ignored and does not end
 * the process.
 * @param why makes the failure to throw; called at the time of the abort
 * @throws FailureError with `why()` on abort; otherwise whatever `work` throws
 */
export async function raceAbort<T>(signal: AbortSignal, work: Promise<T>, why: () => Failure): Promise<T> {
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(new FailureError(why()));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
