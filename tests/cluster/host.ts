import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Socket } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { ProcessResult } from '../e2e/harness.ts';
import { execute, pollUntil } from './command.ts';

const script = path.resolve(
  path.dirname(fileURLToPath(import.meta.url)),
  '../../../tests/cluster/host-init.sh',
);

/** A login of the test hosts; it exists there alone, not on this machine. */
export interface LoginUser {
  name: string;
  uid: number;
}

export interface HostProcess {
  /** As this machine numbers it. */
  pid: number;
  parent: number;
  uid: number;
  command: string;
  /** One letter as in /proc: 'T' is stopped, 'Z' a zombie. */
  state: string;
}

export interface TestHostOptions {
  name: string;
  /** Holds etc/ and ssh/ of this host. */
  folder: string;
  address: string;
  address6: string | null;
  /** Bridge end of its cable. */
  link: string;
  users: readonly LoginUser[];
  sizeMiB: number;
  hide: string;
  share: readonly string[];
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
    ];
    // A session of its own: Ctrl-C must not reach it. It ends with its stdin, thus with this process.
    this.#child = spawn('unshare', [...namespaces, 'bash', script], {
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
      },
    });
    this.#gone = new Promise((resolve) => this.#child.once('close', () => resolve()));
    this.#child.stdin.on('error', () => undefined);
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text;
    });
    this.#keepsAlive(false);
  }

  /** Whether it keeps the test's process alive: only while somebody waits for it, so not when a test forgets it. */
  #keepsAlive(yes: boolean): void {
    const { stdin, stdout, stderr } = this.#child;
    for (const part of [this.#child, ...([stdin, stdout, stderr] as unknown as Socket[])])
      yes ? part.ref() : part.unref();
  }

  /** Resolves when its file system stands; it has no network and no sshd yet. */
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

  /** Its first process, as this machine numbers it. */
  get initPid(): number {
    return this.#initPid;
  }

  /** Its user unless a test asked for several. */
  get user(): LoginUser {
    return this.users[0] as LoginUser;
  }

  get home(): string {
    return `/home/${this.user.name}`;
  }

  /** Where this machine finds a file of the host. */
  path(file: string): string {
    return `/proc/${this.#initPid}/root${file}`;
  }

  /** For the first process: see host-init.sh. */
  tell(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  /** Runs a shell command there, not through SSH; as the test user in its home unless root is asked for. */
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

  /** As root, and it must work. */
  async root(command: string): Promise<string> {
    const ran = await this.run(command, { as: 'root' });
    if (ran.code !== 0) throw new Error(`${this.name}: ${command}: exit ${ran.code}\n${ran.stderr}`);
    return ran.stdout;
  }

  /** All processes but the first, whoever owns them. */
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
        return []; // It ended while we looked.
      }
    });
  }

  /** Living processes of the test users whose command line matches. */
  pids(pattern = /(?:)/): number[] {
    return this.processes()
      .filter(({ uid, state }) => state !== 'Z' && this.users.some((user) => user.uid === uid))
      .filter(({ command }) => pattern.test(command))
      .map(({ pid }) => pid);
  }

  /** Everything below a folder of the host, folders too, relative to it and sorted. */
  files(folder: string): string[] {
    return (readdirSync(this.path(folder), { recursive: true }) as string[]).sort();
  }

  /** Starts sshd and resolves when it takes connections. `openFiles` limits it and every login. */
  async startSshd(options: { openFiles?: number } = {}): Promise<void> {
    this.tell(`sshd ${options.openFiles ?? '-'}`);
    await pollUntil(`sshd of ${this.name} listens`, () => this.listens());
  }

  /** Ends the listening sshd; logins that stand go on. */
  async stopSshd(): Promise<void> {
    const listening = () =>
      this.processes().filter(
        ({ command, parent, state }) => parent === this.#initPid && state !== 'Z' && /sshd -D/.test(command),
      );
    for (const { pid } of listening()) process.kill(pid, 'SIGKILL');
    await pollUntil(`sshd of ${this.name} is gone`, () => listening().length === 0);
  }

  /** Asks the kernel, not the port: a packet sent before the cable is plugged in would cost a second. */
  listens(): boolean {
    return readFileSync(`/proc/${this.#initPid}/net/tcp`, 'latin1').includes(
      '00000000:0016 00000000:0000 0A',
    );
  }

  /** Ends the host with everything in it. */
  async close(): Promise<void> {
    this.#keepsAlive(true);
    this.#child.stdin.end();
    await this.#gone;
  }
}
