// test: e2e
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sshLauncher } from './index.ts';
import { echoAgent, grace, hostSpec, linesOf } from './testing/agents.ts';
import { SshLab, skip, type TestSshd } from './testing/sshd.ts';

let lab: SshLab;
let host: TestSshd;
let agent: string;
before(async () => {
  if (skip !== false) return;
  lab = await SshLab.open();
  host = await lab.host();
  agent = await echoAgent(lab);
});
after(() => lab?.close());

async function started(agentPath = agent, keepaliveMs = 1000) {
  const launcher = sshLauncher([hostSpec('box', { address: '127.0.0.1', port: host.port })], {
    configFile: lab.configFile,
    keepaliveMs,
  });
  const process = launcher.start('box', agentPath);
  const next = linesOf(process);
  const pid = Number((await next())?.replace('hello ', ''));
  return { launcher, process, next, pid };
}

test('a connection that is cut is lost, not ended', { skip }, async () => {
  const { launcher, process, next } = await started();
  await host.killSessions();
  assert.deepEqual(await process.exit, {
    code: null,
    signal: null,
    startError: null,
    lost: 'the connection was closed',
  });
  assert.equal(await next(), null);
  await process.write('nobody hears this');
  await launcher.close?.();
});

test('a host that answers no keepalives is lost', { skip }, async () => {
  const { launcher, process } = await started(agent, 100);
  await host.signalSessions('SIGSTOP');
  try {
    assert.equal((await process.exit).lost, 'it answered no keepalives');
  } finally {
    await host.signalSessions('SIGKILL');
  }
  await launcher.close?.();
});

test('an agent that a signal kills', { skip }, async () => {
  const { launcher, process, next } = await started();
  await process.write('die');
  assert.deepEqual(await process.exit, { code: null, signal: 'SIGKILL', startError: null });
  assert.equal(await next(), null);
  await launcher.close?.();
});

test('an agent that ends with a code of its own, its last words kept', { skip }, async () => {
  const dying = await echoAgent(lab, '#!/bin/sh\necho hello $$\nread -r line\necho last words >&2\nexit 7\n');
  const { launcher, process, next } = await started(dying);
  await process.write('go');
  assert.deepEqual(await process.exit, { code: 7, signal: null, startError: null });
  assert.equal(await next(), null);
  assert.deepEqual(process.stderrTail(), ['last words']);
  await launcher.close?.();
});

for (const [what, trap, ending] of [
  ['stdin ends', '', { code: 0, signal: null }],
  ['SIGTERM comes', 'while :; do sleep 0.05; done', { code: null, signal: 'SIGTERM' }],
  [
    'SIGKILL comes',
    "trap '' TERM; echo deaf; while :; do sleep 0.05; done",
    { code: null, signal: 'SIGKILL' },
  ],
] as const) {
  test(`an agent that leaves when ${what}`, { skip }, async () => {
    const text = trap === '' ? 'cat >/dev/null' : trap;
    const stubborn = await echoAgent(lab, `#!/bin/sh\necho hello $$\n${text}\n`);
    const { launcher, process, next, pid } = await started(stubborn);
    if (trap.includes('deaf')) assert.equal(await next(), 'deaf');
    const short = trap === '' ? grace : { endMs: 100, termMs: trap.includes('deaf') ? 100 : 10_000 };
    assert.deepEqual(await process.stop(short), { ...ending, startError: null });
    assert.throws(() => globalThis.process.kill(pid, 0), /ESRCH/);
    await launcher.close?.();
  });
}

test('a large answer that is read slowly arrives whole', { skip }, async () => {
  const large = await echoAgent(lab, '#!/bin/sh\necho hello $$\nseq 1 300000\n');
  const { launcher, process, next } = await started(large);
  let count = 0;
  for (let line = await next(); line !== null; line = await next()) {
    count += 1;
    assert.equal(line, String(count));
  }
  assert.deepEqual(await process.exit, { code: 0, signal: null, startError: null });
  assert.equal(count, 300_000);
  await launcher.close?.();
});

test('a large message is taken as fast as the agent reads', { skip }, async () => {
  const counting = await echoAgent(lab, '#!/bin/sh\necho hello $$\nhead -n 20 | wc -c\n');
  const { launcher, process, next } = await started(counting);
  for (let i = 0; i < 20; i += 1) await process.write('x'.repeat(1_000_000));
  assert.equal((await next())?.trim(), String(20 * 1_000_001));
  await process.stop(grace);
  await launcher.close?.();
});

test('close ends connections whose agents still run', { skip }, async () => {
  const { launcher, process, next } = await started();
  await launcher.close?.();
  assert.equal((await process.exit).lost, 'the connection was closed');
  assert.equal(await next(), null);
});
