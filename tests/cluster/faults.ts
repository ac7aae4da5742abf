import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { mustExecute, pollUntil } from './command.ts';
import type { TestHost } from './host.ts';

/** Removes a fault from a test host. Each function below resolves with it when the fault is in effect. */
export type FaultUndo = () => Promise<void>;

// ---- network

/** Takes the link of the host down, as if its cable were pulled: neither end has a carrier. */
export async function linkDown(host: TestHost): Promise<FaultUndo> {
  await mustExecute('ip', ['link', 'set', host.link, 'down']);
  return async () => {
    await mustExecute('ip', ['link', 'set', host.link, 'up']);
    // The bridge forwards to this port only after it has detected the carrier.
    await pollUntil(`${host.link} forwards`, async () => / state forwarding /.test(await port(host)));
  };
}

/** Removes the host from this machine's neighbour (ARP) cache, as if the two had never communicated. */
export async function forgetNeighbour(host: TestHost): Promise<FaultUndo> {
  await mustExecute('ip', ['neighbour', 'flush', 'to', host.address]);
  return async () => {};
}

const port = (host: TestHost) => mustExecute('bridge', ['link', 'show', 'dev', host.link]);

/** Changes the rate of the host's link, in both directions. @param burstKb bytes that pass at full rate after a pause, kB */
export async function slowCable(host: TestHost, mbit: number, burstKb = 64): Promise<void> {
  const shape = `root tbf rate ${mbit}mbit burst ${burstKb}kb latency 20ms`;
  await mustExecute('tc', ['qdisc', 'replace', 'dev', host.link, ...shape.split(' ')]);
  await host.root(`tc qdisc replace dev eth0 ${shape}`);
}

/** Makes the bridge drop all packets from and to the host. Both ends keep their carrier and get no error. */
export async function packetsDropped(host: TestHost): Promise<FaultUndo> {
  await mustExecute('bridge', ['link', 'set', 'dev', host.link, 'state', '0']);
  return async () => {
    await mustExecute('bridge', ['link', 'set', 'dev', host.link, 'state', '3']);
  };
}

/** Drops packets to and from port 22 of the host. All other packets pass, also those between ranks. */
export const sshDropped = (host: TestHost): Promise<FaultUndo> =>
  filtered(host, 'tcp dport 22 drop', 'tcp sport 22 drop');

/** Drops all packets of the host's network except those of port 22: SSH works, but ranks cannot reach each other. */
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

/** Matches the command line of an agent, but not of its rank processes. */
export const agentInside = /collbench-agent(?!\S* rank)/;
export const rankInside = /collbench-agent\S* rank/;
/** Matches the process of sshd that serves one login with the rights of its user. */
export const sshSession = /^sshd(-session)?: \S+@/;

/** Sends a signal to each process of the host whose command line matches. Returns their pids. @throws Error if none matches */
export function signalProcesses(host: TestHost, pattern: RegExp, signal: NodeJS.Signals): number[] {
  const pids = host
    .processes()
    .filter(({ command, state }) => state !== 'Z' && pattern.test(command))
    .map(({ pid }) => pid);
  if (pids.length === 0) throw new Error(`${host.name} has no process ${pattern}`);
  for (const pid of pids) process.kill(pid, signal);
  return pids;
}

/** Stops matching processes, as a debugger or full swap space would. Undo lets those that still exist continue. */
export async function stopProcesses(host: TestHost, pattern: RegExp): Promise<FaultUndo> {
  const pids = signalProcesses(host, pattern, 'SIGSTOP');
  const of = () => host.processes().filter(({ pid }) => pids.includes(pid));
  await pollUntil('the processes stop', () => of().every(({ state }) => state === 'T'));
  return async () => {
    for (const { pid } of of()) process.kill(pid, 'SIGCONT');
  };
}

// ---- files

/** Fills the file system of the user's home completely. */
export const homeFull = (host: TestHost): Promise<FaultUndo> => full(host, host.home);

/** Fills the file system of /tmp completely. */
export const tmpFull = (host: TestHost): Promise<FaultUndo> => full(host, '/tmp');

async function full(host: TestHost, folder: string): Promise<FaultUndo> {
  const ballast = `${folder}/.ballast`;
  // cat must fail, with "No space left on device".
  await host.root(`! cat /dev/zero >${ballast} 2>/dev/null`);
  return () => rm(host.path(ballast));
}

/** Makes the user's home read-only. Fails while a file in it is open for writing, because the kernel refuses. */
export const homeReadOnly = (host: TestHost): Promise<FaultUndo> => remounted(host, 'ro', 'rw');

export const homeNoExec = (host: TestHost): Promise<FaultUndo> => remounted(host, 'noexec', 'exec');

async function remounted(host: TestHost, flag: string, opposite: string): Promise<FaultUndo> {
  await host.root(`mount -o remount,bind,${flag} ${host.home}`);
  return async () => {
    await host.root(`mount -o remount,bind,${opposite} ${host.home}`);
  };
}

/** Replaces /dev by one that has no /dev/shm. */
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

/** Gives sshd another host key, which known_hosts does not contain. */
export async function wrongHostKey(host: TestHost): Promise<FaultUndo> {
  const key = `${host.folder}/ssh/ssh_host_ed25519_key`;
  await mustExecute('sh', ['-c', 'mv "$1" "$1.kept" && ssh-keygen -q -t ed25519 -N "" -f "$1"', 'sh', key]);
  await restarted(host);
  return async () => {
    await mustExecute('mv', [`${key}.kept`, key]);
    await restarted(host);
  };
}

/** Makes sshd reject the user's keys; existing logins continue. */
export async function loginRefused(host: TestHost): Promise<FaultUndo> {
  const file = host.path(`${host.home}/.ssh/authorized_keys`);
  const keys = await readFile(file, 'utf8');
  await writeFile(file, '');
  return () => writeFile(file, keys);
}

/** Stops sshd, so that no process listens on port 22; existing logins continue. */
export async function sshdDown(host: TestHost): Promise<FaultUndo> {
  await host.stopSshd();
  return () => host.startSshd();
}

/** Limits the number of open files of sshd and of every login to `openFiles`. */
export async function limitOpenFiles(host: TestHost, openFiles: number): Promise<FaultUndo> {
  await restarted(host, { openFiles });
  return () => restarted(host);
}

async function restarted(host: TestHost, options: { openFiles?: number } = {}): Promise<void> {
  await host.stopSshd();
  await host.startSshd(options);
}

/** Writes a .bashrc, which bash reads before each command of a login. By default it prints to stdout and stderr. */
export async function hostileBashrc(
  host: TestHost,
  text = 'echo "Welcome to $HOSTNAME!"; printf \'{"hello":"from .bashrc"}\\n\'; echo "quota: 99 %" >&2\n',
): Promise<FaultUndo> {
  const file = host.path(`${host.home}/.bashrc`);
  await writeFile(file, text);
  return () => rm(file);
}

/** Makes the user's login shell sleep for `seconds` before it runs anything. */
export const slowShell = (host: TestHost, seconds: number): Promise<FaultUndo> =>
  loginShell(host, `#!/bin/sh\nsleep ${seconds}\nexec /bin/bash "$@"\n`);

/** Replaces the user's login shell by a script, which is called with `-c COMMAND`. */
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

/** Makes a shared library impossible to load on this host, by mounting an empty file over it. */
export async function libraryBroken(host: TestHost, file: string): Promise<FaultUndo> {
  await host.root(`: >/run/empty && mount --bind /run/empty "$(readlink -f ${file})"`);
  return async () => {
    await host.root(`umount "$(readlink -f ${file})"`);
  };
}
