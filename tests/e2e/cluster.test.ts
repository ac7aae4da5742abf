// test: core
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { clockLimit } from '../../results/derive/cells/flags.ts';
import { type BlockRecord, type CellRecord, measuredOf } from '../../results/schema/index.ts';
import { cluster } from '../cluster/bed.ts';
import { findOnlyRun, ndjson, run } from './harness.ts';
import { checkRunOnHosts, quickOptions, withCluster } from './support/hosts.ts';

const skip = cluster();

test(
  '2 hosts: every rank on its host, verified, proven by the interfaces of all; nothing stays',
  {
    skip,
  },
  () => withCluster(2, checkRunOnHosts),
);

test(
  'two network namespaces have one clock: the stated error covers what is read, and decides the flag',
  {
    skip,
  },
  () =>
    withCluster(2, async (bed, folder) => {
      const at = { cwd: folder, env: bed.environment, prefix: bed.prefix };
      const ended = await run(
        ['allreduce', '--hosts', bed.hosts.map(({ name }) => name).join(','), ...quickOptions],
        at,
      );
      assert.equal(ended.code, 0, ended.stderr);
      const directory = await findOnlyRun(folder);
      const blocks = await ndjson<BlockRecord>(path.join(directory, 'samples', 'blocks.ndjson'));
      for (const { clockOffsetNs, clockUncertaintyNs } of blocks) {
        const [offset, error] = [clockOffsetNs?.[1] ?? 0, clockUncertaintyNs?.[1] ?? 0];
        assert.ok(error > 0, 'a message takes time, so there is an error');
        assert.ok(Math.abs(offset) <= error, `read ${offset} ns apart with an error of ${error} ns`);
      }
      for (const cell of await ndjson<CellRecord>(path.join(directory, 'cells.ndjson'))) {
        assert.ok(cell.status === 'ok');
        const errors = blocks
          .filter(({ point, trial }) => point === cell.point && trial === 'isolated')
          .map(({ clockUncertaintyNs }) => clockUncertaintyNs?.[1] ?? 0);
        const limitNs = clockLimit * (measuredOf(cell, 'latency')?.value ?? 0);
        const isFlagged = cell.flags.some(({ name }) => name === 'clock-unsure');
        if (Math.min(...errors) > limitNs) assert.ok(isFlagged, `${errors.join()} ns above ${limitNs} ns`);
        if (Math.max(...errors) <= limitNs) assert.ok(!isFlagged, `${errors.join()} ns within ${limitNs} ns`);
      }
    }),
);

test('the agent is copied once; slots, a hostfile and round-robin say which rank goes where', {
  skip,
}, async () => {
  await withCluster(2, async (bed, folder) => {
    const [first, second] = bed.hosts.map(({ name }) => name) as [string, string];
    const at = { cwd: folder, env: bed.environment, prefix: bed.prefix };
    const words = ['allreduce', '--hosts', `${first}:2,${second}:1`, ...quickOptions, '--out', 'one'];
    const one = await run(words, at);
    assert.equal(one.code, 0, one.stderr);
    assert.match(one.stderr, new RegExp(`ranks 0-1 on ${first}, 2 on ${second}`));
    const agents = await bed.hosts[0]?.run('ls -i ~/.cache/collbench/*/collbench-agent');
    const hostfile = path.join(folder, 'hosts.txt');
    await writeFile(hostfile, `${first} slots=2\n${second} slots=2\n`);
    const two = await run(
      ['allreduce', '--hostfile', hostfile, '--map', 'node', ...quickOptions, '--out', 'two'],
      at,
    );
    assert.equal(two.code, 0, two.stderr);
    assert.match(two.stderr, new RegExp(`ranks 0,2 on ${first}, 1,3 on ${second}`));
    assert.deepEqual(await bed.hosts[0]?.run('ls -i ~/.cache/collbench/*/collbench-agent'), agents);
  });
});
