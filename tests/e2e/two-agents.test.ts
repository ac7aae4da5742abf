import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import type { CellRecord, RunRecord } from '../../results/schema/index.ts';
import {
  findOnlyRun,
  ndjson,
  rankPids,
  run,
  type StartedProcess,
  signalRank,
  start,
  survivors,
  withFolder,
} from './harness.ts';

/** Two agents on this machine act as two hosts, without ssh and root. */

const words = [
  ...[
    'allreduce',
    '--sizes',
    '8,16,32,64,128,256,512,1K,2K,4K,8K,16K,32K,64K,128K,256K',
    '--launches',
    '1',
    '--precision',
    'off',
    '--timeout',
    '10',
    '--interface',
    'lo',
  ],
  ...['--hosts', '127.0.0.1:2,127.0.0.2:2', '--launcher', 'command:env TEST_HOST={host} {agent}'],
];
const firstRow = /\n\s+8\s+2 /;

/** Process ids of the ranks on a host. */
async function ranksOn(host: string, marker: string): Promise<number[]> {
  const there = [];
  for (const pid of await rankPids(marker)) {
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
    if (environment.split('\0').includes(`TEST_HOST=${host}`)) there.push(pid);
  }
  return there;
}

const onSecondHost = (marker: string): Promise<number[]> => ranksOn('127.0.0.2', marker);

async function broken(folder: string, breakIt: (started: StartedProcess) => Promise<void> | void) {
  const started = start(words, { cwd: folder });
  await started.sees(firstRow);
  await breakIt(started);
  const ended = await started.ended;
  assert.deepEqual(await survivors(started.marker), []);
  const directory = await findOnlyRun(folder);
  return { ended, directory, record: await recordIn(directory) };
}
const recordIn = async (directory: string) =>
  JSON.parse(await readFile(path.join(directory, 'run.json'), 'utf8')) as RunRecord;

test('a rank that dies on one of two hosts is the culprit, though ranks of the other lost it', async () => {
  await withFolder(async (folder) => {
    const { ended, record } = await broken(folder, async ({ marker }) => {
      await signalRank(marker, 'SIGKILL', 0, onSecondHost);
    });
    assert.equal(ended.code, 2, ended.stderr);
    const [failure] = record.failures;
    assert.equal(failure?.kind, 'rank-died');
    assert.equal(failure.host, '127.0.0.2');
    assert.ok(failure.rank === 2 || failure.rank === 3);
    const [first = '', second = ''] = failure.details.slice(-2);
    assert.match(first, /^127\.0\.0\.1 \(ranks 0-1\): /);
    assert.match(second, /^127\.0\.0\.2 \(ranks 2-3\): rank \d was killed by SIGKILL .*, it failed first$/);
  });
});

test('a rank that is stopped holds up the ranks of both hosts: it is named, with its host', async () => {
  await withFolder(async (folder) => {
    const { ended, record } = await broken(folder, async ({ marker }) => {
      await signalRank(marker, 'SIGSTOP', 0, onSecondHost);
    });
    assert.equal(ended.code, 2, ended.stderr);
    assert.match(ended.stderr, /rank [23] .*stopped answering/);
    const [failure] = record.failures;
    assert.equal(failure?.kind, 'hang');
    assert.equal(failure.host, '127.0.0.2');
    assert.match(failure.details.at(-1) ?? '', /rank [23] held up the others, it failed first$/);
  });
});

test('killed in the middle: resumed on the same two hosts', async () => {
  await withFolder(async (folder) => {
    const { directory } = await broken(folder, ({ child }) => void child.kill('SIGKILL'));
    const { code, stderr } = await run(['resume', directory], { cwd: folder });
    assert.equal(code, 0, stderr);
    const record = await recordIn(directory);
    assert.equal(record.state, 'complete');
    assert.equal(record.resumed?.length, 1);
    assert.deepEqual(Object.keys(record.inventory).sort(), ['127.0.0.1', '127.0.0.2']);
    const cells = await ndjson<CellRecord>(path.join(directory, 'cells.ndjson'));
    assert.equal(cells.length, 16);
    for (const cell of cells) {
      assert.ok(cell.status === 'ok' && cell.verification.wrongElements === 0, cell.id);
      assert.ok(cell.verification.checks > 0);
      // Both hosts read the counters of this one machine, whose cores run all four ranks.
      assert.match(cell.evidence.reason, /^lo of 1 machine, named as 2 hosts carried/);
      const isCrowded = cell.flags.some(({ name }) => name === 'oversubscribed');
      assert.equal(isCrowded, availableParallelism() < 4);
    }
    assert.deepEqual(
      record.plan.hosts.map(({ name, machineOf, networkOf }) => [name, machineOf, networkOf]),
      [
        ['127.0.0.1', undefined, undefined],
        ['127.0.0.2', '127.0.0.1', '127.0.0.1'],
      ],
    );
  });
});
