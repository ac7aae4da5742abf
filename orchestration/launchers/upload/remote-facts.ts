import { StartError } from '../launcher.ts';
import type { Bundle } from './bundle.ts';

/**
 * Facts about a host that collbench's script on the host reports. `dir`: folder for the agent. `freeKib`: KiB free there before
 * the upload; null = unknown.
 */
export interface RemoteFacts {
  /** Output of `uname -m`. */
  machine: string;
  /** C library of the host: `glibc 2.36`, or the version line that ldd prints. */
  libc: string;
  /** Directories that cannot hold the agent, each as `PATH: WHY`. */
  tried: string[];
  dir: string;
  freeKib: number | null;
  /** True if the host is a container of Kubernetes, Docker or Podman. */
  isPod: boolean;
}

const buildThere = 'Build it on such a machine (npm run build:native) and name the file: --agent PATH.';
const alias: Record<string, string> = { amd64: 'x86_64', arm64: 'aarch64' };

/**
 * Returns the error if the host cannot run this agent (machine type, C library); null = no reason is known. A C library of unknown
 * version is accepted.
 * @param facts facts that the host reported
 * @param bundle files of the agent, with their requirements
 */
export function hostMismatch(host: string, facts: RemoteFacts, bundle: Bundle): StartError | null {
  const machine = alias[facts.machine] ?? facts.machine;
  if (bundle.machine !== null && machine !== bundle.machine) {
    return new StartError(`${host} is ${machine}, and the agent is built for ${bundle.machine}`, [
      `The agent is ${bundle.path}.`,
      buildThere,
    ]);
  }
  if (bundle.glibc === null) return null;
  const need = bundle.glibc.join('.');
  if (/musl/i.test(facts.libc)) {
    return new StartError(`${host} has musl for its C library, and the agent needs glibc ${need} or newer`, [
      buildThere,
    ]);
  }
  const found = /(?:glibc|GLIBC|GNU libc|ldd)\D*?(\d+)\.(\d+)/.exec(facts.libc);
  // An unknown version is accepted: the start of the agent shows whether it fits.
  if (found === null) return null;
  const [major, minor] = [Number(found[1]), Number(found[2])];
  if (major > bundle.glibc[0] || (major === bundle.glibc[0] && minor >= bundle.glibc[1])) return null;
  return new StartError(`${host} has glibc ${major}.${minor}, and the agent needs ${need} or newer`, [
    `The agent is ${bundle.path}.`,
    buildThere,
  ]);
}

const podVolume =
  'A pod with a read-only root needs a volume: volumes: [{name: scratch, emptyDir: {}}] and volumeMounts: [{name: scratch, mountPath: /scratch}].';

/**
 * Returns the error for a host on which the agent cannot be stored.
 * @param failed the file that could not be written and the reason, `NAME: WHY`; null = no directory can hold the agent
 * @param facts facts that the host reported, such as the directories that were tried
 */
export function cannotStore(host: string, facts: RemoteFacts, failed: string | null): StartError {
  const reasons = failed === null ? facts.tried : [`${facts.dir}: ${failed}`];
  const all = reasons.join('\n');
  const why = /No space left/.test(all)
    ? 'no space is left'
    : /quota/i.test(all)
      ? 'the quota is used up'
      : /Read-only file system/.test(all)
        ? 'the file system is read-only'
        : /noexec/.test(all)
          ? 'programs cannot be started from it (noexec)'
          : 'no directory can be written';
  const df =
    failed !== null && facts.freeKib !== null ? [`df: ${facts.freeKib} KiB were free at the start.`] : [];
  return new StartError(`the agent cannot be stored on ${host}: ${why}`, [
    ...reasons,
    ...df,
    ...(facts.isPod ? [podVolume] : []),
    'Name a directory on that host that is yours, has space and may run programs: --remote-dir DIR.',
  ]);
}
