import path from 'node:path';
import type { ProbeResult } from '../../probe.ts';
import { fileHash } from './file-hash.ts';

/**
 * Hashes of the NCCL library and net plugins that ranks on this machine load, and paths of the plugins. The keys are those of
 * run.json.
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
