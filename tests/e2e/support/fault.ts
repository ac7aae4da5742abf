import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { type Cluster, cluster, openCluster } from '../../cluster/bed.ts';
import type { FaultUndo } from '../../cluster/faults.ts';
import type { TestHost } from '../../cluster/host.ts';
import { leftovers } from '../../cluster/leftovers.ts';
import { type StartedProcess, start, survivors, withFolder } from '../harness.ts';

// Runs the whole command with a fault on test hosts that have a real sshd. Checks the exit code, the message, which results
// are kept, and that nothing stays behind on any host.

export interface TestFault {
  name: string;
  /** Applies the fault before the command starts. Resolves with the undo function, or with it and further arguments (`words`). */
  before?: (
    bed: Cluster,
    host: TestHost,
    folder: string,
  ) => Promise<FaultUndo | { undo: FaultUndo; words: string[] }>;
  /** Applies the fault once the first cell has been measured. */
  during?: (bed: Cluster, host: TestHost, started: StartedProcess) => Promise<FaultUndo | undefined>;
  code: number;
  /** Pattern of the message; null if no process is left that could print one, or if the command succeeds. */
  says: RegExp | null;
  words?: string[];
  /** Matches lines of leftovers() that may stay after this fault, in addition to `keptElsewhere`. */
  keeps?: RegExp;
  /** Checks the folder of the run. */
  after?: (run: string) => Promise<void>;
}

export const noUndo: FaultUndo = async () => undefined;
export const applyToHost =
  (fault: (host: TestHost) => Promise<FaultUndo>) =>
  (_: Cluster, host: TestHost): Promise<FaultUndo> =>
    fault(host);
const victim = 'node02';

/**
 * Matches what is kept for the next run outside the home: an agent that the home could not store, and what engine mpi compiled
 * against the MPI of the host.
 */
export const keptElsewhere =
  /^file \/(tmp|dev\/shm)\/collbench-\d+(\/[0-9a-f]{64}(\/(collbench-agent|lookalikes|(lookalikes\/)?lib[a-z0-9-]+\.so(\.1)?))?|\/mpi-(bridge|slot)-[0-9a-f]{16}(\.so)?(\.lock)?)?$/;

async function attempt(fault: TestFault, bed: Cluster, folder: string): Promise<void> {
  const host = bed.hosts.find(({ name }) => name === victim) as TestHost;
  const before = (await fault.before?.(bed, host, folder)) ?? noUndo;
  const { undo, words } = typeof before === 'function' ? { undo: before, words: [] } : before;
  const isDuring = fault.during !== undefined;
  const hosts = words.includes('--hosts') ? [] : ['--hosts', bed.hosts.map(({ name }) => name).join(',')];
  const sizes = isDuring ? ['--sizes', '8,1M,2M', '--iters', '150'] : ['--sizes', '8', '--iters', '3'];
  const started = start(
    ['allreduce', ...hosts, ...words, ...sizes, '--launches', '1', ...(fault.words ?? []), '--out', 'run'],
    { cwd: folder, env: bed.environment, prefix: bed.prefix },
  );
  let undoLater: FaultUndo = noUndo;
  if (fault.during !== undefined) {
    await started.sees(/^ +8 +2 /m);
    undoLater = (await fault.during(bed, host, started)) ?? noUndo;
  }
  const ended = await started.ended;
  await undoLater();
  await undo();
  if (fault.code >= 0) assert.equal(ended.code, fault.code, `${ended.stdout}\n${ended.stderr}`);
  // The placement of ranks is removed from stderr: it names every host, so `says` would always match.
  const told = ended.stderr.replaceAll(/^collbench: ranks? .*on node\d+\n/gm, '');
  if (fault.says !== null) assert.match(told, fault.says);
  if (fault.code === 0) {
    assert.equal(told, '');
    assert.match(ended.stdout, /^verified: \d+ checks, 0 wrong/m);
  }
  assert.doesNotMatch(ended.stderr, /\n {4}at /, 'no stack trace of ours');
  await fault.after?.(path.join(folder, 'run'));
  if (isDuring) {
    // Cells that were measured before the fault stay readable.
    const cells = await readFile(path.join(folder, 'run', 'cells.ndjson'), 'utf8');
    assert.match(cells, /"bytes":8[,}]/);
  }
  assert.deepEqual(await survivors(started.marker), []);
  for (const one of bed.hosts) {
    const { keeps = /^$/ } = fault;
    const expected = new RegExp(`${keptElsewhere.source}|${keeps.source}`);
    assert.deepEqual(await leftovers(one, { boundMs: 45_000, expected }), [], one.name);
  }
}

let shared: Cluster | null = null;
after(() => shared?.close());

/** Calls `body` with the cluster that all tests of a file share. If `body` fails, the next test gets a new cluster. */
export async function withBed(body: (bed: Cluster) => Promise<void>): Promise<void> {
  shared ??= await openCluster({ hosts: 2, rateMbit: 1000 });
  const bed = shared;
  try {
    await body(bed);
    // The hosts become as new for the next test: no stored agents, empty neighbour caches.
    const removeAgents = 'rm -rf /home/*/.cache /tmp/collbench-* /dev/shm/collbench-*';
    await Promise.all(bed.hosts.map((host) => host.root(removeAgents)));
    await bed.forgetNeighbours();
  } catch (error) {
    shared = null;
    await bed.close();
    throw error;
  }
}

export function testFaults(faults: readonly TestFault[]): void {
  for (const fault of faults)
    test(
      `${fault.name}: exit ${fault.code < 0 ? 'by signal' : fault.code}, said in words, nothing stays`,
      {
        skip: cluster(),
      },
      () => withBed((bed) => withFolder((folder) => attempt(fault, bed, folder))),
    );
}
