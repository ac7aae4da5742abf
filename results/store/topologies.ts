import { join } from 'node:path';
import { readPlainText, type UnreadableFile } from '../files/plain.ts';
import { readSource, type Topology } from '../topology/index.ts';
import { StoreError } from './errors.ts';
import { files, maxRecordBytes } from './paths.ts';

/**
 * Reads the hardware topology of each host from machines.json in run folder `dir`, one element per host in the order of the file.
 * [] if there is no such file, or if it describes no hosts.
 * @throws StoreError broken: the file cannot be read or understood
 */
export async function readTopologies(dir: string): Promise<Topology[]> {
  const path = join(dir, files.machines);
  try {
    const found = readSource(await readPlainText(path, maxRecordBytes), files.machines);
    return found.kind === 'machines' ? found.topologies : [];
  } catch (error) {
    if ((error as UnreadableFile).code === 'ENOENT') return [];
    const what = error instanceof Error ? error.message : String(error);
    throw new StoreError('broken', path, `${path} cannot be read: ${what}`, { cause: error });
  }
}
