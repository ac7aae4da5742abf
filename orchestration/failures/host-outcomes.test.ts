import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Failure, RunPlan } from '../../results/schema/index.ts';
import { testBlocks, testPlan } from '../../results/testing/plan.ts';
import type { Deadlines } from '../deadlines.ts';
import type { RankProgress } from '../protocol.ts';
import { runSession } from '../session/session.ts';
import { failedMessage, rankProgress } from '../testing/agent-messages.ts';
import { mockLauncher } from '../testing/mock.ts';
import type { FailedMessage, HostOutcome } from './blame.ts';
import type { LaunchContext } from './failure-text.ts';
import { agentLost, agentSilent, launchContextOf } from './failures.ts';
import { mergeFailures } from './host-outcomes.ts';

const hosts = [
  { name: 'a', ranks: [0, 1] },
  { name: 'b', ranks: [2, 3] },
  { name: 'c', ranks: [4] },
];
const plan: RunPlan = testPlan({ ranks: 5, hosts });
const where: LaunchContext = { ...launchContextOf(plan, 0, 0, 'measure'), deadlineMs: 10_000 };

const progress = (rank: number, parts: Partial<RankProgress> = {}): RankProgress =>
  rankProgress(rank, { block: 3, stack: [`#0 stack_of_${rank}`], ...parts });

/** Report of the agent of host a, b or c; `parts.ranks` changes the progress of its ranks. */
function told(
  name: string,
  parts: Partial<Omit<FailedMessage, 'ranks'>>,
  heardMs = 0,
  ranks: Record<number, Partial<RankProgress>> = {},
): HostOutcome {
  const host = hosts.find((one) => one.name === name) as (typeof hosts)[number];
  const message = failedMessage({
    ...parts,
    ranks: host.ranks.map((rank) => progress(rank, ranks[rank])),
  });
  return { host: name, ranks: host.ranks, end: { is: 'failed', message, heardMs } };
}
const died = (name: string, rank: number, heardMs = 0): HostOutcome =>
  told(name, { kind: 'rank-died', code: 'SIGKILL', rank }, heardMs, {
    [rank]: { alive: false, iterationsDone: 12 },
  });
const lostPeer = (name: string, rank: number, heardMs = 0): HostOutcome =>
  told(name, { kind: 'rank-error', code: 'connection_lost', rank, reason: 'lost' }, heardMs);
const lost = (name: string, failure: Failure, isSilent: boolean, heardMs = 0): HostOutcome => ({
  host: name,
  ranks: hosts.find((one) => one.name === name)?.ranks ?? [],
  end: { is: 'lost', failure, isSilent, heardMs },
});
const quiet = (name: string, is: 'waiting' | 'done'): HostOutcome => ({
  host: name,
  ranks: hosts.find((one) => one.name === name)?.ranks ?? [],
  end: { is },
});

test('the rank that died is the culprit, however early the ranks that lost it were heard', () => {
  const failure = mergeFailures([lostPeer('a', 0, 1), died('b', 3, 20), quiet('c', 'waiting')], where);
  assert.equal(failure.kind, 'rank-died');
  assert.equal(failure.rank, 3);
  assert.equal(failure.host, 'b');
  assert.equal(
    failure.message,
    'rank 3 on b was killed by SIGKILL in allreduce 1 KiB over socket, operation 13',
  );
  assert.deepEqual(failure.details.slice(-3), [
    'a (ranks 0-1): rank 0 lost the connection to a peer',
    'b (ranks 2-3): rank 3 was killed by SIGKILL in allreduce 1 KiB over socket, operation 13, it failed first',
    'c (rank 4): its agent answers, its ranks were waiting',
  ]);
  assert.ok(failure.details.includes('ranks 0-2: in phase running, 17 operations done'), 'of all hosts');
});

test('of two that died by themselves the one heard first', () => {
  const failure = mergeFailures([died('a', 1, 30), died('b', 2, 20)], where);
  assert.equal(failure.rank, 2);
  assert.match(
    failure.details.at(-2) ?? '',
    /^a .*rank 1 was killed by SIGKILL in allreduce 1 KiB over socket, operation 13$/,
  );
});

test('an error of its own goes before a lost peer, that before being told to stop', () => {
  const own = told('b', { kind: 'rank-error', code: 'internal', rank: 2, reason: 'the card is gone' }, 9);
  const cancelled = told('a', { kind: 'rank-error', code: 'cancelled', rank: 0, reason: 'cancelled' });
  assert.equal(mergeFailures([cancelled, lostPeer('c', 4), own], where).rank, 2);
  assert.equal(mergeFailures([cancelled, lostPeer('c', 4)], where).rank, 4);
});

test('a host that fell silent explains lost connections and hangs, and is named', () => {
  const silent = lost('c', agentSilent('c', 'nothing', 3000, [], { ...where, host: 'c' }), true, 3000);
  for (const other of [lostPeer('a', 0), told('a', {})]) {
    const failure = mergeFailures([other, silent], where);
    assert.equal(failure.kind, 'agent-lost');
    assert.equal(failure.host, 'c');
    assert.match(failure.message, /^the agent on c sent nothing for 3 s/);
    assert.equal(failure.details.at(-1), 'c (rank 4): fell silent, it failed first');
    assert.ok(failure.details.includes('ranks 0-1: in phase running, 17 operations done'));
  }
  assert.equal(mergeFailures([died('a', 1), silent], where).rank, 1, 'not a death');
});

test('an agent that was killed is a cause, not a silence', () => {
  const exit = { code: null, signal: 'SIGKILL', startError: null };
  const failure = mergeFailures(
    [lostPeer('a', 1), lost('b', agentLost('b', exit, [], where), false, 5)],
    where,
  );
  assert.match(failure.message, /^the agent on b was killed by SIGKILL/);
  assert.equal(failure.details.at(-1), 'b (ranks 2-3): its agent was lost, it failed first');
});

test('in a hang over all hosts the rank that has come least far is the culprit, with its stack', () => {
  const words = [
    told('a', { rank: 1 }, 0, { 1: { iterationsDone: 16 } }),
    told('b', {}),
    told('c', {}, 0, { 4: { iterationsDone: 15 } }),
  ];
  const failure = mergeFailures(words, where);
  assert.equal(failure.kind, 'hang');
  assert.equal(failure.rank, 4);
  assert.equal(failure.host, 'c');
  assert.match(
    failure.message,
    /^rank 4 on c stopped answering in allreduce 1 KiB over socket, operation 16/,
  );
  assert.ok(failure.details.includes('rank 4 stack: #0 stack_of_4'));
  assert.ok(!failure.details.some((line) => line.includes('stack_of_1')));
  assert.deepEqual(failure.details.slice(-2), [
    'b (ranks 2-3): its ranks waited until the deadline',
    'c (rank 4): rank 4 held up the others, it failed first',
  ]);
});

test('of two suspects that have come equally far, the one that a signal has stopped is the culprit', () => {
  const behind = { iterationsDone: 5 };
  const stack = ['process state T, in the kernel at do_signal_stop'];
  const words = [
    told('a', { rank: 0 }, 0, { 0: behind }),
    told('b', { rank: 2, processState: 'T' }, 0, { 2: { ...behind, stack } }),
  ];
  const failure = mergeFailures(words, where);
  assert.deepEqual([failure.rank, failure.host], [2, 'b']);
});

test('a rank that its agent saw stopped is the culprit, also if another has come less far', () => {
  const stopped = told('b', { rank: 3, processState: 'T' });
  const failure = mergeFailures([told('a', {}, 0, { 0: { iterationsDone: 16 } }), stopped], where);
  assert.equal(failure.rank, 3);
  assert.match(failure.message, /^rank 3 on b stopped answering .*: it is stopped by a signal/);
});

test('a hang in which nobody is behind accuses no rank and no host', () => {
  const failure = mergeFailures([told('a', {}), told('b', {}), quiet('c', 'done')], where);
  assert.equal(failure.rank, null);
  assert.equal(failure.host, null);
  assert.match(failure.message, /^no rank on a, b, c made progress/);
  assert.equal(failure.details.at(-1), 'c (rank 4): its ranks had finished');
});

/** Runs a session over hosts a, b, c with a fault on some of them. */
async function failing(
  faults: Record<string, string>,
  names = ['a', 'b', 'c'],
  deadlines: Partial<Deadlines> = { marginMs: 2000, endMs: 50, termMs: 5000 },
): Promise<Failure> {
  const used = hosts.filter(({ name }) => names.includes(name));
  const ranks = used.flatMap((host) => host.ranks).length;
  const asked = testPlan({ ranks, hosts: used });
  const options = {
    agentPath: '',
    signal: new AbortController().signal,
    launcher: mockLauncher(faults),
    deadlines,
  };
  let failure: Failure | null = null;
  for await (const event of runSession(asked, testBlocks(asked), options)) {
    if (event.type === 'failure') failure = event.failure;
  }
  assert.ok(failure !== null);
  return failure;
}

test('two hosts: a death on one, a lost connection on the other', async () => {
  const failure = await failing({ a: 'lost:2', b: 'rank-died:2' }, ['a', 'b']);
  assert.equal(failure.kind, 'rank-died');
  assert.equal(failure.rank, 2);
  assert.equal(failure.host, 'b');
  assert.match(failure.details.at(-2) ?? '', /^a \(ranks 0-1\): rank 1 lost the connection/);
  assert.match(
    failure.details.at(-1) ?? '',
    /^b \(ranks 2-3\): rank 2 was killed by SIGKILL in .*, it failed first$/,
  );
});

test('three hosts: one fails by itself, one loses it, one only waits', async () => {
  const failure = await failing({ a: 'cancelled:1', b: 'waiting:1', c: 'card:1' });
  assert.equal(failure.rank, 4);
  assert.match(failure.message, /^rank 4 on c failed in .*: the card is gone$/);
  assert.deepEqual(failure.details.slice(-3), [
    'a (ranks 0-1): rank 1 was stopped',
    'b (ranks 2-3): its agent answers, its ranks were waiting',
    'c (rank 4): rank 4 failed in allreduce 1 KiB over socket, operation 18 of 52: the card is gone, it failed first',
  ]);
});

test('three hosts: one falls silent, the others only lost it', async () => {
  const failure = await failing({ a: 'lost:1', b: 'lost:1', c: 'silent:1' });
  assert.equal(failure.kind, 'agent-lost');
  assert.equal(failure.host, 'c');
  assert.match(failure.message, /^the agent on c sent no answer for 2 s/);
  assert.match(failure.details.at(-1) ?? '', /^c \(rank 4\): fell silent/);
});

test('three hosts: an agent dies, the others wait for its ranks', async () => {
  const failure = await failing({ a: 'waiting:1', b: 'die:1', c: 'waiting:1' });
  assert.equal(failure.host, 'b');
  assert.match(failure.message, /^the agent on b exited with code 3/);
  assert.match(failure.details.at(-2) ?? '', /^b \(ranks 2-3\): its agent was lost, it failed first$/);
});

test('three hosts hang: the progress of all ranks names the one behind', async () => {
  const failure = await failing({ a: 'hang:0', b: 'hang:0', c: 'hang:0' });
  assert.equal(failure.kind, 'hang');
  assert.equal(failure.rank, 1);
  assert.equal(failure.host, 'a');
  assert.ok(failure.details.some((line) => line.startsWith('ranks 0, 2-4: in phase running, 17 operations')));
  assert.ok(failure.details.includes('c (rank 4): its ranks waited until the deadline'));
});
