// Time in which this process ran. A controller that is stopped (Ctrl-Z, a paused virtual machine) hears nothing, and all its
// timers are due when it wakes: hosts must not be blamed for that.

/** A wait counts no more than this at a time, however late its timer comes. */
const sliceMs = 500;
/** A timer that comes so much later: this process did not run. Others that work on its cores delay it by less. */
const stoppedMs = 2000;

/**
 * Calls `expire` after `waitMs` of this process's own time, and not before it had the chance to read what has come meanwhile.
 * @returns ends the wait
 */
export function startRunningTimer(waitMs: number, expire: () => void): () => void {
  let leftMs = waitMs;
  let isOver = false;
  let timer: NodeJS.Timeout;
  const next = (): void => {
    const slice = Math.min(leftMs, sliceMs);
    timer = setTimeout(() => {
      leftMs -= slice;
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

/** Notices when this process did not run. */
export class StopWatch {
  private readonly timer = setInterval(() => this.look(), sliceMs).unref();
  private seenMs = performance.now();
  private sumMs = 0;

  /** Milliseconds in which this process did not run since the watch was made. */
  stoppedForMs(): number {
    this.look();
    return this.sumMs;
  }

  end(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    const now = performance.now();
    const lateMs = now - this.seenMs - sliceMs;
    if (lateMs > stoppedMs) this.sumMs += lateMs;
    this.seenMs = now;
  }
}
