import type { Failure } from '../results/schema/index.ts';
import { FailureError } from '../results/verdicts/failure-error.ts';

/**
 * What `work` comes to, unless the signal is quicker; what comes too late then has nobody waiting for it and must not end
 * the process.
 * @param why asked at that moment
 * @throws FailureError with `why()` on abort; what `work` throws
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
