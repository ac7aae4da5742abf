/**
 * Limits how many operations run at once; further operations wait in order. `pass` runs one and returns its result, or rejects
 * with its error. If `signal` aborts while the operation waits, it is not run: `pass` rejects with the reason when its turn comes.
 */
export class ConnectionLimiter {
  private free: number;
  private readonly waiting: (() => void)[] = [];
  constructor(places: number) {
    this.free = places;
  }

  async pass<T>(signal: AbortSignal, body: () => Promise<T>): Promise<T> {
    if (this.free === 0) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.free -= 1;
    try {
      signal.throwIfAborted();
      return await body();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.free += 1;
      else next();
    }
  }
}
