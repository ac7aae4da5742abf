import { execFile, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import type { HostSpec } from '../../hosts/host.ts';
import { StartError } from '../launcher.ts';
import { checkNames } from './names.ts';

/**
 * Settings of the ssh configuration for one host: values by key, in lower case as `ssh -G` prints it, in the order of its output.
 * Null = there is no ssh program.
 */
export type SshHostConfig = ReadonlyMap<string, readonly string[]> | null;

/** Reads the user's ssh configuration by `ssh -G`, which evaluates Include, Match, wildcards and tokens. */
export class SshConfig {
  private readonly file: string | null;
  private readonly foreseen = new Map<string, Promise<string>>();

  /** @param file configuration file that replaces `~/.ssh/config` and `/etc/ssh/ssh_config`; null = these files */
  constructor(file: string | null) {
    this.file = file;
  }

  /**
   * Starts to read the ssh configuration of all hosts before it is needed. A few shells start the ssh processes,
   * because each start of a process blocks the controller for milliseconds. Does nothing for fewer than `fewest`
   * hosts. Skips hosts with invalid names.
   */
  prefetch(hosts: readonly HostSpec[]): void {
    const proper = hosts.filter(isProper);
    const shells = Math.min(availableParallelism(), maxShells, Math.floor(proper.length / fewest));
    for (let shell = 0; shell < shells; shell += 1) {
      const mine = proper.filter((_, i) => i % shells === shell);
      const answers = askShell(mine, this.file);
      for (const [i, host] of mine.entries()) this.foreseen.set(keyOf(host), answers[i] as Promise<string>);
    }
  }

  /**
   * Returns the settings for a host, defaults of ssh included; null if there is no ssh program.
   * @throws StartError if a name of the host or the configuration cannot be used
   */
  async of(host: HostSpec): Promise<SshHostConfig> {
    checkNames(host);
    const text = (await this.foreseen.get(keyOf(host))) || (await this.ask(host));
    return text === null ? null : valuesOf(text);
  }

  private async ask(host: HostSpec): Promise<string | null> {
    const args = [
      '-G',
      ...(this.file === null ? [] : ['-F', this.file]),
      ...(host.user === null ? [] : ['-l', host.user]),
      ...(host.port === null ? [] : ['-p', String(host.port)]),
      '--',
      bare(host),
    ];
    try {
      return (await promisify(execFile)('ssh', args, { timeout: patienceMs })).stdout;
    } catch (error) {
      const failed = error as NodeJS.ErrnoException & { stderr?: string };
      if (failed.code === 'ENOENT') return null;
      const said = (failed.stderr ?? '').split('\n').filter(Boolean);
      throw new StartError(
        `the ssh configuration cannot be used for ${host.name}: ${said[0] ?? failed.message}`,
        said.slice(1),
      );
    }
  }
}

const patienceMs = 30_000;
const maxShells = 4;
/**
 * Minimum number of hosts whose ssh configuration one local shell reads. With fewer hosts the start of a shell costs more time
 * than it saves.
 */
const fewest = 2;

const bare = ({ address }: HostSpec): string => address.replace(/^\[(.*)\]$/, '$1');
const keyOf = (host: HostSpec): string => JSON.stringify([host.user, host.port, bare(host)]);

function isProper(host: HostSpec): boolean {
  try {
    checkNames(host);
    return true;
  } catch {
    return false;
  }
}

/**
 * Shell script that runs `ssh -G` for several hosts. Its arguments are the configuration file or "", then for each host: user or
 * "", port or "", address. It prints the output for each host, followed by a NUL; nothing before the NUL if ssh failed for the
 * host.
 */
const script = `file=$1; shift
while [ $# -gt 0 ]; do
  answer=$(ssh -G \${file:+-F "$file"} \${1:+-l "$1"} \${2:+-p "$2"} -- "$3" 2>/dev/null) || answer=
  printf '%s\\000' "$answer"
  shift 3
done`;

/**
 * Starts one shell that runs `ssh -G` for several hosts, and returns a promise of the output for each host. The
 * promises never reject; "" = ssh failed for the host, or took too long. Running ssh again for this host shows the
 * reason.
 * @param file ssh configuration file; null = the default files
 */
function askShell(hosts: readonly HostSpec[], file: string | null): Promise<string>[] {
  const words = hosts.flatMap((host) => [host.user ?? '', String(host.port ?? ''), bare(host)]);
  const shell = spawn('/bin/sh', ['-c', script, 'sh', file ?? '', ...words], {
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: patienceMs,
  });
  const resolves: ((answer: string) => void)[] = [];
  const answers = hosts.map(() => new Promise<string>((resolve) => resolves.push(resolve)));
  let rest = '';
  shell.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\0');
    rest = parts.pop() ?? '';
    for (const part of parts) resolves.shift()?.(part);
  });
  const end = (): void => {
    for (const resolve of resolves.splice(0)) resolve('');
  };
  shell.on('error', end).on('close', end);
  return answers;
}

/**
 * Parses lines `key value` and returns the values by key, in their order. A key may have several values. Lines without a space are
 * skipped.
 */
function valuesOf(text: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const space = line.indexOf(' ');
    if (space < 0) continue;
    const key = line.slice(0, space);
    values.set(key, [...(values.get(key) ?? []), line.slice(space + 1)]);
  }
  return values;
}
