// test: core
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { cluster } from '../cluster/bed.ts';
import { run } from './harness.ts';
import { checkRunOnHosts, onHosts, quick } from './support/hosts.ts';

const skip = cluster();

test(
  '2 hosts: every rank on its host, verified, proven by the interfaces of all; nothing stays',
  {
    skip,
  },
  () => onHosts(2, checkRunOnHosts),
);

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
    await writeFile(hostfile, `${first} slots=2\n${second} slots=2\n`);
    const two = await run(
      ['allreduce', '--hostfile', hostfile, '--map', 'node', ...quick, '--out', 'two'],
      at,
    );
    assert.equal(two.code, 0, two.stderr);
    assert.match(two.stderr, new RegExp(`ranks 0,2 on ${first}, 1,3 on ${second}`));
    assert.deepEqual(await bed.hosts[0]?.run('ls -i ~/.cache/collbench/*/collbench-agent'), agents);
  });
});
