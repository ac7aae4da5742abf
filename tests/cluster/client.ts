import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { mustExecute } from './command.ts';
import type { LoginUser } from './host.ts';

/** The SSH client of a test cluster: a home folder with a login key and the host keys, for the command under test. */
export interface ClusterClient {
  /** Folder with .ssh/{config,known_hosts,id_ed25519}. */
  home: string;
  /** Public key that every host accepts for login, as one line. */
  publicKey: string;
  /** Variables that override the command's environment: HOME is this home, and no ssh-agent is used. */
  environment: Record<string, string>;
  /**
   * Arguments to put before the command. OpenSSH reads the home from /etc/passwd, not from HOME; the prefix mounts a copy
   * of that file with this home.
   */
  prefix: string[];
}

interface HostEntry {
  name: string;
  folder: string;
  address: string;
  address6: string | null;
}

export async function makeClient(
  home: string,
  hosts: readonly HostEntry[],
  user: LoginUser,
): Promise<ClusterClient> {
  const folder = path.join(home, '.ssh');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const key = path.join(folder, 'id_ed25519');
  await mustExecute('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'bed', '-f', key]);
  const publicKey = await readFile(`${key}.pub`, 'utf8');
  const known = await Promise.all(
    hosts.map(async (host) => {
      const line = await readFile(path.join(host.folder, 'ssh', 'ssh_host_ed25519_key.pub'), 'utf8');
      return `${[host.name, host.address, ...(host.address6 === null ? [] : [host.address6])].join(',')} ${line}`;
    }),
  );
  await writeFile(path.join(folder, 'known_hosts'), known.join(''));
  const config = [
    ...hosts.flatMap((host) => [`Host ${host.name}`, `  HostName ${host.address}`]),
    'Host *',
    `  User ${user.name}`,
    `  IdentityFile ${key}`,
    '  IdentitiesOnly yes',
    `  UserKnownHostsFile ${path.join(folder, 'known_hosts')}`,
    '',
  ];
  await writeFile(path.join(folder, 'config'), config.join('\n'), { mode: 0o600 });
  const accounts = path.join(home, '..', 'passwd');
  const machine = await readFile('/etc/passwd', 'utf8');
  await writeFile(
    accounts,
    machine.replace(/^(root:[^:]*:0:0:[^:]*:)[^:]*/m, (_, before) => `${before}${home}`),
  );
  return {
    home,
    publicKey,
    environment: { HOME: home, SSH_AUTH_SOCK: '', SSH_ASKPASS: '', XDG_CACHE_HOME: '', XDG_CONFIG_HOME: '' },
    prefix: ['unshare', '--mount', 'sh', '-c', `mount --bind '${accounts}' /etc/passwd && exec "$@"`, 'sh'],
  };
}
