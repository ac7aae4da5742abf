import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Agent } from './agent.ts';
import { HostClocks } from './clocks.ts';
import { defaultDeadlines } from './deadlines.ts';
import { startChild } from './launchers/local.ts';
import { helloMessage } from './testing/agent-messages.ts';

const hourNs = 3600e9;
/** Program of an agent whose clock is ahead by HOURS; without HOURS it dies when it is asked for its clock. */
const program = `
const { HELLO, HOURS } = process.env;
const say = (line) => process.stdout.write(line + '\\n');
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { type, id } = JSON.parse(line);
  if (type !== 'clock') return;
  if (HOURS === undefined) process.exit(3);
  const clockNs = Number(process.hrtime.bigint()) + HOURS * ${hourNs};
  say(JSON.stringify({ type: 'clock', id, clockNs }));
});
say(HELLO);
`;
const where = {
  ...{
    host: null,
    doing: 'reading clocks',
    phase: 'measure',
    operations: null,
    deadlineMs: null,
    again: null,
  },
};

/** Starts one agent per clock id; `hours`: how far each clock is ahead, null for an agent that dies when asked for it. */
async function agentsWith(t: TestContext, clocks: readonly { id: string; hours: number | null }[]) {
  const ignore = () => undefined;
  const agents = clocks.map(({ id, hours }, index) => {
    const environment = {
      ...{ ...process.env, HELLO: JSON.stringify(helloMessage({ clock: id })) },
      ...(hours === null ? {} : { HOURS: String(hours) }),
    };
    const start = (host: string) => startChild(host, process.execPath, ['-e', program], environment);
    return new Agent({ name: 'test', start }, `host${index}`, '', { exchange: ignore, log: ignore });
  });
  t.after(() => Promise.all(agents.map((agent) => agent.stop(defaultDeadlines))));
  await Promise.all(agents.map((agent) => agent.greet({ ...defaultDeadlines, helloMs: 60_000 })));
  return agents;
}

test('if an agent is lost its clock is read through another agent that has this clock', async (t) => {
  const agents = await agentsWith(t, [
    { id: 'one', hours: null },
    { id: 'one', hours: 1 },
    { id: 'two', hours: 2 },
  ]);
  const readings = await new HostClocks(agents).read(60_000, where);
  assert.equal(readings[0], null);
  for (const [index, reading] of readings.slice(1).entries()) {
    assert.ok(reading !== null && reading.uncertaintyNs > 0);
    assert.ok(Math.abs(reading.offsetNs - (index + 1) * hourNs) <= reading.uncertaintyNs, `${index}`);
  }
});

test('a clock whose agents are all lost has no reading', async (t) => {
  const agents = await agentsWith(t, [
    { id: 'one', hours: null },
    { id: 'one', hours: null },
  ]);
  const clocks = new HostClocks(agents);
  assert.deepEqual(await clocks.read(60_000, where), [null, null]);
  assert.deepEqual(await clocks.read(60_000, where), [null, null], 'also later');
});
