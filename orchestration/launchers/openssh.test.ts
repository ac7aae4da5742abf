// test: e2e
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { pollUntil } from '../../tests/cluster/command.ts';
import { Agent } from '../agent.ts';
import { defaultDeadlines } from '../deadlines.ts';
import type { HostSpec } from '../hosts/host.ts';
import { sessionOptionsAt } from '../preparing/host-pool.ts';
import { helloMessage } from '../testing/agent-messages.ts';
import type { AgentProcess } from './launcher.ts';
import { opensshLauncher, socketFolder } from './openssh.ts';
import { echoAgent, exchangeLine, grace, hostSpec, linesOf, refusal } from './ssh/testing/agents.ts';
import { freePort, SshLab, skip, type TestSshd } from './ssh/testing/sshd.ts';

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

async function starting<T>(
  body: (agent: AgentProcess, again: () => AgentProcess) => Promise<T>,
  spec: Partial<HostSpec> = {},
  agentPath = agent,
  environment: Record<string, string> = {},
): Promise<T> {
  const launcher = opensshLauncher([hostSpec('box', { address: '127.0.0.1', port: host.port, ...spec })], {
    configFile: lab.configFile,
    environment,
  });
  const start = () => launcher.start('box', agentPath);
  try {
    return await body(start(), start);
  } finally {
    await launcher.close?.();
  }
}

test('an agent through the system ssh answers and leaves, twice over one connection', { skip }, async () => {
  // A private folder, because other runs on this machine change the common one.
  const usual = process.env.TMPDIR;
  const own = await mkdtemp(path.join(tmpdir(), 't'));
  process.env.TMPDIR = own;
  try {
    await starting(async (started, again) => {
      assert.equal(await exchangeLine(started, 'päth "$(id)"'), 'heard päth "$(id)"');
      assert.deepEqual(await started.exit, { code: 0, signal: null, startError: null });
      assert.equal(await exchangeLine(again()), 'heard you');
    });
    assert.deepEqual(await readdir(own), []);
  } finally {
    if (usual === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = usual;
    await rm(own, { recursive: true, force: true });
  }
});

test('a hostile value of the environment arrives as it is', { skip }, async () => {
  const value = `$(touch ${lab.folder}/executed) '";\\ ü`;
  const answer = await starting((started) => exchangeLine(started, 'env CB_TEST'), {}, agent, {
    CB_TEST: value,
  });
  assert.equal(answer, value);
  for (const spec of [
    { address: `-oProxyCommand=touch ${lab.folder}/executed` },
    { user: '-x' },
    { address: '$(id)' },
  ]) {
    await starting(refusal, spec);
  }
  assert.ok(!(await readdir(lab.folder)).includes('executed'));
});

test('closing a launcher that found no place for its sockets is no error', async () => {
  const usual = process.env.TMPDIR;
  process.env.TMPDIR = '/none';
  try {
    const launcher = opensshLauncher([hostSpec('box')]);
    const started = launcher.start('box', '/bin/sh');
    assert.match(String((await started.exit).startError), /ENOENT.*\/none/);
    await launcher.close?.();
  } finally {
    if (usual === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = usual;
  }
});

test('a client that is stopped does not hold up the end', { skip }, async () => {
  const launcher = opensshLauncher([hostSpec('box', { address: '127.0.0.1', port: host.port })], {
    configFile: lab.configFile,
  });
  const started = launcher.start('box', agent);
  assert.match((await linesOf(started)()) ?? '', /^hello/);
  // The client whose command line has the agent's script; the client of the shared connection ends by itself.
  const clients = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], {
    encoding: 'utf8',
  })
    .split('\n')
    .filter((line) => / ssh -T /.test(line));
  assert.equal(clients.length, 1, clients.join());
  process.kill(Number.parseInt(clients[0] as string, 10), 'SIGSTOP');
  const exit = await started.stop({ endMs: 50, termMs: 50 });
  assert.match(exit.lost ?? '', /^ssh was killed by SIGKILL/);
  await launcher.close?.();
});

test('what a killed controller left is removed by the next one; what others use is not', async () => {
  const base = await mkdtemp(path.join(tmpdir(), 't'));
  try {
    const gone = spawnSync('true').pid;
    const old = new Date(Date.now() - 2 * 24 * 3600 * 1000);
    for (const name of [
      `collbench-ssh-${gone}-left`,
      `collbench-ssh-${process.pid}-used`,
      'collbench-ssh-other',
    ]) {
      await mkdir(path.join(base, name));
      await utimes(path.join(base, name), old, old);
    }
    await mkdir(path.join(base, `collbench-ssh-${gone}-young`));
    const own = await socketFolder(base);
    assert.deepEqual(
      (await readdir(base)).sort(),
      [
        path.basename(own),
        `collbench-ssh-${gone}-young`,
        `collbench-ssh-${process.pid}-used`,
        'collbench-ssh-other',
      ].sort(),
    );
  } finally {
    await rm(base, { recursive: true, force: true });
  }
});

test('why ssh does not get there', { skip }, async () => {
  const nobody = await starting(refusal, { port: await freePort('127.0.0.1') });
  assert.match(nobody.message, /^ssh cannot reach box: .*Connection refused/);
  const other = await lab.newKey('other');
  const strict = await lab.host({ authorized: [`${other}.pub`] });
  assert.match(
    (await starting(refusal, { port: strict.port })).message,
    /^box refused the login: .*Permission denied/,
  );
  const stranger = await lab.host();
  await lab.know(`[127.0.0.1]:${host.port} ${host.publicKeys[0]}`);
  const unknown = await starting(refusal, { port: stranger.port });
  assert.match(unknown.message, /^the host key of box differs from the known one, or is not known/);
  assert.equal(unknown.next, `ssh -p ${stranger.port} 127.0.0.1`);
});

test('a login that prints without end is ended', { skip }, async () => {
  const endless = await lab.host({ lines: ['ForceCommand yes'] });
  const error = await starting(refusal, { port: endless.port });
  assert.equal(error.message, 'the agent cannot be started on box: the shell there: it prints without end');
});

/** True until the process has ended; its parent need not have read its exit status. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

test('an agent that only SIGKILL ends, and one whose connection is cut', { skip }, async () => {
  const text = "#!/bin/sh\necho hello $$\ntrap '' TERM; echo deaf; while :; do sleep 0.05; done\n";
  const deaf = await echoAgent(lab, text);
  await starting(
    async (started) => {
      const next = linesOf(started);
      const pid = Number((await next())?.replace('hello ', ''));
      assert.equal(await next(), 'deaf');
      assert.ok(isRunning(pid));
      assert.match((await started.stop({ endMs: 50, termMs: 50 })).lost ?? '', /^ssh (ended|was killed)/);
      // A further ssh sends SIGKILL, and nobody waits for it.
      await pollUntil('the agent has ended', () => !isRunning(pid));
    },
    {},
    deaf,
  );
  agent = await echoAgent(lab);
  await starting(async (started) => {
    assert.match((await linesOf(started)()) ?? '', /^hello/);
    await host.killSessions();
    assert.match((await started.exit).lost ?? '', /^ssh ended with 255/);
    await started.stop(grace);
  });
});

test('an agent has as long to say hello as over other launchers, and is asked for keepalives', {
  skip,
}, async () => {
  const text = `#!/bin/sh\necho '${JSON.stringify(helloMessage())}'\nIFS= read -r line; echo "$line" >&2\ncat >/dev/null\n`;
  const repeating = await echoAgent(lab, text);
  const launcher = opensshLauncher([hostSpec('box', { address: '127.0.0.1', port: host.port })], {
    configFile: lab.configFile,
  });
  const { deadlines } = sessionOptionsAt({ agentPath: repeating, launcher });
  assert.equal(deadlines?.helloMs, 90_000);
  const ignore = () => undefined;
  let answered = (_line: string): void => undefined;
  const answer = new Promise<string>((resolve) => {
    answered = resolve;
  });
  const output = (_agent: Agent, { text: line }: { text: string }) => answered(line);
  const started = new Agent(launcher, 'box', repeating, { exchange: ignore, log: ignore, output });
  try {
    await started.greet({ ...defaultDeadlines, ...deadlines });
    assert.equal(JSON.parse(await answer).beatMs, defaultDeadlines.beatMs);
  } finally {
    await started.stop(defaultDeadlines);
    await launcher.close?.();
  }
});
