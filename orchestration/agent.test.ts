// When an agent is given up: a block may take longer than its deadline while its ranks make progress.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { Agent } from './agent.ts';
import type { AgentProcess } from './launchers/launcher.ts';
import { helloMessage } from './testing/agent-messages.ts';

/** Node's own timer: the tests replace the global ones. */
const immediately = setImmediate;
const read = () => new Promise((resolve) => immediately(resolve));

const where = {
  host: 'gpu01',
  doing: 'measuring',
  phase: 'measure',
  operations: null,
  deadlineMs: 1000,
  again: null,
};

/** An agent whose process does nothing by itself; `output` is what it says. */
function agentWith(t: TestContext, remote = false) {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'setImmediate'] });
  const output = new PassThrough();
  const agentProcess: AgentProcess = {
    host: 'gpu01',
    output,
    write: async () => undefined,
    exit: new Promise(() => undefined),
    stderrTail: () => [],
    onErrorLine: () => undefined,
    stop: async () => ({ code: 0, signal: null, startError: null }),
  };
  const ignore = () => undefined;
  const launcher = { name: 'fake', remote, start: () => agentProcess };
  return { agent: new Agent(launcher, 'gpu01', '', { exchange: ignore, log: ignore }), output };
}

/** An agent that is asked for block 4 of launch 0 and has a second to answer. */
function asked(t: TestContext) {
  const { agent, output } = agentWith(t);
  let lost = '';
  agent.reply('measured 0 4', 0, 1000, where).catch((error: Error) => {
    lost = error.message;
  });
  return {
    async report(block = 4): Promise<void> {
      output.write(`${JSON.stringify({ type: 'progress', launch: 0, block })}\n`);
      await read();
    },
    async pass(ms: number): Promise<void> {
      // A timer that starts another one is given its own time only in small steps.
      for (let at = 0; at < ms; at += 100) t.mock.timers.tick(100);
      t.mock.timers.tick(0);
      await read();
    },
    lost: () => lost,
  };
}

test('the wait for a block starts anew with each report of progress', async (t) => {
  const { report, pass, lost } = asked(t);
  for (let reports = 0; reports < 3; reports += 1) {
    await pass(900);
    await report();
  }
  await pass(900);
  assert.equal(lost(), '');
  await pass(200);
  assert.match(lost(), /^the agent on gpu01 sent no answer for 1 s while measuring/);
});

test('reports about another block do not prolong the wait', async (t) => {
  const { report, pass, lost } = asked(t);
  await pass(600);
  await report(3);
  await pass(600);
  assert.match(lost(), /sent no answer for 1 s/);
});

test('an agent that leaves several keepalives without an answer sent nothing', async (t) => {
  const { agent, output } = agentWith(t, true);
  const greeted = agent.greet({ helloMs: 1000, beatMs: 100, unheardMs: 300 });
  output.write(`${JSON.stringify(helloMessage())}\n`);
  await greeted;
  const lost = assert.rejects(
    agent.reply('measured 0 4', 0, 10_000, where),
    /^FailureError: the agent on gpu01 sent nothing for 400 ms while measuring/,
  );
  for (let beats = 0; beats < 4; beats += 1) t.mock.timers.tick(100);
  await lost;
});
