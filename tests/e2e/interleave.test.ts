// test: up to 3 min
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gateResult } from '../../results/schema/index.ts';
import { run, withFolder } from './harness.ts';

const measure = (folder: string, label: string, gbps: string) =>
  run(
    [
      ...['allreduce', '--transport', 'sisci', '--sizes', '64K', '--iters', '3', '--warmup', '0'],
      ...['--launches', '2', '--sample-interval', 'off', '--label', label, '--link', `custom:gbps=${gbps}`],
    ],
    { cwd: folder },
  );

// An operation takes 11 ms over the fast link and 0.22 s over the slow one. A busy machine adds about 0.1 s to both, which hides
// a smaller difference.
test('two stored runs are launched again in pairs, until one is certainly slower', async () => {
  await withFolder(async (folder) => {
    for (const [label, gbps] of [
      ['base', '0.006'],
      ['slow', '0.0003'],
    ] as const) {
      assert.equal((await measure(folder, label, gbps)).code, 0);
    }
    const ended = await run(['compare', 'base', 'slow', '--interleave', '--json'], { cwd: folder });
    assert.equal(ended.code, 4, ended.stdout + ended.stderr);
    const gate = gateResult.parse(JSON.parse(ended.stdout));
    const [group] = gate.groups;
    assert.deepEqual([gate.verdict, group?.verdict], ['regression', 'slower']);
    assert.ok((group?.change.lowRatio ?? 0) > 1, JSON.stringify(group?.change));
    const { looks = [] } = group?.sequence ?? {};
    // With 8 pairs of one sign an exact test is certain at 1 %.
    assert.ok(looks.length >= 8 && looks.length < 30, `${looks.length} pairs`);
    const three = await run(['compare', 'base', 'slow', 'base', '--interleave'], { cwd: folder });
    assert.equal(three.code, 1);
    assert.match(three.stderr, /Next: collbench compare base slow --interleave\n/);
    const alone = await run(['compare', 'base', 'slow', '--pairs', '60'], { cwd: folder });
    assert.match(alone.stderr, /--pairs has no effect without --interleave/);
  });
});

test('runs with nothing in common are refused before they are measured', async () => {
  await withFolder(async (folder) => {
    for (const size of ['8', '64']) {
      const words = [
        'allreduce',
        '--sizes',
        size,
        '--iters',
        '3',
        '--launches',
        '1',
        '--label',
        `of-${size}`,
      ];
      assert.equal((await run(words, { cwd: folder })).code, 0);
    }
    const ended = await run(['compare', 'of-8', 'of-64', '--interleave'], { cwd: folder });
    assert.equal(ended.code, 1, ended.stdout + ended.stderr);
    assert.match(ended.stderr, /have no configuration in common/);
    const [, next = ''] = /Next: collbench (.*)\n/.exec(ended.stderr) ?? [];
    const compared = await run(next.split(' '), { cwd: folder });
    assert.deepEqual(
      [compared.code, compared.stdout.match(/Next: .*/)?.[0]],
      [0, 'Next: collbench runs --filter allreduce'],
    );
  });
});
