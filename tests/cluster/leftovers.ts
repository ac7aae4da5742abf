import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pollUntilEmpty, root } from '../e2e/harness.ts';
import type { TestHost } from './host.ts';

export interface LeftoverOptions {
  /** Executable files that may stay, as paths relative to the home; by default uploaded agents. */
  keeps?: RegExp;
  /** Lines to leave out of the result, for example those of an agent that was stored outside a full home. */
  expected?: RegExp;
  /**
   * Milliseconds to wait until nothing is left, default `pollBoundMs`: processes and sockets may end shortly after their command.
   */
  boundMs?: number;
}

/**
 * Describes what a host has in addition to its initial state: processes, bound sockets, temporary files, shared memory.
 * Returns one line each; an empty list as soon as nothing is left, or what is left after `boundMs`.
 */
export const leftovers = (host: TestHost, options: LeftoverOptions = {}): Promise<string[]> =>
  pollUntilEmpty(
    async () =>
      [
        ...processes(host),
        ...sockets(host),
        ...(await files(host, options.keeps ?? uploadedAgent)),
        ...(await systemV(host)),
      ].filter((line) => options.expected?.test(line) !== true),
    options.boundMs,
  );

/** Matches uploaded agents in the cache folder; folders are named by a hash. Incomplete uploads have other names. */
const uploadedAgent =
  /^\.cache\/collbench\/[0-9a-f]{64}(\/(collbench-agent|(lookalikes\/)?lib[a-z0-9-]+\.so(\.1)?))?$/;

function processes(host: TestHost): string[] {
  return host
    .processes()
    .filter(({ command, parent }) => !(parent === host.initPid && /sshd -D/.test(command)))
    .map(({ pid, uid, command, state }) => `process ${pid} of user ${uid} (${state}): ${command}`);
}

/** Listening TCP, bound UDP and named Unix sockets of the host's network namespace, without port 22 of sshd. */
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

/** True for the project folder, its parent folders and its content: they are no leftovers, even if the project is below /tmp. */
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

/** True for files that may stay in a home: authorized SSH keys, cache folders, and executable files that match `keeps`. */
async function expected(path: string, file: string, keeps: RegExp): Promise<boolean> {
  if (/^\.ssh(\/authorized_keys)?$/.test(file)) return true;
  const about = await stat(path).catch(() => null);
  if (about === null) return true; // The file was removed after it was listed.
  if (about.isDirectory()) return /^\.cache(\/collbench(\/[^/]+(\/lookalikes)?)?)?$/.test(file);
  return keeps.test(file) && (about.mode & 0o100) !== 0;
}

async function systemV(host: TestHost): Promise<string[]> {
  const listed = await host.root(
    'for kind in shm sem msg; do sed "1d;s/^/System V $kind:/" /proc/sysvipc/$kind; done',
  );
  return listed.split('\n').filter((line) => line !== '');
}
