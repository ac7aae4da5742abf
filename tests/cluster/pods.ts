import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root, skipUnless } from '../e2e/harness.ts';
import { mayUnshare, missingPrograms, pollUntil } from './command.ts';
import { runOnExit } from './guard.ts';
import { type HostProcess, TestHost } from './host.ts';
import { hostAddress, hostLink, makeNetwork, plugIn, removeNetwork, removeStaleNetworks } from './network.ts';

/**
 * Test pods on this machine: namespaces of all kinds, a read-only root with busybox and the C library alone, a small /dev/shm, a
 * control group with one CPU and a memory limit. `folder` has a program `kubectl` that does what `kubectl exec` does.
 */
export interface TestPods {
  pods: TestHost[];
  folder: string;
  /** Variables with which a command finds `kubectl`. */
  environment: Record<string, string>;
  /** Text that every kubectl command prints to stderr before it fails; null = they work. */
  setFailure(text: string | null): Promise<void>;
  /** Processes and files that a pod has in addition to its initial state, once nothing changes that is left. */
  leftovers(pod: TestHost): Promise<string[]>;
  close(): Promise<void>;
}

export interface TestPodOptions {
  /** Mount options of /dev/shm. Container engines mount it with `noexec`; a volume in memory allows programs. */
  shm: string;
  /** Mount options of the volume /scratch; "" = none. A volume of type emptyDir is open to all users. */
  volume: string;
}

/** Value for a test's `skip`: false, or the reason why no test pods can run on this machine. */
export function pods(): false | string {
  const programs = ['busybox', 'ip', 'nsenter', 'unshare', 'pivot_root', 'setsid'];
  return skipUnless(
    missingPrograms(programs).length === 0 && mayUnshare(),
    `test pods need root, namespaces, ${programs.join(', ')}`,
  );
}

const scripts = path.join(root, 'tests', 'cluster');
/** Shell command that removes a control group as soon as its last process has ended, within 10 s. */
const removeGroup =
  'i=0; while [ -e "$1" ] && [ $i -lt 100 ]; do rmdir "$1" 2>/dev/null || sleep 0.1; i=$((i + 1)); done';
const memoryBytes = 512 * 2 ** 20;

export async function openPods(plans: readonly TestPodOptions[]): Promise<TestPods> {
  await removeStaleNetworks();
  const folder = await mkdtemp(path.join(tmpdir(), 'collbench-pods-'));
  const network = await makeNetwork(folder);
  const guarded = runOnExit(removeNetwork, [network.bridge, folder]);
  const opened: TestHost[] = [];
  const groups: { release(): Promise<void> }[] = [];
  const close = async () => {
    await Promise.all(opened.map((pod) => pod.close()));
    await Promise.all(groups.map((group) => group.release()));
    await guarded.release();
  };
  try {
    for (const [index, { shm, volume }] of plans.entries()) {
      const name = `pod-${index}`;
      const own = path.join(folder, name);
      await makeImage(path.join(own, 'root'));
      const limits = await makeGroups(name);
      groups.push(...limits.map(({ group }) => runOnExit(removeGroup, [group])));
      const pod = await TestHost.start({
        ...{ name, folder: own, address: hostAddress(network, index), address6: null },
        ...{ link: hostLink(network, index), users: [], sizeMiB: 0, hide: '', share: [] },
        init: {
          script: path.join(scripts, 'pod-init.sh'),
          namespaces: ['--user', '--map-root-user'],
          environment: {
            POD_SHM: shm,
            POD_VOLUME: volume,
            POD_CGROUPS: limits.map(({ group, seenAs }) => `${group}:${seenAs}`).join(' '),
          },
        },
      });
      opened.push(pod);
      for (const { group } of limits) await writeFile(path.join(group, 'cgroup.procs'), String(pod.initPid));
      await writeFile(path.join(own, 'pid'), String(pod.initPid));
      await writeFile(path.join(own, 'cgroups'), limits.map(({ group }) => group).join('\n'));
    }
    await plugIn(
      network,
      opened.map(({ initPid }) => initPid),
      null,
    ); // prettier-ignore
    for (const pod of opened) pod.tell(`link ${pod.address}/24 ${network.gateway}`);
    await copyFile(path.join(scripts, 'kubectl.sh'), path.join(folder, 'kubectl'));
    await chmod(path.join(folder, 'kubectl'), 0o755);
    await writeFile(path.join(folder, 'pods.json'), JSON.stringify({ items: opened.map(podObject) }));
  } catch (error) {
    await close();
    throw error;
  }
  const forbidden = path.join(folder, 'forbidden');
  return {
    pods: opened,
    folder,
    environment: { PATH: `${folder}:${process.env.PATH}` },
    setFailure: async (text) =>
      text === null ? void execFileSync('rm', ['-f', forbidden]) : writeFile(forbidden, text),
    leftovers,
    close,
  };
}

/** A pod as `kubectl get pods --output=json` shows it. */
const podObject = ({ name }: TestHost) => ({
  metadata: { name, labels: { app: 'collbench' } },
  spec: { nodeName: name.replace('pod', 'node') },
  status: { phase: 'Running', containerStatuses: [{ name: 'main', state: { running: {} } }] },
});

/** The image: busybox under the names of its programs, and the C library that the agent needs. */
async function makeImage(folder: string): Promise<void> {
  for (const name of ['bin', 'proc', 'sys', 'dev', 'old', 'scratch', 'etc', 'tmp', 'lib64', 'usr'])
    await mkdir(path.join(folder, name), { recursive: true });
  const busybox = existsSync('/bin/busybox') ? '/bin/busybox' : '/usr/bin/busybox';
  await copyFile(busybox, path.join(folder, 'bin', 'busybox'));
  const names = execFileSync(busybox, ['--list'], { encoding: 'utf8' }).trim().split('\n');
  for (const name of names) if (name !== 'busybox') await symlink('busybox', path.join(folder, 'bin', name));
  await writeFile(path.join(folder, 'etc', 'passwd'), 'root:x:0:0::/:/bin/sh\n');
  await writeFile(
    path.join(folder, 'etc', 'hosts'),
    '# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n',
  );
  const linked = execFileSync('ldd', [process.execPath], { encoding: 'utf8' });
  for (const [, file = ''] of linked.matchAll(/(\/\S+\.so\S*)/g)) {
    if (!/\/(ld-linux|lib(c|m|dl|rt|pthread)\.so)/.test(file)) continue;
    await mkdir(path.join(folder, path.dirname(file)), { recursive: true });
    await copyFile(file, path.join(folder, file));
  }
}

/**
 * Creates control groups that give a pod one CPU and limit its memory, of version 1 or 2. Empty where none can be created.
 * @returns the folders, and where the pod sees each of them
 */
async function makeGroups(name: string): Promise<{ group: string; seenAs: string }[]> {
  const limits = [
    { controller: 'cpu', files: { 'cpu.cfs_quota_us': '100000', 'cpu.max': '100000 100000' } },
    {
      controller: 'memory',
      files: { 'memory.limit_in_bytes': `${memoryBytes}`, 'memory.max': `${memoryBytes}` },
    },
  ];
  const isUnified = existsSync('/sys/fs/cgroup/cgroup.controllers');
  const made: { group: string; seenAs: string }[] = [];
  for (const { controller, files } of limits) {
    const seenAs = isUnified ? '/sys/fs/cgroup' : `/sys/fs/cgroup/${controller}`;
    const group = path.join(seenAs, `collbench-${name}-${process.pid}`);
    try {
      await mkdir(group, { recursive: true });
    } catch {
      continue;
    }
    if (!made.some((one) => one.group === group)) made.push({ group, seenAs });
    for (const [file, limit] of Object.entries(files))
      if (existsSync(path.join(group, file))) await writeFile(path.join(group, file), limit);
  }
  return made;
}

async function leftovers(pod: TestHost): Promise<string[]> {
  const isLeft = ({ state }: HostProcess) => state !== 'Z';
  let left: string[] = [];
  const look = () => {
    left = [
      ...pod
        .processes()
        .filter(isLeft)
        .map(({ pid, command }) => `process ${pid}: ${command}`),
      ...['/dev/shm', '/scratch', '/tmp'].flatMap((place) =>
        pod.files(place).map((file) => `file ${place}/${file}`),
      ),
    ];
    return left.length === 0;
  };
  await pollUntil('nothing is left', look).catch(() => undefined);
  return left;
}
