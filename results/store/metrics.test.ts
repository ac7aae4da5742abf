import assert from 'node:assert/strict';
import { appendFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { MetricsLine } from '../schema/index.ts';
import { testRecord } from '../testing/plan.ts';
import { StoreError } from './errors.ts';
import { openRun } from './read.ts';
import { createRun } from './write.ts';

async function folder(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'collbench-metrics-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

const header = (host: string): MetricsLine => ({
  kind: 'metrics',
  schema: 1,
  host,
  intervalUs: 1000,
  channels: [{ name: 'memory.free', unit: 'bytes', cumulative: false }],
  failed: [],
  clockOffsetNs: 0,
  clockUncertaintyNs: 0,
});
const tick = (startNs: number, value: number | null = 1): MetricsLine => ({
  startNs,
  costNs: 10,
  values: [value],
});

async function linesOf(dir: string): Promise<{ lines: MetricsLine[][]; warnings: string[] }> {
  const hosts = await (await openRun(dir)).metrics();
  const lines: MetricsLine[][] = [];
  for (const host of hosts) {
    const own: MetricsLine[] = [host.header];
    for await (const line of host.lines()) own.push(line);
    lines.push(own);
  }
  return { lines, warnings: hosts.flatMap((host) => host.warnings) };
}

test('what hosts did is read back, each from its own file, holes as holes', async (t) => {
  const run = await createRun({ root: await folder(t), record: testRecord() });
  const hosts = ['gpu01', 'a:1', 'a_1', '../../etc/passwd', '日本'];
  for (const host of hosts) {
    await run.appendMetrics(host, [header(host)]);
    await run.appendMetrics(host, [tick(1), tick(2, null)]);
  }
  await run.close();
  const names = (await readdir(join(run.dir, 'metrics'))).sort();
  assert.deepEqual(names, [
    '__.._etc_passwd.ndjson',
    '__.ndjson',
    'a_1.ndjson',
    'a_1~2.ndjson',
    'gpu01.ndjson',
  ]);
  const { lines, warnings } = await linesOf(run.dir);
  assert.deepEqual(warnings, []);
  assert.equal(lines.length, hosts.length);
  for (const host of hosts) {
    const own = lines.find(([first]) => first !== undefined && 'host' in first && first.host === host);
    assert.deepEqual(own, [header(host), tick(1), tick(2, null)]);
  }
});

test('a torn last line is left out and told', async (t) => {
  const run = await createRun({ root: await folder(t), record: testRecord() });
  await run.appendMetrics('a', [header('a'), tick(1)]);
  await run.close();
  await appendFile(join(run.dir, 'metrics', 'a.ndjson'), '{"startNs":2,"cos');
  const { lines, warnings } = await linesOf(run.dir);
  assert.deepEqual(lines, [[header('a'), tick(1)]]);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', /last line of metrics\/a.ndjson \(3\) is torn/);
});

test('a run without metrics has none; a file that was torn in its first line is as if it were not there', async (t) => {
  const run = await createRun({ root: await folder(t), record: testRecord() });
  await run.close();
  assert.deepEqual((await linesOf(run.dir)).lines, []);
  await mkdir(join(run.dir, 'metrics'));
  await writeFile(join(run.dir, 'metrics', 'a.ndjson'), '{"kind":"metr');
  assert.deepEqual((await linesOf(run.dir)).lines, []);
});

test('what nobody can have written is refused: values without channel, a later schema', async (t) => {
  const run = await createRun({ root: await folder(t), record: testRecord() });
  await run.appendMetrics('a', [header('a'), { startNs: 1, costNs: 1, values: [1, 2] }]);
  await run.close();
  const code = (wanted: string) => (error: unknown) => error instanceof StoreError && error.code === wanted;
  await assert.rejects(linesOf(run.dir), code('broken'));
  await writeFile(join(run.dir, 'metrics', 'a.ndjson'), '{"kind":"metrics","schema":2}\n');
  await assert.rejects(linesOf(run.dir), code('newer'));
});

test('a run that is gone on with has further files, and the first stay', async (t) => {
  const root = await folder(t);
  const run = await createRun({ root, record: testRecord() });
  await run.appendMetrics('a', [header('a'), tick(1)]);
  await run.close();
  const { lockRun } = await import('./lock.ts');
  const { reopenRun } = await import('./write.ts');
  const before = { state: 'interrupted', endedAt: null, failures: [] } as const;
  const resumed = [
    {
      at: '2026-11-21T02:00:00.000Z',
      cellsBefore: 0,
      blocksBefore: 0,
      collbenchVersion: '0',
      agentVersion: '0',
      before: { ...before, failures: [] },
      differences: [],
    },
  ];
  const again = await reopenRun(run.dir, testRecord({ resumed }), [], await lockRun(run.dir, ''));
  await again.appendMetrics('a', [{ ...header('a'), attempt: 1 } as MetricsLine, tick(5)]);
  await again.close();
  const { lines } = await linesOf(run.dir);
  assert.deepEqual(await readdir(join(run.dir, 'metrics')), ['a.1.ndjson', 'a.ndjson']);
  assert.deepEqual(lines[0], [{ ...header('a'), attempt: 1 }, tick(5)]);
});
