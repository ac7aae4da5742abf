import { createHash } from 'node:crypto';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { openPlain } from '../../../results/files/plain.ts';
import type { ProbeResult } from '../../probe.ts';

/**
 * Returns the SHA-256 of the NCCL library and of the net plugins that ranks on this machine load, with the paths of the plugins.
 * Keys are those of run.json: `nccl.sha256`, `FILE.path` and `FILE.sha256`. The hash of a file that cannot be read is "not read:
 * REASON"; nothing is thrown. {} if the probe names no library.
 */
export async function librariesOfProbe({
  probed,
}: Pick<ProbeResult, 'probed'>): Promise<Record<string, string>> {
  const named = (fact: string) => [...new Set(probed.flatMap(({ facts }) => facts?.[fact] ?? []))];
  const found: Record<string, string> = {};
  for (const file of named('nccl.path')) found['nccl.sha256'] = await fileHash(file);
  for (const file of named('net.plugin')) {
    const name = path.basename(file);
    found[`${name}.path`] = file;
    found[`${name}.sha256`] = await fileHash(file);
  }
  return found;
}

/**
 * Returns the SHA-256 of a file as hex, or "not read: REASON" if the file cannot be read or is no plain file. The file
 * is read in pieces, because it may be large.
 */
async function fileHash(file: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    const handle = await openPlain(file);
    await pipeline(handle.createReadStream({ highWaterMark: 2 ** 20 }), hash);
  } catch (error) {
    return `not read: ${error instanceof Error ? error.message : String(error)}`;
  }
  return hash.digest('hex');
}
