import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { mustExecute, pollUntil } from './command.ts';
import type { TestHost } from './host.ts';

/** Faults of a test host. Each resolves when the fault is there; the function it gives takes it away again. */
export type FaultUndo = () => Promise<void>;

// ---- network

/** The cable is pulled: no carrier at either end. */
export async function linkDown(host: TestHost): Promise<FaultUndo> {
  await mustExecute('ip', ['link', 'set', host.link, 'down']);
  return async () => {
    await mustExecute('ip', ['link', 'set', host.link, 'up']);
    // A port of a bridge forwards again as soon as it has carrier.
    await pollUntil(`${host.link} forwards`, async () => / state forwarding /.test(await port(host)));
  };
}

/** The controller forgets where the host is: as if it had never talked to it. */
export async function forgetNeighbour(host: TestHost): Promise<FaultUndo> {
  await mustExecute('ip', ['neighbour', 'flush', 'to', host.address]);
  return async () => {};
}

const port = (host: TestHost) => mustExecute('bridge', ['link', 'show', 'dev', host.link]);

/** The switch forwards nothing from or to the host; both ends keep their carrier and see only silence. */
export async function packetsDropped(host: TestHost): Promise<FaultUndo> {
  await mustExecute('bridge', ['link', 'set', 'dev', host.link, 'state', '0']);
  return async () => {
    await mustExecute('bridge', ['link', 'set', 'dev', host.link, 'state', '3']);
  };
}

/** Packets to and from port 22 vanish; everything else gets through, ranks among each other too. */
export const sshDropped = (host: TestHost): Promise<FaultUndo> =>
  filtered(host, 'tcp dport 22 drop', 'tcp sport 22 drop');

/** Only port 22 gets through: the controller hears the host, ranks do not hear each other. */
export const blockAllButSsh = (host: TestHost): Promise<FaultUndo> =>
  filtered(host, 'iifname eth0 tcp dport != 22 drop', 'oifname eth0 tcp sport != 22 drop');

async function filtered(host: TestHost, input: string, output: string): Promise<FaultUndo> {
  await host.root(
    `nft 'table inet bed {
      chain in { type filter hook input priority 0; ${input}; }
      chain out { type filter hook output priority 0; ${output}; }
    }'`,
  );
  return async () => {
    await host.root('nft delete table inet bed');
  };
}

// ---- processes

/** Patterns for command lines on a host. */
export const agentInside = /collbench-agent(?!\S* rank)/;
export const rankInside = /collbench-agent\S* rank/;
/** The half of sshd that serves one login with the rights of its user. */
export const sshSession = /^sshd(-session)?: \S+@/;

/** Sends a signal to every process of the host whose command line matches; there must be one. Gives their pids. */
export function signalProcesses(host: TestHost, pattern: RegExp, signal: NodeJS.Signals): number[] {
  const pids = host
    .processes()
    .filter(({ command, state }) => state !== 'Z' && pattern.test(command))
    .map(({ pid }) => pid);
  if (pids.length === 0) throw new Error(`${host.name} has no process ${pattern}`);
  for (const pid of pids) process.kill(pid, signal);
  return pids;
}

/** Stops matching processes, as a debugger or a full swap would; undone, those that live go on. */
export async function stopProcesses(host: TestHost, pattern: RegExp): Promise<FaultUndo> {
  const pids = signalProcesses(host, pattern, 'SIGSTOP');
  const of = () => host.processes().filter(({ pid }) => pids.includes(pid));
  await pollUntil('the processes stop', () => of().every(({ state }) => state === 'T'));
  return async () => {
    for (const { pid } of of()) process.kill(pid, 'SIGCONT');
  };
}

// ---- files

/** No byte more fits into the user's home. */
export const homeFull = (host: TestHost): Promise<FaultUndo> => full(host, host.home);

/** No byte more fits into /tmp. */
export const tmpFull = (host: TestHost): Promise<FaultUndo> => full(host, '/tmp');

async function full(host: TestHost, folder: string): Promise<FaultUndo> {
  const ballast = `${folder}/.ballast`;
  // cat ends with "No space left on device".
  await host.root(`! cat /dev/zero >${ballast} 2>/dev/null`);
  return () => rm(host.path(ballast));
}

/** Fails while a file is open there for writing, as the kernel refuses it. */
export const homeReadOnly = (host: TestHost): Promise<FaultUndo> => remounted(host, 'ro', 'rw');

export const homeNoExec = (host: TestHost): Promise<FaultUndo> => remounted(host, 'noexec', 'exec');

async function remounted(host: TestHost, flag: string, opposite: string): Promise<FaultUndo> {
  await host.root(`mount -o remount,bind,${flag} ${host.home}`);
  return async () => {
    await host.root(`mount -o remount,bind,${opposite} ${host.home}`);
  };
}

/** A /dev in which there is no shm. */
export async function hideSharedMemory(host: TestHost): Promise<FaultUndo> {
  await host.root(
    `mkdir /run/dev && mount -t tmpfs -o mode=755 bed /run/dev && cd /run/dev &&
     for node in null zero full random urandom tty; do cp -a /dev/$node .; done && mkdir pts &&
     mount --rbind /dev/pts pts && ln -s pts/ptmx ptmx && ln -s /proc/self/fd fd &&
     for i in 0:stdin 1:stdout 2:stderr; do ln -s fd/\${i%:*} \${i#*:}; done &&
     mount --move /run/dev /dev`,
  );
  return async () => {
    await host.root('umount -l /dev && rmdir /run/dev');
  };
}

// ---- login

/** sshd answers with a key that known_hosts does not have. */
export async function wrongHostKey(host: TestHost): Promise<FaultUndo> {
  const key = `${host.folder}/ssh/ssh_host_ed25519_key`;
  await mustExecute('sh', ['-c', 'mv "$1" "$1.kept" && ssh-keygen -q -t ed25519 -N "" -f "$1"', 'sh', key]);
  await restarted(host);
  return async () => {
    await mustExecute('mv', [`${key}.kept`, key]);
    await restarted(host);
  };
}

/** The user's keys are no longer accepted; logins that stand go on. */
export async function loginRefused(host: TestHost): Promise<FaultUndo> {
  const file = host.path(`${host.home}/.ssh/authorized_keys`);
  const keys = await readFile(file, 'utf8');
  await writeFile(file, '');
  return () => writeFile(file, keys);
}

/** Nobody listens on port 22; logins that stand go on. */
export async function sshdDown(host: TestHost): Promise<FaultUndo> {
  await host.stopSshd();
  return () => host.startSshd();
}

/** Every login may have so many files open, sshd's own included. */
export async function limitOpenFiles(host: TestHost, openFiles: number): Promise<FaultUndo> {
  await restarted(host, { openFiles });
  return () => restarted(host);
}

async function restarted(host: TestHost, options: { openFiles?: number } = {}): Promise<void> {
  await host.stopSshd();
  await host.startSshd(options);
}

/** What bash reads before each command of a login: by default it talks on stdout and stderr. */
export async function hostileBashrc(
  host: TestHost,
  text = 'echo "Welcome to $HOSTNAME!"; printf \'{"hello":"from .bashrc"}\\n\'; echo "quota: 99 %" >&2\n',
): Promise<FaultUndo> {
  const file = host.path(`${host.home}/.bashrc`);
  await writeFile(file, text);
  return () => rm(file);
}

/** The user's login shell takes so many seconds before it does anything. */
export const slowShell = (host: TestHost, seconds: number): Promise<FaultUndo> =>
  loginShell(host, `#!/bin/sh\nsleep ${seconds}\nexec /bin/bash "$@"\n`);

/** Another login shell: a script that gets `-c COMMAND`. */
export async function loginShell(host: TestHost, script: string): Promise<FaultUndo> {
  const shell = host.path('/run/login-shell');
  await writeFile(shell, script);
  await chmod(shell, 0o755);
  const accounts = host.path('/etc/passwd');
  const before = await readFile(accounts, 'utf8');
  const line = new RegExp(`^(${host.user.name}:.*:)[^:]*$`, 'm');
  await writeFile(accounts, before.replace(line, '$1/run/login-shell'));
  return async () => {
    await writeFile(accounts, before);
    await rm(shell);
  };
}

/** A shared library of the machine cannot be loaded on this host. The file is there but empty. */
export async function libraryBroken(host: TestHost, file: string): Promise<FaultUndo> {
  await host.root(`: >/run/empty && mount --bind /run/empty "$(readlink -f ${file})"`);
  return async () => {
    await host.root(`umount "$(readlink -f ${file})"`);
  };
}
