import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root, skipUnless } from '../e2e/harness.ts';
import { type ClusterClient, makeClient } from './client.ts';
import { mayUnshare, missingPrograms, mustExecute } from './command.ts';
import { runOnExit } from './guard.ts';
import { type LoginUser, TestHost } from './host.ts';
import {
  hostAddress,
  hostAddress6,
  hostLink,
  makeNetwork,
  maxHosts,
  plugIn,
  removeNetwork,
  removeStaleNetworks,
} from './network.ts';

/**
 * Test hosts on this machine: network namespaces on a bridge, each with its own sshd, hostname, processes, users,
 * homes and temporary files. They share this machine's kernel, clock, /usr and /dev.
 */
export interface Cluster extends ClusterClient {
  hosts: TestHost[];
  /** IPv4 address of this machine on the hosts' network. */
  address: string;
  /** Empties the neighbour (ARP) caches of this machine and of all hosts, as if they had never communicated. */
  forgetNeighbours(): Promise<void>;
  /** Ends all hosts, removes their network and files. May be called more than once. */
  close(): Promise<void>;
}

export interface ClusterOptions {
  /** Number of hosts, 1 to 253. */
  hosts: number;
  /** Rate of every host's link in each direction, Mbit/s; null = no limit. */
  rateMbit: number | null;
  /** Users on every host, default `tester`. All accept the client's key; the client logs in as the first. */
  users?: readonly string[];
  /** Returns the name of a host; by default node01, node02 ... */
  name?: (index: number) => string;
  /** Size of every home, /tmp and /dev/shm, default 64. Memory is used only for what is written. */
  sizeMiB?: number;
  /** Absolute folders of this machine that hosts see under the same path, read-only. They see nothing else of the project. */
  share?: readonly string[];
}

/** Value for a test's `skip`: false, or the reason why no test hosts can run on this machine. */
export function cluster(): false | string {
  const programs = ['ip', 'tc', 'bridge', 'nft', 'sshd', 'ssh', 'ssh-keygen', 'nsenter', 'setpriv'];
  const missing = missingPrograms(programs);
  return skipUnless(
    missing.length === 0 && mayUnshare(),
    `test hosts need root, namespaces, ${programs.join(', ')}`,
  );
}

const firstUid = 61_184;

export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  if (options.hosts < 1 || options.hosts > maxHosts)
    throw new Error(`1 to ${maxHosts} hosts, not ${options.hosts}`);
  await removeStaleNetworks();
  const folder = await mkdtemp(path.join(tmpdir(), 'collbench-bed-'));
  const network = await makeNetwork(folder);
  const guarded = runOnExit(removeNetwork, [network.bridge, folder]);
  const hosts: TestHost[] = [];
  const close = async () => {
    await Promise.all(hosts.map((host) => host.close()));
    await guarded.release();
  };
  try {
    const name = options.name ?? ((index) => `node${String(index + 1).padStart(2, '0')}`);
    const users = (options.users ?? ['tester']).map((user, index) => ({ name: user, uid: firstUid + index }));
    const plans = Array.from({ length: options.hosts }, (_, index) => ({
      name: name(index),
      folder: path.join(folder, 'hosts', String(index + 1)),
      address: hostAddress(network, index),
      address6: hostAddress6(network, index),
      link: hostLink(network, index),
      users,
      sizeMiB: options.sizeMiB ?? 64,
      hide: root,
      share: options.share ?? [],
    }));
    await writeHostFiles(plans, users);
    const client = await makeClient(path.join(folder, 'home'), plans, users[0] as LoginUser);
    const started = await Promise.allSettled(plans.map((plan) => TestHost.start(plan)));
    for (const result of started) if (result.status === 'fulfilled') hosts.push(result.value);
    for (const result of started) if (result.status === 'rejected') throw result.reason;
    await plugIn(
      network,
      hosts.map((host) => host.initPid),
      options.rateMbit,
    ); // prettier-ignore
    await Promise.all(hosts.map((host) => connectHost(host, client.publicKey, options.rateMbit)));
    const forgetNeighbours = async () => {
      await mustExecute('ip', ['neighbour', 'flush', 'dev', network.bridge]);
      await Promise.all(hosts.map((host) => host.root('ip neighbour flush dev eth0')));
    };
    return { ...client, hosts, address: network.gateway, forgetNeighbours, close };
  } catch (error) {
    await close();
    throw error;
  }
}

type HostAddress = { name: string; folder: string; address: string; address6: string | null };

/** Writes etc/ and ssh/ of every host: accounts of this machine and `users`, names of all hosts, and a host key of its own. */
async function writeHostFiles(plans: readonly HostAddress[], users: readonly LoginUser[]): Promise<void> {
  const accounts = {
    passwd: users.map(({ name, uid }) => `${name}:x:${uid}:${uid}::/home/${name}:/bin/bash`),
    group: users.map(({ name, uid }) => `${name}:x:${uid}:`),
    shadow: users.map(({ name }) => `${name}:*:19000:0:99999:7:::`),
  };
  const files: Record<string, string> = {
    hosts: [
      '127.0.0.1 localhost',
      '::1 localhost',
      ...plans.map((plan) => `${plan.address} ${plan.name}`),
      '',
    ].join('\n'),
  };
  for (const [file, lines] of Object.entries(accounts))
    files[file] = `${(await readFile(`/etc/${file}`, 'utf8')).trimEnd()}\n${lines.join('\n')}\n`;
  await Promise.all(
    plans.map(async (plan) => {
      await mkdir(path.join(plan.folder, 'etc'), { recursive: true });
      await mkdir(path.join(plan.folder, 'ssh'));
      for (const [file, text] of Object.entries(files))
        await writeFile(path.join(plan.folder, 'etc', file), text, {
          mode: file === 'shadow' ? 0o600 : 0o644,
        });
      await writeFile(path.join(plan.folder, 'ssh', 'sshd_config'), sshdConfig.join('\n'));
    }),
  );
  // One shell makes all keys, because starting processes takes most of the time.
  const keys = plans.map((plan) => path.join(plan.folder, 'ssh', 'ssh_host_ed25519_key'));
  await mustExecute('sh', [
    '-c',
    'for key; do ssh-keygen -q -t ed25519 -N "" -C "" -f "$key"; done',
    'sh',
    ...keys,
  ]);
}

const sshdConfig = [
  'HostKey /etc/ssh/ssh_host_ed25519_key',
  'PidFile none',
  'UsePAM no',
  'StrictModes no',
  'PasswordAuthentication no',
  'KbdInteractiveAuthentication no',
  'PermitRootLogin no',
  'PrintMotd no',
  'PrintLastLog no',
  'Subsystem sftp /usr/lib/openssh/sftp-server',
  '',
];

async function connectHost(host: TestHost, publicKey: string, rateMbit: number | null): Promise<void> {
  const address6 = host.address6 === null ? '-' : `${host.address6}/112`;
  host.tell(`link ${host.address}/24 ${address6} ${rateMbit ?? '-'}`);
  for (const user of host.users) {
    const keys = `/home/${user.name}/.ssh`;
    await mkdir(host.path(keys), { mode: 0o755 });
    await writeFile(host.path(`${keys}/authorized_keys`), publicKey);
  }
  await host.startSshd();
}
