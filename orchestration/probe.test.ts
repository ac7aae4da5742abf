import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testBlocks, testPlan } from '../results/testing/plan.ts';
import type { AgentProcess, Launcher } from './launchers/launcher.ts';
import { type ProbeRequest, probeHosts } from './probe.ts';
import { runSession, type SessionEvent } from './session/session.ts';
import { mockLauncher } from './testing/mock.ts';

/** Wraps a launcher and records the processes that it starts, by host. */
function watched(launcher: Launcher): Launcher & { started: Map<string, AgentProcess[]> } {
  const started = new Map<string, AgentProcess[]>();
  return {
    name: launcher.name,
    started,
    start: (host, path) => {
      const process = launcher.start(host, path);
      started.set(host, [...(started.get(host) ?? []), process]);
      return process;
    },
  };
}

const socket: ProbeRequest = { transport: 'socket', options: {} };
const plan = testPlan({
  ranks: 3,
  hosts: [
    { name: 'a', ranks: [0, 2] },
    { name: 'b', ranks: [1] },
  ],
});

async function session(
  launcher: Launcher,
  agents: Parameters<typeof runSession>[2]['agents'],
): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  const options = { agentPath: '', signal: new AbortController().signal, launcher, agents: agents ?? [] };
  for await (const event of runSession(plan, testBlocks(plan), options)) events.push(event);
  return events;
}

const exits = (launcher: { started: Map<string, AgentProcess[]> }) =>
  Promise.all([...launcher.started.values()].flat().map((process) => process.exit));

test('a session takes over agents that were asked before; one whose host has no ranks leaves', async () => {
  const launcher = watched(mockLauncher());
  const probed = await probeHosts(['c', 'b', 'a'], '', [socket], launcher);
  assert.deepEqual(
    probed.map(({ agent, result }) => [agent.host, result.probed[0]?.name]),
    [
      ['c', 'socket'],
      ['b', 'socket'],
      ['a', 'socket'],
    ],
  );
  const events = await session(
    launcher,
    probed.map(({ agent }) => agent),
  );
  assert.notEqual(events.at(-1)?.type, 'failure');
  assert.deepEqual(
    [...launcher.started].map(([host, { length }]) => [host, length]),
    [
      ['c', 1],
      ['b', 1],
      ['a', 1],
    ],
  );
  for (const exit of await exits(launcher)) assert.equal(exit.code, 0);
});

test('an agent for a host that has none waiting is started', async () => {
  const launcher = watched(mockLauncher());
  const probed = await probeHosts(['b'], '', [socket], launcher);
  const events = await session(
    launcher,
    probed.map(({ agent }) => agent),
  );
  assert.notEqual(events.at(-1)?.type, 'failure');
  assert.deepEqual([...launcher.started.keys()].sort(), ['a', 'b']);
  await exits(launcher);
});

test('an agent that was lost between question and session is named, and the others end', async () => {
  const launcher = watched(mockLauncher());
  const probed = await probeHosts(['a', 'b'], '', [socket], launcher);
  const [process] = launcher.started.get('b') ?? [];
  await process?.stop({ endMs: 5000, termMs: 5000 });
  const [agent] = probed.flatMap((one) => (one.agent.host === 'b' ? [one.agent] : []));
  while (agent?.usable === true) await new Promise((resolve) => setImmediate(resolve));
  const events = await session(
    launcher,
    probed.map((one) => one.agent),
  );
  const last = events.at(-1);
  assert.equal(last?.type, 'failure');
  assert.equal(last.failure.host, 'b');
  assert.match(last.failure.message, /agent on b .*while waiting for its first launch/);
  await exits(launcher);
});

test('where one host cannot be asked, no agent stays on the others', async () => {
  const launcher = watched(mockLauncher({ b: 'version' }));
  await assert.rejects(probeHosts(['a', 'b'], '', [socket], launcher), /agent on b .*speaks protocol/);
  for (const exit of await exits(launcher)) assert.notEqual(exit, null);
});
