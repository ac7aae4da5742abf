import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { BlockRecord, CellRecord, OkCell, RunRecord } from '../../results/schema/index.ts';
import { cluster, openCluster } from '../cluster/bed.ts';
import { leftovers } from '../cluster/leftovers.ts';
import { findOnlyRun, ndjson, run, signalRank, skipUnless, start, survivors, withFolder } from './harness.ts';
import { fake, fakeGpus, withoutFakes } from './support/fakes.ts';

/** Tests groups of ranks that measure at the same time: real ranks on this machine, and on test hosts. */

/** Options for long blocks: even on a busy machine all groups get the start message before the first one ends. */
const meeting = ['--launches', '1', '--iters', '2000'];
const cellsIn = (dir: string) => ndjson<CellRecord>(path.join(dir, 'cells.ndjson'));
const recordIn = async (dir: string) =>
  JSON.parse(await readFile(path.join(dir, 'run.json'), 'utf8')) as RunRecord;

/** Returns the cells of a run. Every group must have a verified cell of its ranks for every point and transport. */
async function measuredCells(dir: string): Promise<OkCell[]> {
  const { plan, state } = await recordIn(dir);
  assert.equal(state, 'complete');
  const cells = await cellsIn(dir);
  const members = plan.groups?.members ?? [];
  assert.equal(cells.length, plan.points.length * plan.transports.length * members.length);
  assert.equal(new Set(cells.map(({ id }) => id)).size, cells.length);
  return cells.map((cell) => {
    assert.ok(cell.status === 'ok', cell.id);
    const member = members[cell.group?.index ?? -1];
    assert.deepEqual([cell.group?.name, cell.group?.ranks], [member?.name, member?.ranks]);
    assert.equal(cell.ranks, member?.ranks.length);
    assert.ok(cell.verification.checks > 0);
    assert.equal(cell.verification.wrongElements, 0);
    assert.notEqual(cell.evidence.verdict, 'contradicted', cell.evidence.reason);
    assert.ok(cell.overlap !== undefined && cell.overlap <= 1);
    assert.equal(
      cell.flags.some(({ name }) => name === 'groups-apart'),
      cell.overlap < 0.5,
    );
    return cell;
  });
}

test('mod:2 on this machine: rows of each group, measured at the same time, in every form of output', async () => {
  await withFolder(async (folder) => {
    const words = ['--sizes', '8,64K', '--ranks', '4', '--groups', 'mod:2', ...meeting];
    const { code, stdout, stderr } = await run(
      ['allreduce', ...words, '--transport', 'socket,sisci', '--link', 'none'],
      { cwd: folder, env: { COLUMNS: '120' } },
    );
    assert.equal(code, 0, stderr);
    const dir = await findOnlyRun(folder);
    const cells = await measuredCells(dir);
    assert.ok(
      cells.some(({ overlap = 0 }) => overlap > 0),
      'no two groups ever met',
    );
    const blocks = await ndjson<BlockRecord>(path.join(dir, 'samples', 'blocks.ndjson'));
    for (const [i, { group }] of blocks.entries()) {
      assert.deepEqual([group?.index, group?.round], [i % 2, i - (i % 2)], 'a block of each group per round');
    }

    assert.match(stdout, /4 ranks on 1 node in 2 groups \(mod:2\)/);
    assert.match(stdout, /ranks mod 2 = 0 \(0, 2\) · ranks mod 2 = 1 \(1, 3\)/);
    for (const size of ['8', '64K']) {
      for (const color of [0, 1]) assert.match(stdout, new RegExp(`\\n +${size} +ranks mod 2 = ${color} `));
    }
    assert.match(stdout, /2 groups at the same time over socket: .*slowest/s);
    const report = await readFile(path.join(dir, 'report.html'), 'utf8');
    assert.match(report, /Groups of ranks at the same time/);
    assert.match(report, /socket \(ranks mod 2 = 1\)/);

    const shown = await run(['show', dir], { cwd: folder, env: { COLUMNS: '120' } });
    assert.match(shown.stdout, / 64K +ranks mod 2 = 1 /);
    const csv = await run(['export', dir, '--csv'], { cwd: folder });
    assert.equal(csv.code, 0, csv.stderr);
    assert.match(csv.stdout, /,group,group_name,group_ranks,group_overlap,/);
    assert.match(csv.stdout, /,1,ranks mod 2 = 1,1 3,/);
  });
});

test('a rank that dies: its group is named, and its number in the run', async () => {
  await withFolder(async (folder) => {
    // With a single launch, rows are printed as they are measured. The largest size takes seconds, in which a rank is found even on
    // a busy machine; more iterations would also delay the first row.
    const words = [
      'allreduce',
      '--sizes',
      '8,64,1K,16M',
      '--ranks',
      '4',
      '--groups',
      'div:2',
      '--launches',
      '1',
      '--iters',
      '200',
    ];
    const started = start(words, { cwd: folder });
    await started.sees(/\n\s+8\s+ranks 2-3 /);
    await signalRank(started.marker, 'SIGKILL', 0);
    const { code, stderr } = await started.ended;
    assert.equal(code, 2, stderr);
    assert.deepEqual(await survivors(started.marker), []);
    const [failure] = (await recordIn(await findOnlyRun(folder))).failures;
    assert.equal(failure?.kind, 'rank-died');
    const rank = failure?.rank ?? -1;
    const told = [failure?.message, ...(failure?.details ?? [])].join('\n');
    assert.match(told, new RegExp(`rank ${rank} on \\S+ was killed by SIGKILL`));
    assert.match(told, rank < 2 ? /in group ranks 0-1 \(ranks 0-1\)/ : /in group ranks 2-3 \(ranks 2-3\)/);
    assert.match(String(failure?.next), /resume|--groups div:2/);
  });
});

test('killed in the middle: what is there of all groups stays, the rest is measured', async () => {
  await withFolder(async (folder) => {
    const started = start(['allreduce', '--sizes', '8,64,1K', '--ranks', '4', '--groups', 'mod:2'], {
      cwd: folder,
    });
    await started.sees(/\n\s+8\s+ranks mod 2 = 1 /);
    started.child.kill('SIGKILL');
    await started.ended;
    assert.deepEqual(await survivors(started.marker), []);
    const dir = await findOnlyRun(folder);
    const { code, stderr } = await run(['resume', dir], { cwd: folder });
    assert.equal(code, 0, stderr);
    assert.equal((await measuredCells(dir)).length, 6);
  });
});

test('--explain and --plan-only tell the groups', async () => {
  const words = ['allreduce', '--ranks', '4', '--groups', 'colors:7,7,0,0'];
  const explained = await run([...words, '--explain']);
  assert.match(explained.stdout, /2 groups \(colors:7,7,0,0\).*color 0: ranks 2-3\n.*color 7: ranks 0-1\n/s);
  const plan = JSON.parse((await run([...words, '--plan-only', '--json'])).stdout) as RunRecord['plan'];
  assert.deepEqual(plan.groups?.members, [
    { name: 'color 0', ranks: [2, 3] },
    { name: 'color 7', ranks: [0, 1] },
  ]);
  assert.equal(plan.expected.cells, 2 * plan.points.length);
});

test('four hosts with two ranks each: a group per node, then per rail', { skip: cluster() }, async () => {
  const bed = await openCluster({ hosts: 4, rateMbit: 1000 });
  try {
    const names = bed.hosts.map(({ name }) => name);
    const hosts = names.map((name) => `${name}:2`).join(',');
    for (const [rule, groups] of [
      ['node', names.map((name, i) => [name, [2 * i, 2 * i + 1]])],
      [
        'rail',
        [
          ['rail 0', [0, 2, 4, 6]],
          ['rail 1', [1, 3, 5, 7]],
        ],
      ],
    ] as const) {
      await withFolder(async (folder) => {
        const words = ['--sizes', '8,64K', ...meeting, '--groups', rule];
        const { code, stderr } = await run(['allreduce', '--hosts', hosts, ...words], {
          cwd: folder,
          env: bed.environment,
          prefix: bed.prefix,
        });
        assert.equal(code, 0, stderr);
        const dir = await findOnlyRun(folder);
        const { plan } = await recordIn(dir);
        assert.deepEqual(
          plan.groups?.members.map(({ name, ranks }) => [name, ranks]),
          groups,
        );
        const cells = await measuredCells(dir);
        for (const cell of cells) assert.equal(cell.nodes, rule === 'node' ? 1 : 4);
        assert.ok(
          cells.some(({ overlap = 0 }) => overlap > 0),
          'no two groups ever met',
        );
        for (const host of bed.hosts) assert.deepEqual(await leftovers(host), [], host.name);
      });
    }
  } finally {
    await bed.close();
  }
});

const ownClock = ['unshare', '--time', '--monotonic', '86400', '--fork', '--'];
const noClocks = skipUnless(
  spawnSync(ownClock[0] as string, [...ownClock.slice(1), 'true']).status === 0,
  'time namespaces need root and Linux 5.6',
);

test('hosts with clocks a day apart: their groups meet all the same', { skip: noClocks }, async () => {
  await withFolder(async (folder) => {
    const wrapper = path.join(folder, 'agent-there');
    // The agent of the second host runs in a time namespace, with another clock.
    const script = `#!/bin/sh\n[ "$1" = 127.0.0.1 ] && exec "$2"\nexec ${ownClock.join(' ')} "$2"\n`;
    await writeFile(wrapper, script, { mode: 0o755 });
    const { code, stderr } = await run(
      [
        ...['allreduce', '--sizes', '8,256K', ...meeting, '--interface', 'lo', '--groups', 'node'],
        ...['--hosts', '127.0.0.1:2,127.0.0.2:2', '--launcher', `command:${wrapper} {host} {agent}`],
      ],
      { cwd: folder },
    );
    assert.equal(code, 0, stderr);
    const dir = await findOnlyRun(folder);
    const cells = await measuredCells(dir);
    assert.ok(
      cells.some(({ overlap = 0 }) => overlap > 0),
      'no two groups ever met',
    );
    const [here, there] = await ndjson<BlockRecord>(path.join(dir, 'samples', 'blocks.ndjson'));
    assert.equal(here?.group?.toCommonNs, 0);
    assert.ok((there?.group?.toCommonNs ?? 0) < -86_000e9, 'a day is taken off');
    assert.ok((there?.group?.uncertaintyNs ?? 0) > 0);
  });
});

test('on GPUs (fakes): every rank keeps the GPU it would have without groups', {
  skip: withoutFakes,
}, async () => {
  await withFolder(async (folder) => {
    const words = ['--engine', 'nccl', '--nccl', fake('nccl'), '--sizes', '8', '--iters', '3'];
    const { code, stderr } = await run(
      ['allreduce', ...words, '--gpus', '3,2,1,0', '--groups', 'mod:2', '--launches', '1'],
      {
        cwd: folder,
        env: fakeGpus(4),
      },
    );
    assert.equal(code, 0, stderr);
    const dir = await findOnlyRun(folder);
    assert.equal((await measuredCells(dir)).length, 2);
    for (const { ranks } of (await recordIn(dir)).launches) {
      for (const { rank, device } of ranks) assert.match(device, new RegExp(`GPU ${3 - rank} `));
    }
  });
});
