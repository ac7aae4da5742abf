import { createHmac } from 'node:crypto';
import { getOrMake } from '../../../../results/collections.ts';
import { readPlainText } from '../../../../results/files/plain.ts';

/** Maximum size of a known_hosts file in bytes. It is large, because clusters list tens of thousands of hosts. */
const maxBytes = 64 * 2 ** 20;

/**
 * One line of a known_hosts file that applies to a host. `mark`: its marker @revoked or @cert-authority; null = an ordinary key.
 */
export interface HostKeyLine {
  mark: 'revoked' | 'cert-authority' | null;
  /** Type of the key: `ssh-ed25519`, `ssh-rsa`, ... */
  type: string;
  /** The key in the binary form that the server sends. */
  key: Buffer;
  /** Position of the line as `path:line`, for messages. */
  at: string;
}

/**
 * Returns the name under which known_hosts files list a host, in lower case: the plain name for port 22, otherwise
 * `[host]:port`.
 */
export function knownName(hostname: string, port: number): string {
  const name = hostname.toLowerCase();
  return port === 22 ? name : `[${name}]:${port}`;
}

/** The known_hosts files of a run; each is read once, even for many hosts. */
export class KnownHosts {
  private readonly lines = new Map<string, Promise<string[]>>();

  /**
   * Returns all lines about a host, in the order of the files; empty if the host is not known. As with OpenSSH, a file that cannot
   * be read is treated as empty. Invalid lines are skipped.
   * @param files paths of known_hosts files
   * @param name host as knownName() returns it, in lower case
   */
  async keys(files: readonly string[], name: string): Promise<HostKeyLine[]> {
    const all = await Promise.all(files.map((file) => this.linesOf(file)));
    return all.flatMap((lines, file) =>
      lines.flatMap((line, i) => {
        const known = parseLine(line, name);
        return known === null ? [] : [{ ...known, at: `${files[file]}:${i + 1}` }];
      }),
    );
  }

  private linesOf(file: string): Promise<string[]> {
    return getOrMake(this.lines, file, () =>
      readPlainText(file, maxBytes).then(
        (text) => text.split('\n'),
        () => [],
      ),
    );
  }
}

function parseLine(line: string, name: string): Omit<HostKeyLine, 'at'> | null {
  const fields = line.trim().split(/\s+/);
  if (fields[0] === '' || fields[0]?.startsWith('#')) return null;
  const marked = /^@(revoked|cert-authority)$/.exec(fields[0] ?? '');
  if (marked !== null) fields.shift();
  const [patterns, type, key] = fields;
  if (patterns === undefined || type === undefined || key === undefined) return null;
  if (!matches(patterns, name)) return null;
  return {
    mark: (marked?.[1] as HostKeyLine['mark'] | undefined) ?? null,
    type,
    key: Buffer.from(key, 'base64'),
  };
}

/**
 * Returns true if a host's name matches one of the patterns, and none with `!`. An invalid hash matches no name.
 * @param patterns comma-separated list with `*`, `?` and `!`, or one hashed name
 * @param name host as knownName() returns it, in lower case
 */
function matches(patterns: string, name: string): boolean {
  if (patterns.startsWith('|1|')) {
    const [, , salt, hash] = patterns.split('|');
    if (salt === undefined || hash === undefined) return false;
    // HMAC-SHA1 keyed with the salt: sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT", HashKnownHosts.
    return createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest('base64') === hash;
  }
  let found = false;
  for (const pattern of patterns.toLowerCase().split(',')) {
    const isNegated = pattern.startsWith('!');
    if (!fits(isNegated ? pattern.slice(1) : pattern, name)) continue;
    if (isNegated) return false;
    found = true;
  }
  return found;
}

function fits(pattern: string, name: string): boolean {
  if (!/[*?]/.test(pattern)) return pattern === name;
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's').test(name);
}
