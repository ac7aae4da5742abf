import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { root } from '../e2e/harness.ts';
import type { TestHost } from './host.ts';

export interface LeftoverOptions {
  /** Programs that may stay, as paths relative to the home. By default an uploaded agent. */
  keeps?: RegExp;
  /** Lines of the answer that are expected: an agent kept where the home could not take it. */
  expected?: RegExp;
  /** Processes end and sockets close a moment after the command that caused them. */
  boundMs?: number;
}

/**
 * What a host has that it did not have when it was opened, in words: processes, bound sockets, temporary files,
 * shared memory. Empty = nothing. Waits, bounded, for it to become empty.
 */
export async function leftovers(host: TestHost, options: LeftoverOptions = {}): Promise<string[]> {
  const end = Date.now() + (options.boundMs ?? 10_000);
  for (;;) {
    const found = [
      ...processes(host),
      ...sockets(host),
      ...(await files(host, options.keeps ?? uploadedAgent)),
      ...(await systemV(host)),
    ].filter((line) => options.expected?.test(line) !== true);
    if (found.length === 0 || Date.now() > end) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The cache folder with whole agents in it, named by their content; parts of an upload have other names. */
const uploadedAgent =
  /^\.cache\/collbench\/[0-9a-f]{64}(\/(collbench-agent|(lookalikes\/)?lib[a-z0-9-]+\.so(\.1)?))?$/;

function processes(host: TestHost): string[] {
  return host
    .processes()
    .filter(({ command, parent }) => !(parent === host.initPid && /sshd -D/.test(command)))
    .map(({ pid, uid, command, state }) => `process ${pid} of user ${uid} (${state}): ${command}`);
}

/** Listening TCP, bound UDP and named Unix sockets of the host's network namespace, sshd's own left out. */
function sockets(host: TestHost): string[] {
  const table = (name: string) =>
    readFileSync(`/proc/${host.initPid}/net/${name}`, 'latin1')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/));
  const port = (address = '') => Number.parseInt(address.slice(address.lastIndexOf(':') + 1), 16);
  const found: string[] = [];
  for (const name of ['tcp', 'tcp6'])
    for (const [, address, , state] of table(name))
      if (state === '0A' && port(address) !== 22)
        found.push(`${name} socket listens on port ${port(address)}`);
  for (const name of ['udp', 'udp6'])
    for (const [, address] of table(name)) if (address) found.push(`${name} socket on port ${port(address)}`);
  for (const columns of table('unix')) if (columns[7]) found.push(`Unix socket ${columns[7]}`);
  return found;
}

/** The way to the project, and what hosts are shown of it: it may lie in a folder for temporary files itself. */
export const isProjectPath = (file: string): boolean =>
  `${root}/`.startsWith(`${file}/`) || file.startsWith(`${root}/`);

async function files(host: TestHost, keeps: RegExp): Promise<string[]> {
  const found = ['/tmp', '/var/tmp', '/dev/shm'].flatMap((folder) =>
    host
      .files(folder)
      .filter((file) => !isProjectPath(`${folder}/${file}`))
      .map((file) => `file ${folder}/${file}`),
  );
  for (const user of host.users) {
    const home = `/home/${user.name}`;
    for (const file of host.files(home))
      if (!(await expected(host.path(`${home}/${file}`), file, keeps))) found.push(`file ${home}/${file}`);
  }
  return found;
}

/** The login's own files, the folders of the cache, and in them whole programs: ones that can be started. */
async function expected(path: string, file: string, keeps: RegExp): Promise<boolean> {
  if (/^\.ssh(\/authorized_keys)?$/.test(file)) return true;
  const about = await stat(path).catch(() => null);
  if (about === null) return true; // Removed while we looked.
  if (about.isDirectory()) return /^\.cache(\/collbench(\/[^/]+(\/lookalikes)?)?)?$/.test(file);
  return keeps.test(file) && (about.mode & 0o100) !== 0;
}

async function systemV(host: TestHost): Promise<string[]> {
  const listed = await host.root(
    'for kind in shm sem msg; do sed "1d;s/^/System V $kind:/" /proc/sysvipc/$kind; done',
  );
  return listed.split('\n').filter((line) => line !== '');
}
