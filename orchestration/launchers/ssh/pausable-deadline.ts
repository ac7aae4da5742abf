/**
 * A deadline that pauses while the user is asked for something: hold(true) when a question begins, hold(false) after its answer.
 * If several questions are open at once, it continues after the last answer. start() calls `expired` once, when the time is over,
 * unless end() was called before.
 */
export class PausableDeadline {
  private leftMs: number;
  private since = 0;
  private held = 0;
  private timer: NodeJS.Timeout | undefined;
  private expired: (() => void) | null = null;
  constructor(ms: number) {
    this.leftMs = ms;
  }

  start(expired: () => void): void {
    this.expired = expired;
    this.run();
  }

  hold(isHeld: boolean): void {
    this.held += isHeld ? 1 : -1;
    if (isHeld && this.held === 1) {
      clearTimeout(this.timer);
      this.leftMs -= Date.now() - this.since;
    } else if (this.held === 0) this.run();
  }

  end(): void {
    this.expired = null;
    clearTimeout(this.timer);
  }

  private run(): void {
    if (this.expired === null) return;
    this.since = Date.now();
    this.timer = setTimeout(() => this.expired?.(), Math.max(0, this.leftMs));
  }
}
