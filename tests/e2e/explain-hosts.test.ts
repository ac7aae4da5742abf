// test: up to 90 s
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { CellRecord } from '../../results/schema/index.ts';
import { cluster } from '../cluster/bed.ts';
import { findOnlyRun, ndjson, run } from './harness.ts';
import { withCluster } from './support/hosts.ts';

const skip = cluster();

test(
  'two hosts are explained: the bound is between them, and one hop has nothing to compare with',
  { skip },
  () =>
    withCluster(2, async (bed, folder) => {
      const at = { cwd: folder, env: { ...bed.environment, COLUMNS: '200' }, prefix: bed.prefix };
      const words = ['allreduce', '--hosts', bed.hosts.map(({ name }) => name).join(',')];
      const measured = await run([...words, '--sizes', '8', '--launches', '1', '--iters', '3'], at);
      assert.equal(measured.code, 0, measured.stderr);
      const ended = await run(['explain', '--budget', '10s'], at);
      // On a busy machine the time may not suffice for two rounds.
      assert.ok(ended.code === 0 || ended.code === 5, ended.stdout + ended.stderr);
      assert.match(ended.stdout, /a slow host or hop: two hosts have one hop; needs a third host/);
      if (ended.code === 0) assert.match(ended.stdout, /two ranks alone, node01 - node02/);
    }),
);

test('a second interface between the hosts that carries nothing is a finding of the run', { skip }, () =>
  withCluster(2, async (bed, folder) => {
    for (const [at, host] of bed.hosts.entries()) {
      const inside = `ip link add eth1 type veth peer name veth1; ip address add 10.99.9.${at + 1}/24 dev eth1`;
      await host.root(`${inside}; ip link set eth1 up; ip link set veth1 up`);
    }
    const words = ['allreduce', '--hosts', bed.hosts.map(({ name }) => name).join(',')];
    const ended = await run([...words, '--sizes', '1M', '--launches', '1', '--iters', '5'], {
      cwd: folder,
      env: { ...bed.environment, COLUMNS: '200' },
      prefix: bed.prefix,
    });
    assert.equal(ended.code, 0, ended.stderr);
    const text = /2 rails: eth0 100 %, eth1 0 % on node01 and 1 more host: uneven, even are 50 % each/;
    assert.match(ended.stdout, text);
    const directory = await findOnlyRun(folder);
    const [cell] = await ndjson<CellRecord>(path.join(directory, 'cells.ndjson'));
    assert.ok(cell?.status === 'ok' && cell.flags.some(({ name }) => name === 'uneven-rails'));
    assert.match(readFileSync(path.join(directory, 'report.html'), 'utf8'), /flag uneven-rails/);
  }),
);
