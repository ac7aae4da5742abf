import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completeness, deriveCell } from '../results/derive/index.ts';
import {
  type BlockRecord,
  type BlockRequest,
  blockRecord,
  type Failure,
  type LaunchRecord,
  launchRecord,
  measuredOf,
  type OkCell,
  type RunPlan,
  sideOf,
} from '../results/schema/index.ts';
import { testPlan, testPoint } from '../results/testing/plan.ts';
import { makePlan } from '../suites/plan.ts';
import { schedule } from '../suites/schedule.ts';
import { deadlinesOf } from './deadlines.ts';
import { launchContextOf } from './failures/failures.ts';
import type { LaunchRequest, OpenedLaunch } from './launch.ts';
import { runSession, type SessionOptions } from './session/session.ts';
import { rankOutcome, readyRank } from './testing/agent-messages.ts';
import { mockLauncher } from './testing/mock.ts';

const plan: RunPlan = makePlan({
  typed: ['collbench', 'allreduce'],
  command: 'allreduce',
  words: {},
  engine: 'nccl',
  settings: { cache: 'cold', nccl: '/opt/nccl/libnccl.so.2' },
  algorithm: null,
  ranks: 2,
  host: 'localhost',
  inProcess: false,
  transports: [
    { name: 'p2p', medium: 'emulated', detail: { adapter: 'mock' }, options: {} },
    {
      name: 'socket@ring/LL',
      medium: 'emulated',
      detail: { adapter: 'mock' },
      options: { interface: 'lo' },
      settings: { algo: 'Ring', proto: 'LL' },
    },
  ],
  dtypes: ['float32'],
  ops: ['sum'],
  roots: [0],
  inPlace: [false],
  sizes: { kind: 'list', sizes: [4096, 2 ** 20] },
  sampling: {
    launches: 2,
    warmup: 2,
    iterations: 20,
    batch: 0,
    check: 5,
    timeoutS: 30,
    seed: 1,
    attest: true,
  },
});

interface NcclOutcome {
  blocks: BlockRecord[];
  launches: LaunchRecord[];
  failure: Failure | null;
}

async function session(fault = '', parts: Partial<SessionOptions> = {}): Promise<NcclOutcome> {
  const outcome: NcclOutcome = { blocks: [], launches: [], failure: null };
  const options = { agentPath: '', signal: new AbortController().signal, launcher: mockLauncher(fault) };
  for await (const event of runSession(plan, schedule(plan), { ...options, ...parts })) {
    if (event.type === 'block') outcome.blocks.push(event.record);
    if (event.type === 'launch') outcome.launches.push(event.record);
    if (event.type === 'failure') outcome.failure = event.failure;
  }
  return outcome;
}

const cellsOf = ({ blocks }: NcclOutcome): OkCell[] =>
  plan.points.flatMap((_, point) =>
    plan.transports.map((_, transport) => {
      const mine = blocks.filter((block) => block.point === point && block.transport === transport);
      const cell = deriveCell(plan, point, transport, mine);
      assert.equal(cell.status, 'ok');
      return cell;
    }),
  );

test('plan to figures over the mock: choices attested, times of the device, way proven', async () => {
  const outcome = await session();
  assert.equal(outcome.failure, null);
  for (const block of outcome.blocks) assert.doesNotThrow(() => blockRecord.parse(block));
  const cells = cellsOf(outcome);
  assert.deepEqual(
    cells.map(({ transport, choice, evidence }) => [
      transport,
      choice.algorithm,
      choice.protocol,
      evidence.verdict,
    ]),
    [0, 1].flatMap(() => [
      ['p2p', 'Ring', 'Simple', 'confirmed'],
      ['socket@ring/LL', 'Ring', 'LL', 'confirmed'],
    ]),
  );
  for (const cell of cells) {
    const pipelined = measuredOf(cell, 'pipelined');
    assert.equal(measuredOf(cell, 'latency')?.method.sync, 'hold');
    assert.equal(pipelined?.method.sync, 'none');
    assert.equal(pipelined.batch, 20);
    const { value, launchValues } = sideOf(cell, 'enqueue') ?? {};
    assert.deepEqual([value, launchValues], [4000, [4000, 4000]]);
  }
  const { complete, cellsMeasured } = completeness(plan, cells);
  assert.deepEqual([complete, cellsMeasured], [true, 4]);
});

test('what a launch was is recorded with its facts, the token is not', async () => {
  const { launches } = await session();
  assert.equal(launches.length, 2 * 3, 'each transport: one that attests, two that are timed');
  for (const launch of launches) {
    assert.doesNotThrow(() => launchRecord.parse(launch));
    assert.deepEqual(launch.ranks[0]?.facts, { 'nccl.version': '2.30.3' });
  }
});

test('NCCL that falls back to another net is contradicted; so is one that takes another algorithm', async () => {
  const [p2p] = cellsOf(await session('fallback'));
  assert.match(p2p?.evidence.reason ?? '', /connections over NET\/Socket, P2P or NVLS was asked for/);
  const [, socket] = cellsOf(await session('choice'));
  assert.match(socket?.evidence.reason ?? '', /took the algorithm TREE, Ring was asked for/);
});

test('a launch gets engine, bare transport and its words; the one that attests ends before the next is opened', async () => {
  const story: string[] = [];
  const messages: LaunchRequest[] = [];
  await session('', {
    openLaunch: async (request): Promise<OpenedLaunch> => {
      messages.push(request);
      story.push(`open ${request.launch}`);
      return {
        ready: {
          type: 'ready',
          launch: request.launch,
          setupNs: 1,
          ranks: [0, 1].map((rank) => readyRank(rank)),
        },
        measure: async ({ block, trial }) => {
          story.push(`${trial.kind} in ${request.launch}`);
          const ranks = [0, 1].map((rank) =>
            rankOutcome(rank, trial.maxSamples, {
              algorithm: rank === 0 ? '' : 'Ring',
              protocol: rank === 0 ? '' : 'LL',
              paths: { 'P2P/CUMEM': 3 },
              batch: trial.batch,
            }),
          );
          return { type: 'measured', launch: request.launch, block, ranks, interfaceBytes: {} };
        },
        stop: async () => void story.push(`stop ${request.launch}`),
      };
    },
  });
  assert.deepEqual(story.slice(0, 8), [
    'open 0',
    'pipelined in 0',
    'pipelined in 0',
    'stop 0',
    'open 1',
    'pipelined in 1',
    'pipelined in 1',
    'stop 1',
  ]);
  assert.equal(new Set(messages.map(({ launch }) => launch)).size, 6, 'no number is used twice');
  for (const { engine, transport, settings, deadlineMs } of messages) {
    assert.equal(engine, 'nccl');
    assert.ok(['p2p', 'socket'].includes(transport), transport);
    assert.equal(settings?.nccl, '/opt/nccl/libnccl.so.2');
    assert.equal(settings.algo, transport === 'socket' ? 'Ring' : undefined);
    assert.equal(deadlineMs, 120_000);
  }
  assert.deepEqual(
    messages.map(({ settings }) => settings?.attest),
    ['1', '1', undefined, undefined, undefined, undefined],
  );
});

test('choices come from the first rank that knows them, paths from all', async () => {
  const { blocks } = await session();
  const attested = blocks.find(({ trial }) => trial === 'attest');
  assert.deepEqual([attested?.algorithm, attested?.protocol], ['Ring', 'Simple']);
  assert.deepEqual(attested?.paths, { 'P2P/CUMEM': 8 });
});

test('opening GPUs may take two minutes, more where the command line says so; the cpu engine keeps its time', () => {
  const timeout = (engine: RunPlan['engine'], timeoutS: number, { ranks } = plan) =>
    deadlinesOf({ ...plan, engine, ranks, sampling: { ...plan.sampling, timeoutS } });
  assert.equal(timeout('nccl', 30).launchMs, 120_000);
  assert.equal(timeout('nccl', 30).measureMs, 30_000);
  assert.equal(timeout('nccl', 300).launchMs, 300_000);
  assert.equal(timeout('cpu', 30).launchMs, 30_000);
  assert.ok(timeout('cpu', 30, { ...plan, ranks: 1000 }).launchMs > 100_000, 'many ranks connect for longer');
});

test('the command that repeats a cell names engine, library and what its series fixes', () => {
  const { again } = launchContextOf(plan, 1, 1, 'measure');
  assert.match(
    again ?? '',
    /--engine nccl --nccl \/opt\/nccl\/libnccl.so.2 --transport socket --algo Ring --proto LL/,
  );
  assert.doesNotMatch(
    launchContextOf(testPlan({ points: [testPoint()] }), 0, 0, 'measure').again ?? '',
    /engine/,
  );
});

test('ranks that do not agree on whose clock they read make no row', async () => {
  const { mergeBlock } = await import('./merge.ts');
  const { blocks } = await session();
  const [first] = schedule(plan).filter(({ trial }) => trial === 'isolated') as [BlockRequest];
  assert.ok(blocks.some(({ clock }) => clock === 'device'));
  const one = (rank: number, clock: 'host' | 'device') =>
    rankOutcome(rank, 20, { clock, markNs: 1, enqueueNs: new Array<number>(20).fill(1) });
  const measured = {
    type: 'measured' as const,
    launch: 0,
    block: 0,
    ranks: [one(0, 'device'), one(1, 'host')],
    interfaceBytes: {},
  };
  const where = launchContextOf(plan, 0, 0, 'measure');
  assert.throws(
    () => mergeBlock(plan, first, 0, measured, where),
    /rank 1 was timed by the host, rank 0 was not/,
  );
});
