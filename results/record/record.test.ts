import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { groupWord } from '../schema/index.ts';
import { jobOfRecords } from './communicators.ts';
import { jobOfRecording } from './job.ts';
import { type RankRecord, type RecordedCall, readRankRecord } from './read.ts';
import { sentencesOf } from './sentences.ts';
import { periodOf } from './steps.ts';
import { writeTimeline } from './timeline.ts';
import { waitsOf } from './waits.ts';

const header = {
  ...{ t: 'header', v: 1, source: 'nccl', token: 'job1', host: 'a', pid: 7, program: '/usr/bin/python3.11' },
  ...{ comm: 'feed', ranks: 2, rank: 1, libraryVersion: '2.28.9' },
  ...{ monotonicNs: '9007199254740993', realtimeNs: '1795463923657902802' },
};
const lines = [
  header,
  { t: 'call', k: 0, seq: 0, func: 'AllReduce', count: 256, dtype: 'ncclFloat32', startNs: 10, ns: 5 },
  { t: 'device', k: 0, atNs: '1795463923657902802', ns: 900 },
  { t: 'lost', lostCalls: 3, lostDeviceTimes: 0 },
];

async function read(text: string, token: string | null): Promise<RankRecord | null> {
  const folder = await mkdtemp(path.join(tmpdir(), 'collbench-record-'));
  try {
    await writeFile(path.join(folder, 'one.ndjson'), text);
    return await readRankRecord(path.join(folder, 'one.ndjson'), token);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('a record that was cut in a line is read up to there; those of other jobs are left alone', async () => {
  const text = lines.map((line) => JSON.stringify(line)).join('\n');
  const record = await read(`${text}\n{"t":"call","k":1,"se`, 'job1');
  assert.equal(record?.calls.length, 1);
  assert.equal(record?.calls[0]?.device?.atNs, 1_795_463_923_657_902_802n);
  assert.equal(record?.monotonicNs, 9_007_199_254_740_993n);
  assert.equal(record?.lostCalls, 3);
  assert.equal(record?.isWhole, false);
  assert.equal(await read(text, 'job2'), null);
  assert.equal(await read('no record', null), null);
});

test('steps: the shortest sequence that repeats over most of a job, whatever stands before and behind it', () => {
  const repeated = (words: string, times: number) => [...words.repeat(times)];
  assert.deepEqual(periodOf(repeated('abc', 5)), { from: 0, length: 3, count: 5 });
  assert.deepEqual(periodOf([...'init', ...repeated('aab', 10), 'z']), { from: 4, length: 3, count: 10 });
  assert.equal(periodOf([...'abcdefgh']), null);
  // Two repetitions are too few for a step.
  assert.equal(periodOf(repeated('abcd', 2)), null);
  assert.equal(periodOf([]), null);
});

const call = (parts: Partial<RecordedCall>): RecordedCall => ({
  ...{
    sequence: 0,
    function: 'Allreduce',
    count: 1024,
    dtype: 'MPI_FLOAT',
    bytes: 4096,
    root: null,
    peer: null,
  },
  ...{ isGraph: false, isIssue: false, algorithm: '', startNs: 0, ns: 0, device: null },
  ...parts,
});

const recordOf = (rank: number, calls: RecordedCall[], parts: Partial<RankRecord> = {}): RankRecord => ({
  ...{
    source: 'mpi',
    communicator: 'c',
    name: 'world',
    ranks: 2,
    rank,
    worldRank: null,
    host: 'a',
    pid: 10 + rank,
    program: 'p',
  },
  ...{ library: { path: '', version: 'MPI 1', sha256: null }, monotonicNs: 1000n, realtimeNs: 0n },
  ...{ lostCalls: 0, lostDeviceTimes: 0, leftOut: 0, isWhole: true },
  calls,
  ...parts,
});

test('who waits for whom: by starts on one clock for MPI, by times inside kernels for NCCL', () => {
  // The record of rank 1 starts 500 ns after that of rank 0, so its call at 200 is at 700 on the common clock.
  const mpi = jobOfRecords([
    recordOf(0, [call({ startNs: 100, ns: 900 })]),
    recordOf(1, [call({ startNs: 200, ns: 300 })], { monotonicNs: 1500n }),
  ]);
  const waits = mpi.communicators.map(waitsOf)[0];
  assert.deepEqual(waits?.waitedNs, [600, 0]);
  assert.deepEqual(waits?.causedNs, [0, 600]);
  assert.deepEqual(waits?.spreadsNs, [600]);
  const kernel = (ns: number) => [call({ function: 'AllReduce', device: { atNs: 1n, ns } })];
  const nccl = jobOfRecords([
    recordOf(0, kernel(80), { source: 'nccl' }),
    recordOf(1, kernel(50), { source: 'nccl' }),
  ]);
  assert.deepEqual(nccl.communicators.map(waitsOf)[0]?.waitedNs, [30, 0]);
  assert.deepEqual(nccl.communicators.map(waitsOf)[0]?.lastIn, [0, 1]);
});

test('ranks of a communicator have the numbers of the job, in sentences, on the page and on the timeline', async () => {
  const made = Array.from({ length: 10 }, (_, sequence) =>
    call({ sequence, startNs: sequence * 100, ns: 50 }),
  );
  const late = made.map((one) => ({ ...one, startNs: one.startNs + 40, ns: 10 }));
  const world = [0, 1, 2].map((rank) => recordOf(rank, [], { ranks: 3 }));
  const own = { communicator: 'd.0', name: '', ranks: 2 };
  const part = [recordOf(0, made, { ...own, pid: 11 }), recordOf(1, late, { ...own, pid: 12 })];
  const recorded = jobOfRecords([...world, ...part]);
  const says = sentencesOf(recorded, null);
  assert.ok(
    says.some((text) => text.startsWith('rank 2 is a straggler of communicator (ranks 1, 2):')),
    says.join('\n'),
  );
  const folder = await mkdtemp(path.join(tmpdir(), 'collbench-timeline-'));
  try {
    await writeTimeline(path.join(folder, 't.json'), recorded);
    const { traceEvents } = JSON.parse(await readFile(path.join(folder, 't.json'), 'utf8'));
    const names = traceEvents.flatMap((one: { name: string; args: { name: string } }) =>
      one.name === 'process_name' ? [one.args.name] : [],
    );
    assert.deepEqual([...new Set(names)].sort(), ['rank 0, a 10', 'rank 1, a 11', 'rank 2, a 12']);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('calls that one rank has not are not matched, the others are', () => {
  const at = (sequence: number) => call({ sequence, ns: 10 });
  const { communicators } = jobOfRecords([recordOf(0, [at(0), at(1), at(2)]), recordOf(1, [at(0), at(2)])]);
  assert.deepEqual(
    communicators[0]?.matched.map(([first]) => first?.sequence),
    [0, 2],
  );
});

test('the step of an MPI job: computations are what passes between its calls, without waits and receives', () => {
  const step = (n: number): RecordedCall[] => [
    call({ startNs: n * 10_000 + 5000, ns: 1000, sequence: 2 * n }),
    call({ function: 'Recv', startNs: n * 10_000 + 6100, ns: 400, peer: 1 }),
    call({ function: 'Bcast', startNs: n * 10_000 + 7000, ns: 500, bytes: 64, count: 16, root: 0 }),
  ];
  const found = jobOfRecording(jobOfRecords([recordOf(0, [0, 1, 2, 3, 4].flatMap(step))]), 'j');
  assert.equal(found?.job.stepNs, 10_000);
  assert.deepEqual(found?.job.items, [
    { do: 'compute', ns: 7500 },
    { do: 'call', collective: 'allreduce', dtype: 'float32', bytes: 4096 },
    { do: 'wait' },
    { do: 'compute', ns: 600 },
    { do: 'call', collective: 'broadcast', dtype: 'float32', root: 0, bytes: 64 },
    { do: 'wait' },
  ]);
});

test('what replay does not make of a job is said', () => {
  const step = (n: number): RecordedCall[] => [
    call({ startNs: n * 10_000, ns: 1000, sequence: 2 * n }),
    call({ function: 'Barrier', startNs: n * 10_000 + 2000, ns: 400, bytes: 0, count: 0 }),
    call({ function: 'Alltoallv', startNs: n * 10_000 + 7000, ns: 500, bytes: 64, count: 16 }),
  ];
  const found = jobOfRecording(jobOfRecords([recordOf(0, [0, 1, 2, 3].flatMap(step))]), 'j');
  assert.deepEqual(found?.notices, [
    'replay leaves out 4 barriers',
    'replay gives every rank the bytes that rank 0 had in alltoallv',
  ]);
});

test('a job without repeated steps has at most 20,000 calls, and the rest is said', () => {
  const calls = (length: number): RecordedCall[] =>
    // Sizes differ in all calls, so that no sequence repeats.
    Array.from({ length }, (_, n) =>
      call({ startNs: n * 10_000, ns: 1000, sequence: n, bytes: 4 * (n + 1), count: n + 1 }),
    );
  const made = (length: number) => jobOfRecording(jobOfRecords([recordOf(0, calls(length))]), 'j');
  const cut = made(20_003);
  assert.equal(cut?.job.items.filter((item) => item.do === 'call').length, 20_000);
  assert.deepEqual(cut?.notices, [
    'the job to replay has only the first 20,000 of 20,003 calls: no sequence of them repeats',
  ]);
  assert.match(cut?.job.source ?? '', /; the first 20,000 calls: no sequence of them repeats$/);
  assert.deepEqual(made(20)?.notices, []);
});

test('the step of an NCCL job: kernels that follow closely were ready before, others begin when they were ready', () => {
  const kernel = (atUs: number, us: number, count: number) =>
    call({
      ...{ function: 'AllReduce', dtype: 'ncclFloat32', bytes: null, count, startNs: atUs * 1000, root: 0 },
      device: { atNs: BigInt(atUs * 1000), ns: us * 1000 },
    });
  // Times within a step: a bucket at 0, one directly after it, one that is ready 400 us after the first. The next step starts at
  // 1000 us.
  const step = (n: number) => [
    kernel(n * 1000, 100, 256),
    kernel(n * 1000 + 101, 100, 512),
    kernel(n * 1000 + 400, 50, 1024),
  ];
  const found = jobOfRecording(
    jobOfRecords([recordOf(0, [0, 1, 2, 3, 4].flatMap(step), { source: 'nccl' })]),
    'j',
  );
  assert.deepEqual(
    found?.job.items.map((item) =>
      item.do === 'compute' ? item.ns : item.do === 'call' ? item.bytes : 'wait',
    ),
    [550_000, 1024, 2048, 400_000, 4096, 'wait'],
  );
});

test('groups: communicators keep their ranks of the job, with every call of a step', () => {
  const step = (n: number): RecordedCall[][] => {
    const at = n * 10_000;
    return [
      [call({ startNs: at + 5000, ns: 100, bytes: 64, count: 16 }), call({ startNs: at + 6000, ns: 100 })],
      [call({ startNs: at + 7000, ns: 100, function: 'Allgather', bytes: 512, count: 128 })],
      [call({ startNs: at + 8000, ns: 100, bytes: 8, count: 2 })],
    ];
  };
  const steps = [0, 1, 2, 3].map(step);
  const of = (which: number) => steps.flatMap((one) => one[which] ?? []);
  const pair = (communicator: string, ranks: number[], which: number) =>
    ranks.map((world, rank) =>
      recordOf(rank, of(which), { communicator, pid: 10 + world, worldRank: world }),
    );
  const rows = [...pair('t0', [0, 1], 0), ...pair('t1', [2, 3], 0)];
  const columns = [...pair('d0', [0, 2], 1), ...pair('d1', [1, 3], 1)];
  const world = [0, 1, 2, 3].map((rank) => recordOf(rank, of(2), { communicator: 'w', ranks: 4 }));
  const wordsOf = (records: RankRecord[]) =>
    jobOfRecording(jobOfRecords(structuredClone(records)), 'j')?.job.items.flatMap((item) =>
      item.do === 'call' ? `${item.bytes} ${item.group === undefined ? 'all' : groupWord(item.group)}` : [],
    );
  const inOrder = ['64 2x1', '4096 2x1', '1024 2x2', '8 all'];
  assert.deepEqual(wordsOf([...rows, ...columns, ...world]), inOrder);
  // A job may have no communicator of all ranks: the launcher's rank numbers are then used.
  assert.deepEqual(wordsOf([...rows, ...columns]), inOrder.slice(0, 3));
  const unnumbered = [...rows, ...columns].map((one) => ({ ...one, worldRank: null }));
  assert.equal(jobOfRecording(jobOfRecords(unnumbered), 'j')?.job.ranks, 2);
});
