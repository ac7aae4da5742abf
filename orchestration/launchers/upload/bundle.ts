import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { getOrMake } from '../../../results/collections.ts';
import { StartError } from '../launcher.ts';

export interface BundleFile {
  /** Path of the file relative to the agent's folder on the host. `sha256`: hash of `content`, hex. */
  name: string;
  content: Buffer;
  sha256: string;
}

/** Files that are copied to a host: the agent program first, then the libraries that it loads from its folder. */
export interface Bundle {
  /** Path of the agent program on this machine. */
  path: string;
  /** SHA-256 over names and contents of the files, hex. A host that has files with this id gets no copy. */
  id: string;
  files: BundleFile[];
  /**
   * Machine type for which the agent is built, as `uname -m` prints it; null = a script, or a format or machine that collbench
   * does not know.
   */
  machine: string | null;
  /** Newest glibc version that any of the files requires, [major, minor]; null = none required. */
  glibc: [number, number] | null;
}

export const agentName = 'collbench-agent';
const companionFiles = [
  'libnccl-net-sisci.so',
  'libsoftmlx5.so',
  'libsoftmlx5-sysfs.so',
  'libsoftntb.so',
  ...['libibverbs.so', 'libibverbs.so.1', 'libmlx5.so', 'libmlx5.so.1'].map((name) => `lookalikes/${name}`),
];
/** Folders of the native build that contain the agent's libraries, relative to the agent's folder. */
const rooms = ['', 'softmlx5'];

/**
 * Reads the agent and its libraries from the folders of the native build. Libraries that are not built or cannot be read are left
 * out.
 * @param agentPath path of the agent program on this machine
 * @throws StartError if the agent cannot be read
 */
export async function readBundle(agentPath: string): Promise<Bundle> {
  const agent = await readFile(agentPath).catch((error: NodeJS.ErrnoException) => {
    throw new StartError(
      `the agent to copy cannot be read: ${error.message}`,
      error.code === 'ENOENT' ? ['The native part is not built.'] : [],
      'npm run build:native',
    );
  });
  const files = [fileOf(agentName, agent)];
  for (const name of companionFiles) {
    const content = await firstOf(rooms.map((room) => path.join(path.dirname(agentPath), room, name)));
    if (content !== null) files.push(fileOf(name, content));
  }
  const id = createHash('sha256');
  for (const { name, sha256 } of files) id.update(`${sha256}  ${name}\n`);
  return {
    path: agentPath,
    id: id.digest('hex'),
    files,
    machine: machineOf(agent),
    glibc: files.map(({ content }) => glibcOf(content)).reduce(newer, null),
  };
}

/**
 * Returns the agent's files, which are read only once for all hosts.
 * @param bundles files that were already read, keyed by path of the agent; gets a new entry
 * @throws StartError if the agent cannot be read, also in later calls
 */
export const bundleOf = (bundles: Map<string, Promise<Bundle>>, agentPath: string): Promise<Bundle> =>
  getOrMake(bundles, agentPath, () => readBundle(agentPath));

async function firstOf(candidates: readonly string[]): Promise<Buffer | null> {
  for (const file of candidates) {
    const content = await readFile(file).catch(() => null);
    if (content !== null) return content;
  }
  return null;
}

export const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
const fileOf = (name: string, content: Buffer): BundleFile => ({ name, content, sha256: sha256(content) });

/** Machine type (`uname -m`) for each value of e_machine in the ELF header: elf(5). */
const machines: Record<number, string> = {
  3: 'i686',
  21: 'ppc64le',
  62: 'x86_64',
  183: 'aarch64',
  243: 'riscv64',
};

const isElf = (content: Buffer): boolean => content.length >= 20 && content.readUInt32BE(0) === 0x7f454c46;

function machineOf(content: Buffer): string | null {
  return isElf(content) ? (machines[content.readUInt16LE(18)] ?? null) : null;
}

/**
 * Returns the newest glibc version that a program requires, [major, minor]; null if it requires none, or the content
 * is no ELF file. ELF files contain the required versions as NUL-terminated strings such as GLIBC_2.28.
 */
export function glibcOf(content: Buffer): [number, number] | null {
  if (!isElf(content)) return null;
  const versions = [...content.toString('latin1').matchAll(/\0GLIBC_(\d+)\.(\d+)(?:\.\d+)?(?=\0)/g)];
  return versions.map((match): [number, number] => [Number(match[1]), Number(match[2])]).reduce(newer, null);
}

function newer(a: [number, number] | null, b: [number, number] | null): [number, number] | null {
  if (a === null || b === null) return a ?? b;
  return a[0] > b[0] || (a[0] === b[0] && a[1] >= b[1]) ? a : b;
}
