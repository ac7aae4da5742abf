import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { CellRecord, RunRecord } from '../../results/schema/index.ts';
import { type Cluster, cluster, openCluster } from '../cluster/bed.ts';
import { leftovers } from '../cluster/leftovers.ts';
import { inFolder, onlyRun, run } from './harness.ts';

// The real command against hosts of their own: namespaces on a bridge with a sshd each, 1 Gbit/s cables.
const skip = cluster();

async function onHosts(count: number, body: (bed: Cluster, folder: string) => Promise<void>): Promise<void> {
  const bed = await openCluster({ hosts: count, rateMbit: 1000 });
  try {
    await inFolder((folder) => body(bed, folder));
  } finally {
    await bed.close();
  }
}

const quick = ['--sizes', '8,64K', '--launches', '1', '--iters', '3'];

for (const count of [2, 8, 32]) {
  test(`${count} hosts: every rank on its host, verified, proven by the interfaces of all; nothing stays`, {
    skip,
  }, async () => {
    await onHosts(count, async (bed, folder) => {
      const hosts = bed.hosts.map(({ name }) => name);
      const ended = await run(['allreduce', '--hosts', hosts.join(','), ...quick], {
        cwd: folder,
        env: bed.environment,
        prefix: bed.prefix,
      });
      assert.equal(ended.code, 0, ended.stderr);
      assert.match(ended.stderr, new RegExp(`rank 0 on ${hosts[0]}`));
      const dir = await onlyRun(folder);
      const record = JSON.parse(await readFile(path.join(dir, 'run.json'), 'utf8')) as RunRecord;
      assert.deepEqual(Object.keys(record.inventory).sort(), [...hosts].sort());
      assert.deepEqual(
        record.plan.hosts.map(({ name, ranks }) => [name, ranks]),
        hosts.map((name, rank) => [name, [rank]]),
      );
      assert.equal(record.launches[0]?.ranks.length, count);
      const lines = (await readFile(path.join(dir, 'cells.ndjson'), 'utf8')).trim().split('\n');
      const cells = lines.map((line) => JSON.parse(line) as CellRecord);
      assert.equal(new Set(cells.map(({ id }) => id)).size, 2);
      for (const cell of cells) {
        assert.ok(cell.status === 'ok');
        assert.equal(cell.nodes, count);
        assert.ok(cell.verification.checks >= count);
        assert.equal(cell.verification.wrongElements, 0);
        assert.notEqual(cell.evidence.verdict, 'contradicted', cell.evidence.reason);
      }
      for (const host of bed.hosts) assert.deepEqual(await leftovers(host), [], host.name);
    });
  });
}

test('the agent is copied once; slots, a hostfile and round-robin say which rank goes where', {
  skip,
}, async () => {
  await onHosts(2, async (bed, folder) => {
    const [first, second] = bed.hosts.map(({ name }) => name) as [string, string];
    const at = { cwd: folder, env: bed.environment, prefix: bed.prefix };
    const words = ['allreduce', '--hosts', `${first}:2,${second}:1`, ...quick, '--out', 'one'];
    const one = await run(words, at);
    assert.equal(one.code, 0, one.stderr);
    assert.match(one.stderr, new RegExp(`ranks 0-1 on ${first}, 2 on ${second}`));
    const agents = await bed.hosts[0]?.run('ls -i ~/.cache/collbench/*/collbench-agent');
    const hostfile = path.join(folder, 'hosts.txt');
    await (await import('node:fs/promises')).writeFile(hostfile, `${first} slots=2\n${second} slots=2\n`);
    const two = await run(
      ['allreduce', '--hostfile', hostfile, '--map', 'node', ...quick, '--out', 'two'],
      at,
    );
    assert.equal(two.code, 0, two.stderr);
    assert.match(two.stderr, new RegExp(`ranks 0,2 on ${first}, 1,3 on ${second}`));
    assert.deepEqual(await bed.hosts[0]?.run('ls -i ~/.cache/collbench/*/collbench-agent'), agents);
  });
});
