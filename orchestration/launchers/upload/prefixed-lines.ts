import type { Readable } from 'node:stream';

/** Error: the stream ended, or had more than 1 MiB of output, while a line with the prefix was expected. */
export class NoLine extends Error {
  /** The last lines that were skipped because they lack the prefix, at most five, oldest first; empty lines are left out. */
  readonly noise: readonly string[];
  /** True if the stream exceeded the limit of 1 MiB and may continue without end; false if it ended. */
  readonly isEndless: boolean;
  constructor(message: string, noise: readonly string[], isEndless: boolean) {
    super(message);
    this.noise = noise;
    this.isEndless = isEndless;
  }
}

/**
 * Maximum bytes of output in total, lines with and without the prefix. It is more than any login shell and collbench's script
 * print; a host that sends more would fill the memory.
 */
const maxBytes = 1024 * 1024;
/**
 * Maximum number of characters that are kept of each line without the prefix. Such lines are skipped, and the last five are kept
 * for the message of the error `NoLine`.
 */
const maxNoiseCharacters = 1000;
const newline = 0x0a;

/**
 * Reads the lines of a stream that begin with a prefix, without the prefix, and skips other lines. After `release` all unread bytes
 * are still in the stream.
 */
export class PrefixedLines {
  private readonly stream: Readable;
  private readonly prefix: string;
  private rest: Buffer = Buffer.alloc(0);
  private noise: string[] = [];
  private readBytes = 0;
  private hasEnded = false;
  private wake: () => void = () => undefined;
  private readonly onData = (chunk: Buffer): void => {
    this.rest = Buffer.concat([this.rest, chunk]);
    this.wake();
  };
  private readonly onEnd = (): void => {
    this.hasEnded = true;
    this.wake();
  };

  constructor(stream: Readable, prefix: string) {
    this.stream = stream;
    this.prefix = prefix;
    stream.on('data', this.onData).on('end', this.onEnd).on('close', this.onEnd);
  }

  /**
   * Waits for the next line that begins with the prefix, and returns the line without the prefix and without the newline. Only one
   * call at a time.
   * @throws NoLine if the stream ended, or has more than `maxBytes` of output
   */
  async next(): Promise<string> {
    for (;;) {
      for (let end = this.rest.indexOf(newline); end >= 0; end = this.rest.indexOf(newline)) {
        const line = this.rest.toString('utf8', 0, end);
        this.rest = this.rest.subarray(end + 1);
        this.readBytes += end + 1;
        this.requireBounded(0);
        if (line.startsWith(this.prefix)) return line.slice(this.prefix.length);
        this.skip(line);
      }
      this.requireBounded(this.rest.length);
      if (this.hasEnded) throw new NoLine('it ended', this.noise, false);
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  /**
   * Stops reading, and puts the bytes that were read but not yet returned or skipped back into the stream. next() must not be
   * called afterwards.
   */
  release(): void {
    this.stream.pause();
    this.stream.off('data', this.onData).off('end', this.onEnd).off('close', this.onEnd);
    if (this.rest.length > 0 && !this.hasEnded) this.stream.unshift(this.rest);
    this.rest = Buffer.alloc(0);
  }

  /**
   * Checks the amount of output so far, lines with and without the prefix.
   * @param unread number of bytes that are no complete line yet
   * @throws NoLine if it is more than `maxBytes`
   */
  private requireBounded(unread: number): void {
    if (this.readBytes + unread > maxBytes) throw new NoLine('it prints without end', this.noise, true);
  }

  private skip(line: string): void {
    if (line.trim() !== '') this.noise = [...this.noise, line.slice(0, maxNoiseCharacters)].slice(-5);
  }
}
