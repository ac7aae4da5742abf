// test: alone, up to 240 s
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { CellRecord, RunRecord } from '../../results/schema/index.ts';
import { type Cluster, cluster, openCluster } from '../cluster/bed.ts';
import { pollUntil } from '../cluster/command.ts';
import { slowCable } from '../cluster/faults.ts';
import type { TestHost } from '../cluster/host.ts';
import { leftovers } from '../cluster/leftovers.ts';
import {
  findOnlyRun,
  ndjson,
  type ProcessResult,
  run,
  type StartedProcess,
  start,
  withFolder,
} from './harness.ts';
import { fake, fakeGpus, withoutFakes } from './support/fakes.ts';

// Tests `pairs` with hosts that have a slow link, or a slow path between two of them.
const skip = cluster();
const rateMbit = 200;

/** Limits the rate at which a host sends to one other host; all other packets keep their rate. */
async function slowPath(from: TestHost, to: TestHost, mbit: number): Promise<void> {
  const steps = [
    'tc qdisc del dev eth0 root',
    'tc qdisc add dev eth0 root handle 1: htb default 10',
    `tc class add dev eth0 parent 1: classid 1:10 htb rate ${rateMbit}mbit`,
    `tc class add dev eth0 parent 1: classid 1:20 htb rate ${mbit}mbit`,
    `tc filter add dev eth0 parent 1: protocol ip u32 match ip dst ${to.address}/32 flowid 1:20`,
  ];
  await from.root(steps.join(' && '));
}

async function fastPath(from: TestHost): Promise<void> {
  await from.root(`tc qdisc replace dev eth0 root tbf rate ${rateMbit}mbit burst 256kb latency 20ms`);
}

const pairs = (bed: Cluster, folder: string, ...more: string[]): Promise<ProcessResult> =>
  startPairs(bed, folder, ...more).ended;

function startPairs(bed: Cluster, folder: string, ...more: string[]): StartedProcess {
  const all = more.includes('--hosts') ? [] : ['--hosts', bed.hosts.map(({ name }) => name).join(',')];
  const size = more.includes('--size') ? [] : ['--size', '1M'];
  return start(['pairs', ...all, ...size, ...more], {
    cwd: folder,
    env: { ...bed.environment, COLUMNS: '80' },
    prefix: bed.prefix,
  });
}

const record = async (folder: string): Promise<RunRecord> =>
  JSON.parse(await readFile(path.join(await findOnlyRun(folder), 'run.json'), 'utf8')) as RunRecord;

/** Reads the file of `--drain`: the verdict of each node, the reason for `node`, and the number of lines. */
async function drained(folder: string, node: string) {
  const lines = (await readFile(path.join(folder, 'drain'), 'utf8')).trimEnd().split('\n');
  const words = lines.map((line) => line.split(' '));
  return {
    verdicts: Object.fromEntries(words.map(([name = '', verdict = '']) => [name, verdict])),
    reason:
      words
        .find(([name]) => name === node)
        ?.slice(2)
        .join(' ') ?? '',
    lines: lines.length,
  };
}

/** Returns stdout with wrapped lines joined. */
const said = ({ stdout }: ProcessResult): string => stdout.replace(/\n +/g, ' ');

test('hosts alike, then a slow way between two, then a slow cable: nobody, the pair, the host is named', {
  skip,
}, async (t) => {
  const bed = await openCluster({ hosts: 6, rateMbit });
  try {
    const names = bed.hosts.map(({ name }) => name);
    const [, second, , fourth, fifth] = bed.hosts as [TestHost, TestHost, TestHost, TestHost, TestHost];

    await t.test('alike: nobody is accused, everything is kept, nothing stays behind', () =>
      withFolder(async (folder) => {
        const ended = await pairs(bed, folder);
        assert.equal(ended.code, 0, ended.stdout + ended.stderr);
        assert.match(said(ended), /none of 6 hosts and 15 pairs is an outlier/);
        const { state, plan, summary } = await record(folder);
        assert.deepEqual([state, plan.pairs?.isConcurrent], ['complete', true]);
        const dir = await findOnlyRun(folder);
        const cells = await ndjson<CellRecord>(path.join(dir, 'cells.ndjson'));
        // 15 pairs with latency and bandwidth, and 5 rings of 2 to 6 hosts, are 35 cells. More are measured if a busy machine
        // makes a pair look slow.
        assert.ok(cells.length >= 35 && summary?.cellsMeasured === cells.length, `${cells.length} cells`);
        for (const cell of cells) assert.ok(cell.status === 'ok' && cell.verification.wrongElements === 0);
        assert.match(
          await readFile(path.join(dir, 'report.html'), 'utf8'),
          /All pairs of 6 hosts over socket/,
        );
        const shown = await run(['show', dir], { env: { COLUMNS: '80' } });
        assert.match(said(shown), /none of 6 hosts and 15 pairs is an outlier/);
        const csv = await run(['export', dir]);
        assert.match(csv.stdout, new RegExp(`${names[1]} - ${names[4]}`));
        for (const host of bed.hosts) assert.deepEqual(await leftovers(host), [], host.name);
      }),
    );

    await t.test(
      'two ranks of some hosts: each with those of the other hosts, named by host and number',
      () =>
        withFolder(async (folder) => {
          const [one, two, three] = names;
          const hosts = ['--hosts', `${one}:2,${two}:2,${three}`];
          const ended = await pairs(bed, folder, ...hosts, '--iters', '3');
          // With few iterations some pairs may look slow.
          assert.ok(ended.code === 0 || ended.code === 4, ended.stdout + ended.stderr);
          assert.match(said(ended), /pairs of 5 ranks/);
          const cells = await ndjson<CellRecord>(path.join(await findOnlyRun(folder), 'cells.ndjson'));
          const named = new Set(
            cells.map(({ group }) => group?.name).filter((name) => !name?.endsWith('again')),
          );
          const between = [`${one}/0 - ${two}/1`, `${one}/1 - ${three}/0`, `ring of 3, last ${three}/0`];
          for (const name of between) assert.ok(named.has(name), name);
          assert.equal(named.size, 8 + 2);
          for (const cell of cells) assert.ok(cell.status === 'ok' && cell.evidence.verdict === 'confirmed');
        }),
    );

    await t.test('a slow way between two: that pair, not its hosts', () =>
      withFolder(async (folder) => {
        await slowPath(second, fifth, 10);
        const ended = await pairs(bed, folder);
        await fastPath(second);
        assert.equal(ended.code, 4, ended.stdout + ended.stderr);
        const told = `only ${second.name} - ${fifth.name} is slow: .* against .*; check the path between them`;
        assert.match(said(ended), new RegExp(told));
        assert.doesNotMatch(said(ended), /with all others/);
      }),
    );

    await t.test('a host that is slow only at first: measured again, and not accused', () =>
      withFolder(async (folder) => {
        await slowCable(fourth, 25);
        const measuring = pairs(bed, folder);
        const cellsFile = async () => path.join(await findOnlyRun(folder), 'cells.ndjson');
        const isRepeating = async () => / again"/.test(await readFile(await cellsFile(), 'utf8'));
        await pollUntil('a pair is measured again', () => isRepeating().catch(() => false), 120_000);
        await slowCable(fourth, rateMbit, 256);
        const { stdout } = await measuring;
        assert.doesNotMatch(stdout, new RegExp(`${fourth.name} is slow`));
        const cells = await ndjson<CellRecord>(await cellsFile());
        const named = new Set(cells.map(({ group }) => group?.name));
        for (const other of names.filter((name) => name !== fourth.name)) {
          const pair = [other, fourth.name].sort().join(' - ');
          assert.ok(named.has(`${pair}, again`), pair);
        }
      }),
    );

    await t.test('a search among hosts of which one is slow only at first finds none', () =>
      withFolder(async (folder) => {
        await slowCable(fourth, 25);
        const search = startPairs(bed, folder, '--size', '256K', '--bisect', 'GBps<0.006');
        await search.sees(/slow 6 ranks/);
        await slowCable(fourth, rateMbit, 256);
        const ended = await search.ended;
        assert.equal(ended.code, 0, ended.stdout + ended.stderr);
        assert.match(said(ended), /^A run over all 6 does not fail\./m);
      }),
    );

    await slowCable(fourth, 25);
    await t.test('a slow cable: its host, and no other; the ring drops where it joins', () =>
      withFolder(async (folder) => {
        const ended = await pairs(bed, folder, '--drain', 'drain');
        assert.equal(ended.code, 4, ended.stdout + ended.stderr);
        const { verdicts, reason, lines } = await drained(folder, fourth.name);
        assert.equal(lines, 6);
        // A pair that a busy machine makes slow leaves its hosts without a verdict; it makes none faulty.
        for (const name of names)
          assert.match(verdicts[name] ?? '', name === fourth.name ? /^fail$/ : /^(pass|unknown)$/);
        assert.ok(Object.values(verdicts).includes('pass'));
        assert.match(
          reason,
          /^collbench pairs: bandwidth over socket: [\d.]+ [kMG]B\/s, typical [\d.]+ [kMG]B\/s/,
        );
        const told = `${fourth.name} is slow with all others: .* [kMG]B/s against .* [kMG]B/s; check its cable or NIC`;
        assert.match(said(ended), new RegExp(told));
        assert.match(
          said(ended),
          new RegExp(`the ring of 4 drops .* when ${fourth.name} joins, as its pairs do`),
        );
        for (const name of names.filter((one) => one !== fourth.name))
          assert.doesNotMatch(said(ended), new RegExp(`${name} is slow`));
      }),
    );

    await t.test('a search finds it in fewer runs than there are pairs, with the evidence', () =>
      withFolder(async (folder) => {
        // An allreduce of 1 MiB overflows the queues of these links, and lost segments make good hosts slow at times, too.
        const small = ['--size', '256K', '--bisect', 'GBps<0.006', '--drain', 'drain'];
        const ended = await pairs(bed, folder, ...small);
        assert.equal(ended.code, 4, ended.stdout + ended.stderr);
        const { verdicts, reason, lines } = await drained(folder, fourth.name);
        assert.equal(lines, 6);
        assert.match(reason, /^collbench pairs: breaks every run: [\d.]+ [kMG]B\/s/, ended.stdout);
        for (const name of names) {
          if (name === fourth.name) assert.equal(verdicts[name], 'fail');
          else assert.match(verdicts[name] ?? '', /^(pass|unknown)$/);
        }
        assert.ok(Object.values(verdicts).includes('pass'));
        assert.match(said(ended), new RegExp(`^${fourth.name} breaks every run that it takes part in`, 'm'));
        assert.match(said(ended), /^run 1, bad: node\[01-06\]: \d.* [kMG]B\/s/m);
        assert.ok((ended.stdout.match(/^run \d+, (?:bad|good):/gm) ?? []).length < 15, ended.stdout);
      }),
    );
  } finally {
    await bed.close();
  }
});

test('GPUs of one machine, of which some are named: each pair has its own two', { skip: withoutFakes }, () =>
  withFolder(async (folder) => {
    const words = ['pairs', '--engine', 'nccl', '--nccl', fake('nccl'), '--gpus', '3,1,2'];
    const ended = await run([...words, '--size', '64K', '--iters', '3'], { cwd: folder, env: fakeGpus(4) });
    // Fakes work in host memory, without a network: some pairs may look slow, but all are measured.
    assert.ok(ended.code === 0 || ended.code === 4, ended.stderr);
    const cells = await ndjson<CellRecord>(path.join(await findOnlyRun(folder), 'cells.ndjson'));
    const named = new Set(cells.map(({ group }) => group?.name));
    for (const pair of ['GPU 3 - GPU 1', 'GPU 3 - GPU 2', 'GPU 1 - GPU 2']) assert.ok(named.has(pair), pair);
    for (const cell of cells) assert.ok(cell.status === 'ok' && cell.medium === 'emulated', cell.id);
  }),
);
