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
 * A deadline that counts only the time in which this process runs, and pauses while the user is asked for something: hold(true)
 * when a question begins, hold(false) after its answer. If several questions are open at once, it continues after the last answer.
 * start() calls `expired` once, when the time is over and data that has already arrived was read, unless end() was called before.
 */
export class PausableDeadline {
  private leftMs: number;
  private held = 0;
  private timer: NodeJS.Timeout | undefined;
  private expired: (() => void) | null = null;

  /** @param ms running time until the deadline, in milliseconds */
  constructor(ms: number) {
    this.leftMs = ms;
  }

  start(expired: () => void): void {
    this.expired = expired;
    this.run();
  }

  hold(isHeld: boolean): void {
    this.held += isHeld ? 1 : -1;
    if (isHeld) clearTimeout(this.timer);
    else if (this.held === 0) this.run();
  }

  end(): void {
    this.expired = null;
    clearTimeout(this.timer);
  }

  private run(): void {
    if (this.expired === null || this.held > 0) return;
    const slice = Math.max(0, Math.min(this.leftMs, sliceMs));
    this.timer = setTimeout(() => {
      this.leftMs -= slice;
      if (this.leftMs > 0) this.run();
      // setImmediate runs after pipes have been read.
      else setImmediate(() => this.expired?.());
    }, slice);
  }
}

/**
 * Calls `expire` once, after this process has run for `waitMs` milliseconds; time in which it was suspended does not count. Data
 * that has already arrived is read before the call.
 * @returns a function that cancels the wait; it may be called after `expire`, too
 */
export function startRunningTimer(waitMs: number, expire: () => void): () => void {
  const deadline = new PausableDeadline(waitMs);
  deadline.start(expire);
  return () => deadline.end();
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
