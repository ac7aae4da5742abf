import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { Refusal } from '../../results/refusals/refusal.ts';
import { textOf } from '../../results/refusals/words.ts';
import { type Job, replay, replayAxes } from '../../results/schema/index.ts';
import { jobOf, jobsOf, keyOfJob, scriptOf, shippedJobs, totalsOf } from '../jobs/index.ts';
import { ValueError } from '../options/values.ts';
import type { WorkInput } from '../plan-input.ts';
import { replayPlanning } from './replay.ts';

const small: Job = {
  type: 'job',
  schemaVersion: 1,
  name: 'small job',
  source: 'made for tests',
  ranks: 2,
  hasTimes: true,
  stepNs: null,
  items: [
    { do: 'call', collective: 'broadcast', dtype: 'int64', bytes: 368 },
    { do: 'wait' },
    { do: 'compute', ns: 1000 },
    { do: 'call', collective: 'allreduce', dtype: 'float32', bytes: 1000, label: 'bucket 0' },
    { do: 'call', collective: 'allgather', dtype: 'bfloat16', bytes: 10 },
    { do: 'wait' },
  ],
};

const input = (words: Record<string, string>, ranks = 2): WorkInput => ({
  typed: [],
  command: 'replay',
  words: { compute: '100', computing: 'device', ...words },
  engine: 'cpu',
  algorithm: null,
  ranks,
  inProcess: false,
  transports: [],
  dtypes: [],
  ops: [],
  roots: [],
  inPlace: [],
  sizes: { kind: 'list', sizes: [] },
});

function inFolder(use: (folder: string) => void): void {
  const folder = mkdtempSync(path.join(tmpdir(), 'collbench-'));
  try {
    use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('a step is a line per item; what a source does not say is a sum, and root 0', () => {
  assert.deepEqual(scriptOf(small.items).split('\n'), [
    'call broadcast int64 - 0 368',
    'wait',
    'compute 1000',
    'call allreduce float32 sum - 1000',
    'call allgather bfloat16 - - 10',
    'wait',
  ]);
});

test('totals: bytes are padded to whole elements on each rank, and sent as each collective must at least', () => {
  assert.deepEqual(totalsOf(scriptOf(small.items), 4), {
    computeNs: 1000,
    calls: 3,
    bytes: 368 + 1000 + 16,
    sentBytes: 3 * 368 + 2 * 3 * 1000 + 3 * 16,
  });
});

const grouped: Job = {
  ...small,
  ranks: 4,
  items: [
    { do: 'call', collective: 'allreduce', dtype: 'float32', bytes: 1000, group: { size: 2, stride: 1 } },
    { do: 'call', collective: 'allgather', dtype: 'float32', bytes: 800, group: { size: 2, stride: 2 } },
    { do: 'call', collective: 'allreduce', dtype: 'float32', bytes: 8 },
  ],
};

test('calls of groups: their groups are in the script, and all groups together send', () => {
  const script = scriptOf(grouped.items);
  assert.deepEqual(script.split('\n').slice(0, 2), [
    'call allreduce float32 sum - 1000 2x1',
    'call allgather float32 - - 800 2x2',
  ]);
  assert.deepEqual(totalsOf(script, 4), {
    ...{ computeNs: 0, calls: 3, bytes: 1808 },
    sentBytes: 2 * 2000 + 2 * 800 + 6 * 8,
  });
});

test('ranks that do not make the groups of a job are refused, with those that do', () => {
  inFolder((folder) => {
    const file = path.join(folder, 'grouped.json');
    writeFileSync(file, JSON.stringify(grouped));
    const planned = (ranks: number) => replayPlanning.points(input({ job: file }, ranks)).points.length;
    assert.equal(planned(4), 1);
    assert.equal(planned(8), 1);
    assert.throws(
      () => planned(2),
      (error) =>
        error instanceof Refusal && error.code === 'job-groups' && /multiple of 4 ranks/.test(textOf(error)),
    );
    assert.ok(replayPlanning.collectiveNeeds?.({ job: file }).some(({ key }) => key === 'members'));
  });
});

test('ranks without the root of a call are refused before anything starts', () => {
  inFolder((folder) => {
    const file = path.join(folder, 'rooted.json');
    const items = [{ do: 'call', collective: 'broadcast', dtype: 'uint8', root: 2, bytes: 140 }];
    writeFileSync(file, JSON.stringify({ ...grouped, items }));
    const planned = (ranks: number) => replayPlanning.points(input({ job: file }, ranks)).points.length;
    assert.equal(planned(3), 1);
    assert.throws(
      () => planned(2),
      (error) => error instanceof Refusal && /with --ranks 3$/.test(textOf(error)),
    );
  });
});

test('gradients of the shipped models are all of their parameters, once', () => {
  const parameters = { resnet50: 25_557_032, efficientnet_b0: 5_288_548, mobilenet_v3_large: 5_483_032 };
  for (const [name, count] of Object.entries(parameters))
    for (const variant of ['', '-amp', '-batch128']) {
      const calls = jobOf(`${name}${variant}`).items.filter((item) => item.do === 'call');
      const gradients = calls.filter(({ collective }) => collective === 'allreduce');
      assert.equal(
        gradients.reduce((all, { bytes }) => all + bytes, 0),
        4 * count,
        name,
      );
      assert.equal(calls.length - gradients.length, 2);
    }
});

test('shapes of language models follow from their configurations', () => {
  const bytesOf = (name: string) => totalsOf(scriptOf(jobOf(name).items), 2);
  // Payload: 16 tokens of 4096 two-byte elements, after attention and feed-forward in 32 layers.
  assert.deepEqual(
    [bytesOf('llama3-8b-decode-tp').calls, bytesOf('llama3-8b-decode-tp').bytes],
    [64, 64 * 131_072],
  );
  // Parameters of a layer: 218,112,000, gathered twice and scattered once.
  assert.equal(bytesOf('llama3-8b-train-fsdp').bytes, 3 * 32 * 218_112_000 * 2);
  assert.ok(shippedJobs.every(({ source }) => source.length > 20));
});

test('a percentage scales computations alone, and the name tells unlike jobs apart', () => {
  const { points } = replayPlanning.points(input({ job: 'resnet50', compute: '100,50,0' }));
  assert.deepEqual(
    points.map(({ axes }) => [axes.computePercent, axes.computeNs]),
    [
      [100, 18_732_000],
      [50, 9_366_000],
      [0, 0],
    ],
  );
  assert.equal(new Set(points.map(({ axes }) => axes.job)).size, 1);
  assert.match(String(points[0]?.axes.job), /^resnet50@[0-9a-f]{8}$/);
  assert.notEqual(keyOfJob(jobOf('resnet50')), keyOfJob({ ...jobOf('resnet50-amp'), name: 'resnet50' }));
  assert.equal(keyOfJob(small).slice(0, 10), 'small-job@');
});

test('order alone is one point, without computations', () => {
  const { points } = replayPlanning.points(input({ job: 'llama3-8b-decode-tp', compute: '100,50' }));
  assert.deepEqual(
    points.map(({ axes }) => axes.computePercent),
    [0],
  );
});

test('for other ranks the step stays, and what must be sent follows', () => {
  const [point] = replayPlanning.points(input({ job: 'resnet50' })).points;
  assert.ok(point !== undefined);
  const four = replayPlanning.pointFor(point, 4);
  assert.equal(four.script, point.script);
  assert.equal(replay.minMovedBytes({ axes: point.axes, ranks: 2 }, ''), 2 * 102_228_128 + 212_904);
  assert.equal(replayAxes.parse(four.axes).sentBytes, 6 * 102_228_128 + 3 * 212_904);
});

test('a job comes from a file or from a run that has one', () => {
  inFolder((folder) => {
    const file = path.join(folder, 'mine.json');
    writeFileSync(file, JSON.stringify(small));
    assert.deepEqual(jobOf(file), small);
    const run = path.join(folder, 'run');
    mkdirSync(run);
    writeFileSync(path.join(run, 'job.json'), JSON.stringify({ ...small, name: 'recorded' }));
    assert.deepEqual(
      jobsOf(`${file},${run}`).map(({ name }) => name),
      ['small job', 'recorded'],
    );
  });
});

test('a job that a list names twice is replayed once', () => {
  inFolder((folder) => {
    const file = path.join(folder, 'resnet50.json');
    writeFileSync(file, JSON.stringify(jobOf('resnet50')));
    for (const list of ['all,resnet50', `resnet50,all,${file}`])
      assert.deepEqual(jobsOf(list).map(keyOfJob).sort(), shippedJobs.map(keyOfJob).sort());
  });
});

test('what is no job is refused with what is wrong', () => {
  inFolder((folder) => {
    const file = path.join(folder, 'bad.json');
    const refusal = (content: string): string => {
      writeFileSync(file, content);
      try {
        jobOf(file);
      } catch (error) {
        assert.ok(error instanceof ValueError);
        return error.message;
      }
      return 'accepted';
    };
    assert.match(refusal('{'), /is no job: it is neither a job nor a trace/);
    assert.match(refusal('{"traceEvents":[]}'), /is no job: it is neither/);
    assert.match(refusal('[]'), /is no job: the file/);
    assert.match(refusal(JSON.stringify({ ...small, items: [{ do: 'sleep' }] })), /is no job: items\.0/);
    assert.match(refusal(JSON.stringify({ ...small, items: [{ do: 'wait' }] })), /has no collective/);
    const many = Array.from({ length: 20_001 }, () => small.items[0]);
    assert.match(refusal(JSON.stringify({ ...small, items: many })), /at most 20000/);
  });
  assert.throws(() => jobOf('/nowhere'), /'\/nowhere' is no job of collbench, and no file, run or trace/);
  for (const [name, bad] of [
    ['compute', '-1'],
    ['compute', '1001'],
    ['computing', 'moon'],
  ] as const) {
    const option = replayPlanning.options[name];
    assert.throws(() => option?.coerce(bad), ValueError, bad);
  }
});
