import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Socket } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { ProcessResult } from '../e2e/harness.ts';
import { execute, mustExecute, pollUntil } from './command.ts';

const script = path.resolve(
  path.dirname(fileURLToPath(import.meta.url)),
  '../../../tests/cluster/host-init.sh',
);

/** A user account that exists on the test hosts, but not on this machine. */
export interface LoginUser {
  name: string;
  uid: number;
}

export interface HostProcess {
  /** Process id in this machine's pid namespace, not in the host's. */
  pid: number;
  parent: number;
  uid: number;
  command: string;
  /** One letter as in /proc: 'T' is stopped, 'Z' a zombie. */
  state: string;
}

export interface TestHostOptions {
  name: string;
  /** Folder of this machine with etc/ and ssh/ of the host. */
  folder: string;
  address: string;
  address6: string | null;
  /** Name of the bridge-side network interface of the host. */
  link: string;
  users: readonly LoginUser[];
  sizeMiB: number;
  hide: string;
  share: readonly string[];
  /** First process instead of host-init.sh, with more namespaces and variables; absent = host-init.sh. */
  init?: { script: string; namespaces: readonly string[]; environment: Record<string, string> };
}

/** One test host: a process tree in namespaces of its own, with its own sshd. */
export class TestHost {
  readonly name: string;
  readonly address: string;
  readonly address6: string | null;
  readonly port = 22;
  readonly link: string;
  readonly users: readonly LoginUser[];
  readonly folder: string;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #gone: Promise<void>;
  #initPid = 0;
  #pidNamespace = '';
  #stderr = '';

  private constructor(options: TestHostOptions) {
    this.name = options.name;
    this.address = options.address;
    this.address6 = options.address6;
    this.link = options.link;
    this.users = options.users;
    this.folder = options.folder;
    const namespaces = [
      '--net',
      '--uts',
      '--ipc',
      '--mount',
      '--pid',
      '--fork',
      '--kill-child',
      '--mount-proc',
      ...(options.init?.namespaces ?? []),
    ];
    // The child gets its own session, so that Ctrl-C does not reach it. It exits when its stdin closes, thus with this process.
    this.#child = spawn('unshare', [...namespaces, 'bash', options.init?.script ?? script], {
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        HOST_FOLDER: options.folder,
        HOST_NAME: options.name,
        HOST_USERS: options.users.map((user) => `${user.name}:${user.uid}`).join(' '),
        HOST_SIZE_MIB: String(options.sizeMiB),
        HOST_HIDE: options.hide,
        HOST_SHARE: options.share.join(':'),
        ...options.init?.environment,
      },
    });
    this.#gone = new Promise((resolve) => this.#child.once('close', () => resolve()));
    this.#child.stdin.on('error', () => undefined);
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text;
    });
    this.#keepsAlive(false);
  }

  /**
   * Sets whether the host keeps this Node process running. It does so only while a caller awaits the host, so that a test
   * which forgets to close a host still ends.
   */
  #keepsAlive(yes: boolean): void {
    const { stdin, stdout, stderr } = this.#child;
    for (const part of [this.#child, ...([stdin, stdout, stderr] as unknown as Socket[])])
      yes ? part.ref() : part.unref();
  }

  /** Starts a host and resolves when its file systems are mounted; network and sshd are started later. */
  static async start(options: TestHostOptions): Promise<TestHost> {
    const host = new TestHost(options);
    const ready = new Promise<boolean>((resolve) => {
      const lines = createInterface({ input: host.#child.stdout });
      lines.once('line', () => resolve(true));
      void host.#gone.then(() => resolve(false));
      host.#child.once('error', () => resolve(false));
    });
    host.#keepsAlive(true);
    const stands = await ready;
    host.#keepsAlive(false);
    if (!stands) throw new Error(`test host ${options.name} does not start: ${host.#stderr}`);
    const unshare = host.#child.pid;
    host.#initPid = Number(readFileSync(`/proc/${unshare}/task/${unshare}/children`, 'latin1').trim());
    host.#pidNamespace = readlinkSync(`/proc/${host.#initPid}/ns/pid`);
    return host;
  }

  /** Process id of the host's first process, in this machine's pid namespace. */
  get initPid(): number {
    return this.#initPid;
  }

  /** The first user of the host; a host has one unless the test asks for more. */
  get user(): LoginUser {
    return this.users[0] as LoginUser;
  }

  get home(): string {
    return `/home/${this.user.name}`;
  }

  /** Path on this machine of a file of the host. @param file absolute path on the host */
  path(file: string): string {
    return `/proc/${this.#initPid}/root${file}`;
  }

  /** Sends a command line to the host's first process, see host-init.sh. */
  tell(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  /** Runs a shell command on the host without SSH: as `as` (default: the first user), in the home of this user. */
  run(command: string, options: { as?: 'root' | LoginUser; input?: string } = {}): Promise<ProcessResult> {
    const user = options.as ?? this.user;
    const enter = ['-t', String(this.#initPid), '-m', '-u', '-i', '-n', '-p'];
    const become =
      user === 'root' ? [] : ['setpriv', `--reuid=${user.uid}`, `--regid=${user.uid}`, '--clear-groups'];
    const home = user === 'root' ? '/' : `/home/${user.name}`;
    const env = {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: home,
      USER: user === 'root' ? 'root' : user.name,
    };
    return execute('nsenter', [...enter, ...become, 'sh', '-c', `cd && ${command}`], {
      env,
      ...(options.input === undefined ? {} : { input: options.input }),
    });
  }

  /** Runs a shell command on the host as root and returns its stdout. @throws Error if its exit code is not 0 */
  async root(command: string): Promise<string> {
    const ran = await this.run(command, { as: 'root' });
    if (ran.code !== 0) throw new Error(`${this.name}: ${command}: exit ${ran.code}\n${ran.stderr}`);
    return ran.stdout;
  }

  /** All processes of the host except its first, of every user. */
  processes(): HostProcess[] {
    return readdirSync('/proc').flatMap((name) => {
      if (!/^\d+$/.test(name) || Number(name) === this.#initPid) return [];
      try {
        if (readlinkSync(`/proc/${name}/ns/pid`) !== this.#pidNamespace) return [];
        const status = readFileSync(`/proc/${name}/status`, 'latin1');
        const field = (key: string) => new RegExp(`^${key}:\\s+(\\S+)`, 'm').exec(status)?.[1] ?? '';
        const commandLine = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        return [
          {
            pid: Number(name),
            parent: Number(field('PPid')),
            uid: Number(field('Uid')),
            command: commandLine === '' ? `[${field('Name')}]` : commandLine,
            state: field('State'),
          },
        ];
      } catch {
        return []; // The process ended between these reads.
      }
    });
  }

  /** Process ids of the test users' processes whose command line matches, without zombies. */
  pids(pattern = /(?:)/): number[] {
    return this.processes()
      .filter(({ uid, state }) => state !== 'Z' && this.users.some((user) => user.uid === uid))
      .filter(({ command }) => pattern.test(command))
      .map(({ pid }) => pid);
  }

  /** Sorted paths of all files and folders below a folder of the host, relative to this folder. */
  files(folder: string): string[] {
    return (readdirSync(this.path(folder), { recursive: true }) as string[]).sort();
  }

  /** Starts sshd and resolves when it listens. `openFiles` limits the open files of sshd and of every login. */
  async startSshd(options: { openFiles?: number } = {}): Promise<void> {
    this.tell(`sshd ${options.openFiles ?? '-'}`);
    await pollUntil(`sshd of ${this.name} listens`, () => this.listens());
  }

  /** Kills the sshd that listens; existing logins continue. */
  async stopSshd(): Promise<void> {
    const listening = () =>
      this.processes().filter(
        ({ command, parent, state }) => parent === this.#initPid && state !== 'Z' && /sshd -D/.test(command),
      );
    for (const { pid } of listening()) process.kill(pid, 'SIGKILL');
    await pollUntil(`sshd of ${this.name} is gone`, () => listening().length === 0);
  }

  /** True if sshd listens on port 22, as /proc shows. A connection attempt before the network is up would cost a second. */
  listens(): boolean {
    return readFileSync(`/proc/${this.#initPid}/net/tcp`, 'latin1').includes(
      '00000000:0016 00000000:0000 0A',
    );
  }

  /** Ends all processes of the host and resolves when they are gone. */
  async close(): Promise<void> {
    this.#keepsAlive(true);
    this.#child.stdin.end();
    await this.#gone;
  }
}

/** Connects two test hosts by a second link, eth1. @param rateMbit its rate in each direction, Mbit/s */
export async function addSecondLink(hosts: readonly TestHost[], rateMbit: number): Promise<void> {
  const [first = '', second = ''] = hosts.map(({ initPid }) => String(initPid));
  const words = ['link', 'add', 'eth1', 'netns', first, 'type', 'veth', 'peer', 'name', 'eth1'];
  await mustExecute('ip', [...words, 'netns', second]);
  for (const [place, host] of hosts.entries())
    await host.root(
      `ip address add 10.99.9.${place + 1}/24 dev eth1 && ip link set eth1 up && ` +
        `tc qdisc add dev eth1 root tbf rate ${rateMbit}mbit burst 64kb latency 20ms`,
    );
  for (const host of hosts)
    await pollUntil(`eth1 of ${host.name} is up`, async () =>
      (await host.root('cat /sys/class/net/eth1/operstate')).includes('up'),
    );
}
