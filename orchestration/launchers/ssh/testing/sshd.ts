import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { freePorts } from '../../../../tests/cluster/ports.ts';
import { skipUnless } from '../../../../tests/e2e/harness.ts';

const run = promisify(execFile);

/** Skips tests that need real sshd processes on this machine; false if they can run. */
export const skip = skipUnless(
  process.getuid?.() === 0 && existsSync('/usr/sbin/sshd') && existsSync('/usr/bin/ssh-keygen'),
  'needs root and openssh-server',
);

export interface SshdOptions {
  address?: string;
  /** Types of the test server's host keys; the key of the first type is written to known_hosts. */
  hostKeys?: string[];
  /** Files of public keys that may log in; default: the key of the test lab. */
  authorized?: string[];
  /** Additional lines for the configuration of the test sshd. */
  lines?: string[];
}

export interface TestSshd {
  port: number;
  address: string;
  /** Home folder of a user who logs in. */
  home: string;
  /** Public host keys as `type base64`, the format of known_hosts. */
  publicKeys: string[];
  /** Kills every process that serves a login with SIGKILL. */
  killSessions(): Promise<void>;
  signalSessions(signal: NodeJS.Signals): Promise<void>;
  stop(): Promise<void>;
}

/** A folder with a client's ssh configuration, and the test hosts; `close` removes everything. */
export class SshLab {
  readonly folder: string;
  readonly configFile: string;
  readonly knownHosts: string;
  readonly key: string;
  private readonly hosts: TestSshd[] = [];

  private constructor(folder: string) {
    this.folder = folder;
    this.configFile = path.join(folder, 'config');
    this.knownHosts = path.join(folder, 'known_hosts');
    this.key = path.join(folder, 'id_ed25519');
  }

  static async open(): Promise<SshLab> {
    const lab = new SshLab(await mkdtemp(path.join(tmpdir(), 'collbench-ssh-')));
    await lab.newKey('id_ed25519');
    await lab.configure('');
    return lab;
  }

  /** Writes the client's configuration: the given text, followed by settings that keep the real user's files out. */
  async configure(text: string): Promise<void> {
    const own = `Host *\n  User root\n  IdentityFile ${this.key}\n  IdentityAgent none\n  UserKnownHostsFile ${this.knownHosts}\n  GlobalKnownHostsFile none\n`;
    await writeFile(this.configFile, `${text}\n${own}`);
  }

  async know(...lines: string[]): Promise<void> {
    await writeFile(this.knownHosts, lines.map((line) => `${line}\n`).join(''));
  }

  async newKey(name: string, type = 'ed25519', passphrase = ''): Promise<string> {
    const file = path.join(this.folder, name);
    await run('ssh-keygen', ['-q', '-t', type, '-N', passphrase, '-C', name, '-f', file]);
    return file;
  }

  /** Starts an sshd for tests on this machine and adds its host key to known_hosts. */
  async host(options: SshdOptions = {}): Promise<TestSshd> {
    const address = options.address ?? '127.0.0.1';
    const folder = await mkdtemp(path.join(this.folder, 'host-'));
    const home = path.join(folder, 'home');
    await mkdir(home);
    const types = options.hostKeys ?? ['ed25519'];
    for (const type of types) {
      await run('ssh-keygen', ['-q', '-t', type, '-N', '', '-f', path.join(folder, `host_${type}`)]);
    }
    const authorized = options.authorized ?? [`${this.key}.pub`];
    const keys = await Promise.all(authorized.map((file) => readFile(file, 'utf8')));
    await writeFile(path.join(folder, 'authorized_keys'), keys.join(''));
    const port = await freePort(address);
    await writeFile(
      path.join(folder, 'sshd_config'),
      [
        ...(options.lines ?? []),
        `ListenAddress ${address.includes(':') ? `[${address}]` : address}:${port}`,
        ...types.map((type) => `HostKey ${path.join(folder, `host_${type}`)}`),
        `AuthorizedKeysFile ${path.join(folder, 'authorized_keys')}`,
        'StrictModes no',
        'UsePAM no',
        'PasswordAuthentication no',
        'KbdInteractiveAuthentication no',
        'PermitRootLogin yes',
        `PidFile none`,
        `SetEnv HOME=${home}`,
        '',
      ].join('\n'),
    );
    const publicKeys = await Promise.all(
      types.map(async (type) =>
        (await readFile(path.join(folder, `host_${type}.pub`), 'utf8')).split(' ').slice(0, 2).join(' '),
      ),
    );
    const child = await listening(path.join(folder, 'sshd_config'));
    const host: TestSshd = {
      port,
      address,
      home,
      publicKeys,
      killSessions: async () => signalBelow(child.pid as number, 'SIGKILL'),
      signalSessions: async (signal) => signalBelow(child.pid as number, signal),
      stop: async () => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const gone = new Promise((resolve) => child.once('exit', resolve));
        signalBelow(child.pid as number, 'SIGKILL');
        child.kill('SIGKILL');
        await gone;
      },
    };
    this.hosts.push(host);
    const known = await readFile(this.knownHosts, 'utf8').catch(() => '');
    await writeFile(this.knownHosts, `${known}[${address}]:${port} ${publicKeys[0]}\n`);
    return host;
  }

  async close(): Promise<void> {
    await Promise.all(this.hosts.map((host) => host.stop()));
    await rm(this.folder, { recursive: true, force: true });
  }
}

export async function freePort(address: string): Promise<number> {
  return (await freePorts(1, address))[0] as number;
}

async function listening(config: string): Promise<ChildProcess> {
  await mkdir('/run/sshd', { recursive: true });
  const child = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('Server listening')) resolve();
    });
    child.once('exit', (code) => reject(new Error(`sshd ended with ${code}: ${said}`)));
    child.once('error', reject);
  });
  return child;
}

/**
 * Sends a signal to all sshd processes below one. The call is synchronous, so an upload of this process does not advance
 * meanwhile.
 */
function signalBelow(root: number, signal: NodeJS.Signals): void {
  const parents = new Map<number, number>();
  const names = new Map<number, string>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    let stat = '';
    try {
      stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
    } catch {
      // The process ended during the scan.
    }
    const fields = /^(\d+) \((.*)\) \S (\d+)/s.exec(stat);
    if (fields === null) continue;
    parents.set(Number(entry), Number(fields[3]));
    names.set(Number(entry), fields[2] ?? '');
  }
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent !== undefined && (parent === root || isBelow(parent));
  };
  for (const [pid, name] of names) {
    if (!name.startsWith('sshd') || !isBelow(pid)) continue;
    try {
      process.kill(pid, signal);
    } catch {
      // The process ended during the scan.
    }
  }
}
