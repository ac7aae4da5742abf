import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { agentMessage } from '../protocol.ts';
import { openInProcessSampler } from './in-process-sampler.ts';

test('in-process readings are what an agent would tell: header, readings in order, what they cost', async () => {
  const told: unknown[] = [];
  const sampler = openInProcessSampler({ intervalUs: 5000, sources: null }, (message) =>
    told.push(agentMessage.parse(message)),
  );
  await delay(60);
  const sampled = agentMessage.parse(sampler.stop());
  const [header, ...lots] = told as [
    { type: string; channels: { name: string }[] },
    ...{ startNs: number[] }[],
  ];
  assert.equal(header.type, 'sampling');
  assert.ok(header.channels.some(({ name }) => name === 'cpu0.user'));
  const starts = lots.flatMap(({ startNs }) => startNs);
  assert.ok(starts.length >= 2, 'one at the beginning, one at the end');
  assert.ok(starts.every((ns, i) => i === 0 || ns > (starts[i - 1] ?? 0)));
  assert.ok(sampled.type === 'sampled');
  assert.equal(sampled.ticks, starts.length);
  assert.ok(sampled.jitterNs.median <= sampled.jitterNs.max);
});
