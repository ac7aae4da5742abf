import { type ChildProcessWithoutNullStreams, execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { HostSpec } from '../hosts/host.ts';
import { ConnectionLimiter } from './connection-limiter.ts';
import { type AgentExit, type Launcher, StartError } from './launcher.ts';
import { hostNamed } from './ssh/index.ts';
import { checkNames } from './ssh/names.ts';
import { type SshOptions, withDefaults } from './ssh/options.ts';
import { OutputTail } from './tail.ts';
import { type Bundle, bundleOf } from './upload/bundle.ts';
import {
  type ChildShell,
  deployThroughChild,
  endChild,
  exitOfChild,
  spawnInSession,
} from './upload/child-shell.ts';
import { type RemoteRun, remoteProcess } from './upload/remote-process.ts';
import { remoteScript } from './upload/remote-script.ts';
import { killCommand } from './upload/shell-exit.ts';

/**
 * Seconds for which a shared connection stays open while no agent uses it. It matters only if the controller was killed: close()
 * ends the connections at once.
 */
const persistS = 30;
/** Exit code of ssh for errors of ssh itself. ssh also exits with this code if a signal killed the remote command. */
const ownFault = 255;

/**
 * Launcher that uses the system's ssh program. It supports what the built-in client does not: Kerberos, hardware keys, host
 * certificates, RevokedHostKeys, ProxyCommand. All ssh processes for a host share one connection. `passphrase` is not used:
 * load encrypted keys with ssh-add.
 */
export function opensshLauncher(hosts: readonly HostSpec[], given: SshOptions = {}): Launcher {
  const options = withDefaults(given);
  const bundles = new Map<string, Promise<Bundle>>();
  const limiter = new ConnectionLimiter(options.parallel);
  const running = new Set<ChildProcessWithoutNullStreams>();
  const used = new Set<HostSpec>();
  let folder: Promise<string> | null = null;

  async function argumentsFor(host: HostSpec): Promise<string[]> {
    // A socket path may have 107 bytes; ssh adds up to 58 for %C and a temporary suffix.
    const base = tmpdir().length > 18 ? '/tmp' : tmpdir();
    folder ??= socketFolder(base);
    used.add(host);
    return sshArguments(host, options, await folder);
  }

  async function start(
    name: string,
    agentPath: string,
    tail: OutputTail,
    signal: AbortSignal,
  ): Promise<RemoteRun> {
    const host = hostNamed(hosts, name);
    checkNames(host);
    const bundle = await bundleOf(bundles, agentPath);
    const marker = randomBytes(12).toString('hex');
    const script = remoteScript(marker, bundle, options);
    const args = await argumentsFor(host);
    return limiter.pass(signal, async () => {
      const child = spawnInSession('ssh', [...args, script.command]);
      running.add(child);
      child.once('exit', () => running.delete(child));
      const shell: ChildShell = {
        ...{ host: name, tail, marker, script, bundle, isBare: false },
        exit: exitOf(child, tail),
        explain: ({ lost }) => (lost === undefined ? null : sshFailed(name, args, tail)),
        signal: (kind, pid) => void quietly([...args, killCommand(kind, pid)]),
      };
      return (await deployThroughChild(child, shell, signal)).run;
    });
  }

  return {
    name: 'openssh',
    remote: true,
    start: (name, agentPath) => {
      const tail = new OutputTail();
      return remoteProcess(name, tail, (signal) => start(name, agentPath, tail, signal));
    },
    close: async () => {
      for (const child of running) endChild(child);
      // Without the folder no connection was made; the error was reported by the agents that needed it.
      const made = await folder?.catch(() => null);
      if (made == null) return;
      const masters = [...used].map((host) => quietly(['-O', 'exit', ...sshArguments(host, options, made)]));
      await Promise.all(masters);
      // A folder that stays is removed by a later controller.
      await rm(made, { recursive: true, force: true }).catch(() => undefined);
    },
  };
}

/**
 * Age in ms from which the folder of a dead process is removed. A younger folder may belong to a process in another container,
 * whose process ids are not visible.
 */
const leftAfterMs = 24 * 3600 * 1000;

/**
 * Creates the folder for the sockets of shared connections in `base` and returns its path. Removes folders older than a day
 * that killed controllers of the same user left behind.
 */
export async function socketFolder(base: string): Promise<string> {
  for (const name of await readdir(base)) {
    const [, pid] = /^collbench-ssh-(\d{1,7})-\w+$/.exec(name) ?? [];
    if (pid === undefined || isAlive(Number(pid))) continue;
    const left = path.join(base, name);
    const kind = await lstat(left).catch(() => null);
    const isOurs = kind?.isDirectory() === true && kind.uid === process.getuid?.();
    if (isOurs && Date.now() - kind.mtimeMs > leftAfterMs)
      await rm(left, { recursive: true, force: true }).catch(() => undefined);
  }
  return mkdtemp(path.join(base, `collbench-ssh-${process.pid}-`));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Returns the arguments of ssh before the remote command. A `--` before the host's name prevents ssh from reading the name as an
 * option.
 * @param folder folder for the sockets of shared connections
 */
function sshArguments(host: HostSpec, options: Required<SshOptions>, folder: string): string[] {
  const settings = {
    BatchMode: 'yes',
    // Host keys are always checked, whatever the configuration says.
    StrictHostKeyChecking: 'yes',
    ConnectTimeout: Math.ceil(options.connectTimeoutMs / 1000),
    ServerAliveInterval: Math.ceil(options.keepaliveMs / 1000),
    ServerAliveCountMax: options.keepaliveCount,
    ControlMaster: 'auto',
    ControlPath: `${folder}/%C`,
    ControlPersist: persistS,
    ClearAllForwardings: 'yes',
    RemoteCommand: 'none',
    ...(options.knownHostsFiles === null
      ? {}
      : { UserKnownHostsFile: options.knownHostsFiles.map((file) => `"${file}"`).join(' ') }),
  };
  return [
    '-T',
    ...(options.configFile === null ? [] : ['-F', options.configFile]),
    ...Object.entries(settings).flatMap(([key, value]) => ['-o', `${key}=${value}`]),
    ...options.identityFiles.flatMap((file) => ['-i', file]),
    ...(host.user === null ? [] : ['-l', host.user]),
    ...(host.port === null ? [] : ['-p', String(host.port)]),
    '--',
    host.address.replace(/^\[(.*)\]$/, '$1'),
  ];
}

async function exitOf(child: ChildProcessWithoutNullStreams, tail: OutputTail): Promise<AgentExit> {
  const { code, signal, startError } = await exitOfChild(child);
  if (startError !== null || (code !== null && code !== ownFault)) return { code, signal: null, startError };
  const how = code === null ? `ssh was killed by ${signal}` : `ssh ended with ${code}`;
  const word = tail.lines().at(-1);
  const lost = word === undefined ? how : `${how} (${word})`;
  return { code: null, signal: null, startError: null, lost };
}

/**
 * Error for a failed ssh process. Its message says what failed, with the line of ssh's stderr that names the cause, unless that is
 * a wrong host key.
 * @param args arguments of ssh; the suggested command repeats user, port and address
 * @param tail stderr of ssh
 */
function sshFailed(host: string, args: readonly string[], tail: OutputTail): StartError {
  const lines = tail.lines();
  const telling =
    /Host key verification failed|Permission denied|Could not resolve|refused|timed out|No route|unreachable/i;
  const why = lines.findLast((line) => telling.test(line)) ?? lines.at(-1) ?? 'no reason given';
  const message = /Permission denied/.test(why)
    ? `${host} refused the login: ${why}`
    : /Host key verification failed/.test(why)
      ? `the host key of ${host} differs from the known one, or is not known`
      : `ssh cannot reach ${host}: ${why}`;
  return new StartError(
    message,
    lines.map((line) => `ssh: ${line}`),
    // The suggested command needs only user, port and address: `-l` and `-p` are the last options before `--`.
    ['ssh', ...args.slice(args.findIndex((arg) => arg === '-l' || arg === '-p' || arg === '--'))]
      .filter((arg) => arg !== '--')
      .join(' '),
  );
}

/** Runs ssh for at most 10 s and ignores its result; never rejects. A failure is noticed later, when the connection is used. */
function quietly(args: string[]): Promise<void> {
  return new Promise((resolve) => {
    execFile('ssh', args, { timeout: 10_000 }, () => resolve());
  });
}
