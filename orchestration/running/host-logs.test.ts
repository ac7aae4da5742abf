import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostLogs } from './host-logs.ts';

/** Log files in memory, with the names that they would have in the run's folder. */
function logs(earlier: ConstructorParameters<typeof HostLogs>[1] = []) {
  const files = new Map<string, string>();
  const writer = {
    appendLog: async (name: string, text: string) => {
      files.set(`logs/${name}`, `${files.get(`logs/${name}`) ?? ''}${text}\n`);
      return `logs/${name}`;
    },
  };
  return { files, logs: new HostLogs(writer, earlier) };
}
const line = (host: string, text: string, rank: number | null = null) =>
  ({ type: 'output', host, from: rank === null ? 'agent' : 'stderr', rank, launch: null, text }) as const;
const engine = (host: string, rank: number, text: string) =>
  ({ type: 'output', host, from: 'engine', rank, launch: 'socket (launch 1)', text }) as const;

test('lines of an agent and its ranks lie in one file per host, each with host and writer', async () => {
  const { files, logs: kept } = logs();
  await kept.add(line('gpu01', 'hello'));
  await kept.add(line('gpu01', 'oh', 3));
  await kept.add(line('gpu02', 'hello'));
  const [first = '', second = ''] = (files.get('logs/gpu01.log') ?? '').split('\n');
  assert.match(first, /^\d{4}-\S+Z gpu01 agent: hello$/);
  assert.match(second, /^\d{4}-\S+Z gpu01 rank 3: oh$/);
  assert.deepEqual([...files.keys()], ['logs/gpu01.log', 'logs/gpu02.log']);
});

test('the log of an engine has a file per rank, with a head per launch', async () => {
  const { files, logs: kept } = logs();
  await kept.add(engine('gpu01', 10, 'NCCL INFO a\n'));
  await kept.add(engine('gpu01', 2, 'NCCL INFO b\n'));
  await kept.add(line('gpu01', 'hello'));
  assert.equal(
    files.get('logs/gpu01-rank-10-engine.log'),
    '== gpu01 rank 10, socket (launch 1)\nNCCL INFO a\n',
  );
  assert.deepEqual(
    kept.files().map(({ rank }) => rank),
    [null, 2, 10],
  );
});

test('hosts whose names differ only in what file names should not have keep files of their own, also when resumed', async () => {
  const { files, logs: kept } = logs();
  for (const host of ['a:1', 'a_1', '../../etc', 'session', 'ü']) await kept.add(line(host, 'x'));
  assert.equal(files.size, 5);
  for (const name of files.keys()) assert.match(name, /^logs\/[A-Za-z0-9_][A-Za-z0-9._-]*\.log$/);
  assert.ok(!files.has('logs/session.log'));
  const again = logs(kept.files());
  await again.logs.add(line('a_1', 'y'));
  assert.deepEqual([...again.files.keys()], [kept.files().find(({ host }) => host === 'a_1')?.file]);
  assert.equal(again.logs.files().length, 5);
});

test('what a terminal would act on is not kept; a file that grows without end is cut off once, and says so', async () => {
  const { files, logs: kept } = logs();
  await kept.add(line('h', '\u001b[2Jgone\u0007'));
  assert.match(files.get('logs/h.log') ?? '', / agent: ·\[2Jgone·\n$/);
  for (let i = 0; i < 6; i++) await kept.add(engine('h', 0, 'x'.repeat(1024 * 1024)));
  const text = files.get('logs/h-rank-0-engine.log') ?? '';
  assert.ok(text.length < 4.1 * 1024 * 1024);
  assert.equal(text.match(/the rest is left out/g)?.length, 1);
});
