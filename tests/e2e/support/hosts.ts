import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { CellRecord, RunRecord } from '../../../results/schema/index.ts';
import { type Cluster, openCluster } from '../../cluster/bed.ts';
import { leftovers } from '../../cluster/leftovers.ts';
import { findOnlyRun, run, withFolder } from '../harness.ts';

// Runs the real command on test hosts: namespaces on a bridge, each with its own sshd, links of 1 Gbit/s.

export async function withCluster(
  count: number,
  body: (bed: Cluster, folder: string) => Promise<void>,
): Promise<void> {
  const bed = await openCluster({ hosts: count, rateMbit: 1000 });
  try {
    await withFolder((folder) => body(bed, folder));
  } finally {
    await bed.close();
  }
}

export const quickOptions = ['--sizes', '8,64K', '--launches', '1', '--iters', '3'];

/** Runs an allreduce with one rank per host. Checks placement, verification, evidence, and that nothing stays on any host. */
export async function checkRunOnHosts(bed: Cluster, folder: string): Promise<void> {
  const hosts = bed.hosts.map(({ name }) => name);
  const ended = await run(['allreduce', '--hosts', hosts.join(','), ...quickOptions], {
    cwd: folder,
    env: bed.environment,
    prefix: bed.prefix,
  });
  assert.equal(ended.code, 0, ended.stderr);
  assert.match(ended.stderr, new RegExp(`rank 0 on ${hosts[0]}`));
  const dir = await findOnlyRun(folder);
  const record = JSON.parse(await readFile(path.join(dir, 'run.json'), 'utf8')) as RunRecord;
  assert.deepEqual(Object.keys(record.inventory).sort(), [...hosts].sort());
  assert.deepEqual(
    record.plan.hosts.map(({ name, ranks }) => [name, ranks]),
    hosts.map((name, rank) => [name, [rank]]),
  );
  assert.equal(record.launches[0]?.ranks.length, hosts.length);
  const lines = (await readFile(path.join(dir, 'cells.ndjson'), 'utf8')).trim().split('\n');
  const cells = lines.map((line) => JSON.parse(line) as CellRecord);
  assert.equal(new Set(cells.map(({ id }) => id)).size, 2);
  for (const cell of cells) {
    assert.ok(cell.status === 'ok');
    assert.equal(cell.nodes, hosts.length);
    assert.ok(cell.verification.checks >= hosts.length);
    assert.equal(cell.verification.wrongElements, 0);
    assert.notEqual(cell.evidence.verdict, 'contradicted', cell.evidence.reason);
  }
  for (const host of bed.hosts) assert.deepEqual(await leftovers(host), [], host.name);
}
