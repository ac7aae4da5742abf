// Time in which this process ran. A controller that is stopped (Ctrl-Z, a paused virtual machine) hears nothing, and all its
// timers are due when it wakes: hosts must not be blamed for that.

/** A timer counts no more than this at a time, however late it comes. */
const sliceMs = 500;
/** A slice that comes so much later: this process did not run. Others that work on its cores delay it by less. */
const stoppedMs = 2000;

let notRunMs = 0;

/** Milliseconds in which this process did not run while it waited for something, since its start. */
export const stoppedForMs = (): number => notRunMs;

/**
 * Calls `expire` after `waitMs` of this process's own time, and not before it had the chance to read what has come meanwhile.
 * @returns ends the wait
 */
export function afterRunning(waitMs: number, expire: () => void): () => void {
  let leftMs = waitMs;
  let isOver = false;
  let timer: NodeJS.Timeout;
  const next = (): void => {
    const slice = Math.min(leftMs, sliceMs);
    const begun = performance.now();
    timer = setTimeout(() => {
      leftMs -= slice;
      const lateMs = performance.now() - begun - slice;
      if (lateMs > stoppedMs) noteStop(lateMs);
      if (leftMs > 0) next();
      // Pipes are read between the timers and this.
      else setImmediate(() => isOver || expire());
    }, slice);
  };
  next();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

let notedAt = Number.NEGATIVE_INFINITY;

/** Several waits see the same stop. */
function noteStop(lateMs: number): void {
  const now = performance.now();
  if (now - lateMs > notedAt) notRunMs += lateMs;
  notedAt = now;
}
