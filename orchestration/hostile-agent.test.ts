// test: up to 30 s
// Messages of a broken or hostile host are bounded, and blamed on that host alone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlockRecord, Failure, RunPlan } from '../results/schema/index.ts';
import { testBlocks, testPlan } from '../results/testing/plan.ts';
import { agentLimits, withinLimits } from './agent-limits.ts';
import type { Deadlines } from './deadlines.ts';
import { renumberRanks } from './rank-numbers.ts';
import { Rendezvous } from './rendezvous.ts';
import { runSession, type SessionEvent } from './session/session.ts';
import { mockLauncher } from './testing/mock.ts';

interface AgentOutcome {
  events: SessionEvent[];
  blocks: BlockRecord[];
  failure: Failure | null;
}

async function session(
  fault: Record<string, string>,
  plan: RunPlan,
  deadlines: Partial<Deadlines> = {},
): Promise<AgentOutcome> {
  const events: SessionEvent[] = [];
  const options = {
    agentPath: '',
    signal: new AbortController().signal,
    launcher: mockLauncher(fault),
    deadlines: { endMs: 200, termMs: 5000, ...deadlines },
  };
  for await (const event of runSession(plan, testBlocks(plan), options)) events.push(event);
  return {
    events,
    blocks: events.flatMap((event) => (event.type === 'block' ? [event.record] : [])),
    failure: events.flatMap((event) => (event.type === 'failure' ? [event.failure] : []))[0] ?? null,
  };
}

const twoHosts = (sampled = false): RunPlan =>
  testPlan({
    hosts: [
      { name: 'good', ranks: [0] },
      { name: 'bad', ranks: [1] },
    ],
    ...(sampled ? { metricsIntervalUs: 10_000 } : {}),
  });

/** Faults of host `bad`, and the message that each must cause. */
const lies: Record<string, RegExp> = {
  negative: /wrongElements: Too small: expected number to be >=0/,
  boundless: /rank 1: 9007199254740991 wrong of \d+ compared/,
  'far-end': /rank 1 has times \d+ ns apart in a block of at most \d+ ns/,
  'own-clock': /its times are not of the clock of rank 0/,
  thrice: /ready names rank 1 twice/,
  stranger: /ready names rank 2, which does not run there/,
  'long-line': /a line is longer than \d+ characters/,
};

for (const [fault, said] of Object.entries(lies)) {
  test(`${fault}: a failure of the host that said it, and no block of it is kept`, async () => {
    const { blocks, failure } = await session({ bad: fault }, twoHosts());
    assert.equal(failure?.kind, 'agent-lost', JSON.stringify(failure));
    assert.equal(failure?.host, 'bad');
    assert.match(failure?.message ?? '', said);
    assert.match(failure?.message ?? '', /^the agent on bad sent an invalid message/);
    assert.equal(blocks.length, 0);
  });
}

test('log lines are read up to a limit, per host and kind; that is said once, and the run goes on', async () => {
  const plan = twoHosts();
  const { events, blocks, failure } = await session({ bad: 'flood' }, plan);
  assert.equal(failure, null);
  assert.equal(blocks.length, testBlocks(plan).length);
  for (const type of ['log', 'output'] as const) {
    const texts = events.flatMap((event) => (event.type === type && 'text' in event ? [event.text] : []));
    const characters = texts.reduce((sum, text) => sum + text.length, 0);
    assert.ok(characters > agentLimits.log / 4, `${type}: ${characters} characters`);
    assert.ok(characters <= agentLimits.log, `${type}: ${characters} characters`);
  }
  const warnings = events.flatMap((event) =>
    event.type === 'log' && event.level === 'warn' ? [`${event.host}: ${event.text}`] : [],
  );
  assert.deepEqual(warnings.sort(), [
    'bad: stopped reading log lines of bad after 4 MiB',
    'bad: stopped reading output of bad after 4 MiB',
  ]);
});

test('a controller that was stopped for longer than it waits reads first, and blames nobody', async () => {
  const plan = twoHosts();
  const patience = { measureMs: 1000, marginMs: 2000 };
  const { blocks, failure } = await session({ bad: 'stops-controller:1' }, plan, patience);
  assert.equal(failure, null);
  assert.equal(blocks.length, testBlocks(plan).length);
});

test('where a host failed while the controller was stopped, that is said beside it', async () => {
  const { failure } = await session({ good: 'stops-controller', bad: 'card:1' }, twoHosts());
  assert.match(failure?.message ?? '', /the card is gone/);
  assert.match(
    failure?.details.join('\n') ?? '',
    /This controller itself did not run for .* s: it was stopped/,
  );
});

test('sources that fail without end are nonsense of the host', async () => {
  const { events, failure } = await session({ bad: 'sources' }, twoHosts(true));
  assert.equal(failure?.host, 'bad');
  assert.match(failure?.message ?? '', /more than 256 sources failed/);
  const lines = events.flatMap((event) => (event.type === 'metrics' ? event.lines : []));
  assert.ok(lines.filter((line) => 'kind' in line && line.kind === 'sourceFailed').length <= 256);
});

test('a failure that names ranks without end is told shortly, and of its own host', async () => {
  const { failure } = await session({ bad: 'ranges' }, twoHosts());
  assert.equal(failure?.host, 'bad');
  assert.ok(JSON.stringify(failure).length < 10 * agentLimits.text, 'its text was cut');
});

test('no text of a host begins a line of its own or has a control character', async () => {
  const { events } = await session({ bad: 'forging' }, twoHosts());
  const texts = events.flatMap((event) => ('text' in event ? [event] : []));
  assert.ok(texts.length >= 3);
  for (const event of texts) {
    const isEngine = event.type === 'output' && event.from === 'engine';
    if (!isEngine) assert.doesNotMatch(event.text, /[\p{Cc}\u202e\u2066]/u, event.type);
  }
});

test('texts within a message are cut, whatever it is; data for other ranks are not', () => {
  const long = 'y'.repeat(agentLimits.text + 10);
  const cut = withinLimits({ type: 'log', text: long, ranks: [{ stack: [long] }] }, 1) as {
    text: string;
    ranks: { stack: string[] }[];
  };
  for (const text of [cut.text, cut.ranks[0]?.stack[0] ?? ''])
    assert.match(text, /^y+\.\.\. \(10 more characters\)$/);
  assert.deepEqual(withinLimits({ type: 'exchange', data: long }, 1), { type: 'exchange', data: long });
  assert.throws(() => withinLimits({ type: 'failed' }, agentLimits.message + 1), /has \d+ characters/);
});

test('ranges of ranks are written out as long as one text names few', () => {
  const plusOne = (rank: number): number => rank + 1;
  assert.equal(renumberRanks('ranks 0-2, 5 wait', plusOne), 'ranks 1, 2, 3, 6 wait');
  const many = `ranks ${Array.from({ length: 1000 }, () => '0-4000').join(', ')}`;
  assert.ok(renumberRanks(many, plusOne).length < many.length + 10 * 4096);
});

test('what ranks give each other is bounded in number and size', () => {
  const meeting = new Rendezvous(2);
  const give = (key: string, data: string) =>
    meeting.give({ type: 'exchange', launch: 0, rank: 0, key, data });
  assert.throws(() => give('big', 'x'.repeat(agentLimits.blob + 1)), /gave \d+ characters/);
  for (let i = 0; i < agentLimits.openExchanges; i += 1) give(`key ${i}`, 'x');
  assert.throws(() => give('one more', 'x'), /one more than 64/);
});
