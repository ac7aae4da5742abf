// Measures time in which this process ran. A suspended controller (Ctrl-Z, a paused virtual machine) reads nothing, and all its
// timers expire when it resumes. Hosts must not be blamed for that time.

/**
 * Maximum ms that one timer adds to the measured running time. If a timer fires much later, the process was suspended, and the
 * rest does not count.
 */
const sliceMs = 500;
/**
 * Delay of a timer in ms from which this process is assumed to have been suspended. Other programs on its cores cause shorter
 * delays.
 */
const stoppedMs = 2000;

/**
 * Calls `expire` once, after this process has run for `waitMs` milliseconds; time in which it was suspended does not count. Data
 * that has already arrived is read before the call.
 * @returns a function that cancels the wait; it may be called after `expire`, too
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
      // setImmediate runs after pipes have been read.
      else setImmediate(() => isOver || expire());
    }, slice);
  };
  next();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/**
 * Measures how long this process was suspended. Delays up to `stoppedMs` do not count. Call end() when done; it stops a timer,
 * which does not keep the process alive.
 */
export class StopWatch {
  private readonly timer = setInterval(() => this.look(), sliceMs).unref();
  private seenMs = performance.now();
  private sumMs = 0;

  /**
   * Milliseconds in which this process was suspended, since the creation of this object. Delays up to `stoppedMs` do
   * not count.
   */
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
