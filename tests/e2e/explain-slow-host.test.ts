// test: nightly, up to 8 min
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { ExplanationRecord } from '../../results/schema/explanation.ts';
import { cluster } from '../cluster/bed.ts';
import { slowCable } from '../cluster/faults.ts';
import { addSecondLink, type TestHost } from '../cluster/host.ts';
import { run } from './harness.ts';
import { withCluster } from './support/hosts.ts';

const skip = cluster();

function explanationIn(folder: string): ExplanationRecord {
  const runs = path.join(folder, 'collbench-runs');
  const [name = ''] = readdirSync(runs).filter((one) => one.includes('-explain-'));
  return JSON.parse(readFileSync(path.join(runs, name, 'explanation.json'), 'utf8')) as ExplanationRecord;
}

test(
  'a slow host among three is named first, with what leaving it out recovers; two others are the bound',
  {
    skip,
  },
  () =>
    withCluster(3, async (bed, folder) => {
      const at = { cwd: folder, env: bed.environment, prefix: bed.prefix };
      const [first, slow, last] = bed.hosts as [TestHost, TestHost, TestHost];
      const few = ['--launches', '1', '--iters', '3', '--sample-interval', 'off'];
      const words = ['allreduce', '--hosts', bed.hosts.map(({ name }) => name).join(','), ...few, '--sizes'];
      // The agent is copied before its way becomes slow.
      assert.equal((await run([...words, '8'], at)).code, 0);
      await slowCable(slow, 2, 4);
      // Each rank sends and receives 21 kB, which takes a tenth of a second over that link.
      const measured = await run([...words, '16K'], at);
      assert.equal(measured.code, 0, measured.stderr);
      const ended = await run(['explain', '--budget', '200s'], { ...at, env: { ...at.env, COLUMNS: '200' } });
      assert.equal(ended.code, 0, ended.stdout + ended.stderr);
      const record = explanationIn(folder);
      const [size] = record.series[0]?.sizes ?? [];
      const [cause] = size?.shares ?? [];
      assert.deepEqual([cause?.kind, cause?.id], ['cause', 'hop'], ended.stdout);
      assert.match(cause?.title ?? '', new RegExp(`^${slow.name} left out \\(its hops take [\\d.]+ times`));
      const bound = size?.shares.find(({ kind }) => kind === 'bound');
      assert.match(bound?.title ?? '', new RegExp(`${first.name} - ${last.name}$`));
      assert.match(
        ended.stdout,
        new RegExp(`Next: collbench allreduce .*--hosts ${first.name}:slots=2,${last.name}:slots=1`),
      );
    }),
);

test(
  'a slow rail that carries all bytes is named, with what the other one recovers and a line for each',
  { skip },
  () =>
    withCluster(2, async (bed, folder) => {
      const at = { cwd: folder, env: { ...bed.environment, COLUMNS: '200' }, prefix: bed.prefix };
      const [first, second] = bed.hosts as [TestHost, TestHost];
      await addSecondLink(bed.hosts, 1000);
      const few = ['--launches', '1', '--iters', '3', '--sample-interval', 'off'];
      const command = ['allgather', '--hosts', `${first.name},${second.name}`, ...few, '--sizes'];
      assert.equal((await run([...command, '8'], at)).code, 0);
      for (const host of bed.hosts) await slowCable(host, 4, 4);
      const measured = await run([...command, '128K'], at);
      assert.equal(measured.code, 0, measured.stderr);
      const ended = await run(['explain', '--budget', '120s'], at);
      assert.equal(ended.code, 0, ended.stdout + ended.stderr);
      const [series] = explanationIn(folder).series;
      const [cause] = series?.sizes[0]?.shares ?? [];
      assert.deepEqual(
        [cause?.kind, cause?.id, cause?.title],
        ['cause', 'rails', 'eth1 alone'],
        ended.stdout,
      );
      assert.match(ended.stdout, /eth0: 100 % of the bytes; alone [\d.]+ times as long/);
      assert.match(ended.stdout, /eth1: (0\.0|<0\.1) % of the bytes; alone 0\.\d+ times as long/);
      assert.match(ended.stdout, /\nNext: collbench allgather .*--interface eth1\n/);
    }),
);
