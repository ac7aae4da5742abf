import { randomBytes } from 'node:crypto';

/** Secrets of the launches of a run: data connections are refused without. Logs go to disk, these must not. */
export class LaunchTokens {
  private readonly made: string[] = [];

  /** 128 bits in hex, a new one each time. */
  make(): string {
    const token = randomBytes(16).toString('hex');
    this.made.push(token);
    return token;
  }

  /** The text without any of them. */
  clean(text: string): string {
    return this.made.reduce((clean, token) => clean.replaceAll(token, '(token)'), text);
  }
}
