import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BlockRecord, blockRecord, type Failure, type RunPlan } from '../../results/schema/index.ts';
import { testBlocks, testPlan } from '../../results/testing/plan.ts';
import type { Deadlines } from '../deadlines.ts';
import type { OpenedLaunch } from '../launch.ts';
import type { AgentProcess, Launcher } from '../launchers/launcher.ts';
import { local } from '../launchers/local.ts';
import { readyRank } from '../testing/agent-messages.ts';
import { mockLauncher } from '../testing/mock.ts';
import { runSession, type SessionEvent, type SessionOptions } from './session.ts';

/** Wraps a launcher and records its processes, so that a test can check that they have ended. */
function watched(launcher: Launcher): Launcher & { processes: AgentProcess[] } {
  const processes: AgentProcess[] = [];
  return {
    name: launcher.name,
    processes,
    start: (host, path) => {
      const process = launcher.start(host, path);
      processes.push(process);
      return process;
    },
  };
}

interface SessionOutcome {
  events: SessionEvent[];
  blocks: BlockRecord[];
  failure: Failure | null;
  processes: AgentProcess[];
}

async function session(
  fault: string,
  plan: RunPlan = testPlan(),
  options: Partial<SessionOptions> = {},
  onEvent: (event: SessionEvent) => void = () => undefined,
): Promise<SessionOutcome> {
  const launcher = watched(options.launcher ?? mockLauncher(fault));
  const events: SessionEvent[] = [];
  const all: SessionOptions = {
    agentPath: '',
    signal: new AbortController().signal,
    ...options,
    launcher,
  };
  for await (const event of runSession(plan, testBlocks(plan), all)) {
    events.push(event);
    onEvent(event);
  }
  // These promises resolve only when the processes have ended: a session must not leave any behind.
  await Promise.all(launcher.processes.map((process) => process.exit));
  const blocks = events.flatMap((event) => (event.type === 'block' ? [event.record] : []));
  const failures = events.flatMap((event) => (event.type === 'failure' ? [event.failure] : []));
  assert.ok(failures.length === 0 || events.at(-1)?.type === 'failure', 'a failure is the last event');
  assert.ok(failures.length < 2);
  return { events, blocks, failure: failures[0] ?? null, processes: launcher.processes };
}

const impatient: Partial<Deadlines> = { measureMs: 50, marginMs: 50, endMs: 50, termMs: 5000 };

test('a session opens each launch once, carries out all blocks in order and ends the agent', async () => {
  const plan = testPlan({ sampling: { ...testPlan().sampling, launches: 2 } });
  const { events, blocks, failure, processes } = await session('', plan);
  assert.equal(failure, null);
  assert.equal(events[0]?.type, 'inventory');
  const launches = events.flatMap((event) => (event.type === 'launch' ? [event.record] : []));
  assert.deepEqual(
    launches.map(({ transport, launch }) => [transport, launch]),
    [
      [0, 0],
      [1, 0],
      [0, 1],
      [1, 1],
    ],
  );
  assert.deepEqual(
    blocks.map((block) => block.block),
    testBlocks(plan).map((_, index) => index),
  );
  for (const block of blocks) assert.doesNotThrow(() => blockRecord.parse(block));
  assert.deepEqual(await processes[0]?.exit, { code: 0, signal: null, startError: null });
});

test('times of a block are relative to its earliest, one row per rank', async () => {
  const { blocks } = await session('');
  const [isolated, pipelined] = blocks;
  assert.equal(isolated?.trial, 'isolated');
  assert.equal(isolated.commonStartNs[0], 0);
  assert.equal(isolated.startNs.length, 2);
  assert.equal(isolated.startNs[1]?.length, 40);
  assert.ok(isolated.baseNs > 1e12);
  assert.equal(pipelined?.trial, 'pipelined');
  assert.deepEqual(
    pipelined.commonStartNs,
    pipelined.startNs[0]?.map((ns, i) => Math.min(ns, pipelined.startNs[1]?.[i] as number)),
  );
});

test('the same seed gives the same samples from the mock', async () => {
  const [first, second] = await Promise.all([session(''), session('')]);
  assert.deepEqual(first.blocks, second.blocks);
});

test('ranks on two hosts meet through the controller', async () => {
  const hosts = [
    { name: 'a', ranks: [0, 2] },
    { name: 'b', ranks: [1] },
  ];
  const { blocks, failure, processes } = await session('', testPlan({ ranks: 3, hosts }));
  assert.equal(failure, null);
  assert.equal(processes.length, 2);
  assert.equal(blocks[0]?.endNs.length, 3);
  assert.deepEqual(
    blocks[0]?.wrong.map((wrong) => wrong.rank),
    [0, 1, 2],
  );
});

test('an agent that dies is named with host, point and its last words; finished blocks are kept', async () => {
  const { blocks, failure } = await session('die:3');
  assert.equal(blocks.length, 3);
  assert.equal(failure?.kind, 'agent-lost');
  assert.match(
    failure.message,
    /agent on localhost exited with code 3 while measuring allreduce 1 KiB over sisci/,
  );
  assert.ok(failure.details.some((line) => line.includes('mock: dies as planned')));
  assert.equal(failure.host, 'localhost');
  assert.match(String(failure.next), /^collbench allreduce --sizes 1K .*--transport sisci/);
});

test('an agent that is killed is told from one that gives up', async () => {
  const { failure } = await session('killed:0');
  assert.match(failure?.message ?? '', /killed by SIGKILL/);
  assert.ok(failure?.details.some((line) => line.includes('memory')));
});

test('an agent that is silent past its own deadline is killed', async () => {
  const { failure, processes } = await session('silent:0', testPlan(), { deadlines: impatient });
  assert.equal(failure?.kind, 'agent-lost');
  assert.match(failure.message, /sent no answer for 100 ms while measuring allreduce 1 KiB over socket/);
  const exit = await processes[0]?.exit;
  assert.ok(exit?.signal === 'SIGTERM' || exit?.signal === 'SIGKILL');
});

test('an agent that never greets is given up', async () => {
  const { failure, blocks } = await session('silent-start', testPlan(), {
    deadlines: { helloMs: 50, endMs: 50, termMs: 5000 },
  });
  assert.equal(blocks.length, 0);
  assert.match(failure?.message ?? '', /sent no answer for 50 ms while starting/);
});

test('a line that is no message is quoted', async () => {
  const { failure, blocks } = await session('garbage:2');
  assert.equal(blocks.length, 2);
  assert.equal(failure?.kind, 'agent-lost');
  assert.match(failure.message, /Segmentation fault in libfoo/);
});

test('another protocol version is refused with both versions and the fix', async () => {
  const { failure } = await session('version');
  assert.equal(failure?.kind, 'setup');
  assert.match(failure.message, /speaks protocol 4, this controller speaks 3/);
  assert.equal(failure.next, 'npm run build');
});

test('an agent that is not there is a set-up failure naming the build command', async () => {
  const { failure } = await session('', testPlan(), {
    launcher: local,
    agentPath: '/nonexistent/collbench-agent',
  });
  assert.equal(failure?.kind, 'setup');
  assert.match(failure.message, /cannot be started/);
  assert.equal(failure.next, 'npm run build:native');
});

test('a rank that dies is named with host, operation and what the others do', async () => {
  const { failure } = await session('rank-died:1');
  assert.equal(failure?.kind, 'rank-died');
  assert.equal(failure.rank, 1);
  assert.match(
    failure.message,
    /^rank 1 on localhost was killed by SIGKILL in allreduce 1 KiB over socket, operation 17 of 52/,
  );
  assert.ok(failure.details.includes('rank 0: in phase running, 17 operations done'));
});

test('a hang names the rank that is behind, the deadline and its stack', async () => {
  const { failure } = await session('hang:0');
  assert.equal(failure?.kind, 'hang');
  assert.equal(failure.rank, 1);
  assert.match(
    failure.message,
    /^rank 1 on localhost stopped answering in allreduce 1 KiB over socket, operation 17 of 42 \(deadline 30 s\)$/,
  );
  assert.ok(failure.details.includes('rank 1 stack: #0 futex_wait'));
  assert.ok(failure.details.some((line) => line.startsWith('Likely cause: rank 1 is behind')));
});

test('ranks that disagree on the number of samples make no row', async () => {
  const { failure, blocks } = await session('short:1');
  assert.equal(blocks.length, 1);
  assert.equal(failure?.kind, 'incomplete');
  assert.match(failure.message, /rank 1 has 9 values of startNs, rank 0 has 10 samples/);
});

test('hardware that turns out emulated, or the other way round, is a contradiction', async () => {
  const { failure, blocks } = await session('medium');
  assert.equal(blocks.length, 0);
  assert.equal(failure?.kind, 'contradicted');
  assert.match(failure.message, /socket was planned as emulated, but rank 0 runs it on hardware/);
});

test('an abort ends in order: what was measured stays, the agent is gone', async () => {
  const abort = new AbortController();
  const { failure, blocks } = await session('silent:2', testPlan(), { signal: abort.signal }, (event) => {
    if (event.type === 'block' && event.record.block === 1) abort.abort();
  });
  assert.equal(blocks.length, 2);
  assert.equal(failure?.kind, 'interrupted');
  assert.match(failure.message, /interrupted while/);
});

test('an abort before the start starts nothing that stays', async () => {
  const { failure } = await session('', testPlan(), { signal: AbortSignal.abort() });
  assert.equal(failure?.kind, 'interrupted');
});

test('a consumer that leaves early leaves no agent', async () => {
  const launcher = watched(mockLauncher());
  const plan = testPlan();
  const options = { agentPath: '', signal: new AbortController().signal, launcher };
  for await (const event of runSession(plan, testBlocks(plan), options)) if (event.type === 'block') break;
  assert.equal(launcher.processes.length, 1);
  await launcher.processes[0]?.exit;
});

test('a block of a point that the plan does not have is an error in words', async () => {
  const plan = testPlan();
  const requests = testBlocks(plan, { point: 9 });
  const events: SessionEvent[] = [];
  const options = { agentPath: '', signal: new AbortController().signal, launcher: mockLauncher() };
  for await (const event of runSession(plan, requests, options)) events.push(event);
  const last = events.at(-1);
  assert.equal(last?.type, 'failure');
  assert.match(last.failure.message, /point 9 .*no such cell/);
});

test('launches may come from elsewhere; plain errors of theirs become failures and all are stopped', async () => {
  const stopped: number[] = [];
  const tokens = new Set<unknown>();
  const plan = testPlan();
  const events: SessionEvent[] = [];
  const options: SessionOptions = {
    agentPath: '',
    signal: new AbortController().signal,
    openLaunch: async (request): Promise<OpenedLaunch> => {
      tokens.add(request.options.token);
      const ranks = [0, 1].map((rank) => readyRank(rank));
      return {
        ready: { type: 'ready', launch: request.launch, setupNs: 1, ranks },
        measure: () =>
          Promise.reject(Object.assign(new Error('segment is gone'), { rank: 1, code: 'link-down' })),
        stop: async () => void stopped.push(request.launch),
      };
    },
  };
  for await (const event of runSession(plan, testBlocks(plan), options)) events.push(event);
  const last = events.at(-1);
  assert.equal(last?.type, 'failure');
  assert.equal(last.failure.rank, 1);
  assert.match(last.failure.message, /rank 1: segment is gone \[link-down\]/);
  assert.deepEqual(stopped, [0]);
  assert.match([...tokens].join(), /^[0-9a-f]{32}$/);
});
