import { randomBytes } from 'node:crypto';

/**
 * Secret tokens of the launches of a run; data connections are accepted only with the token. Tokens must not appear in logs,
 * because logs are written to disk.
 */
export class LaunchTokens {
  private readonly made: string[] = [];

  /** Makes a new token: 128 bits in hex. */
  make(): string {
    const token = randomBytes(16).toString('hex');
    this.made.push(token);
    return token;
  }

  /** Replaces all tokens in a text by "(token)". */
  clean(text: string): string {
    return this.made.reduce((clean, token) => clean.replaceAll(token, '(token)'), text);
  }
}
