import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { AgentExit } from './launcher.ts';
import { shellLauncher } from './shell.ts';
import { agentName } from './upload/bundle.ts';

// The shell on the host is an attacker, or the connection changes what it carries.
let folder: string;
let agent: string;
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'collbench-shell-'));
  agent = path.join(folder, 'agent');
  await writeFile(agent, `#!/bin/sh\necho started >>${folder}/started\n#${'x'.repeat(200_000)}\n`);
});
beforeEach(() => rm(path.join(folder, 'connections'), { force: true }));
after(() => rm(folder, { recursive: true }));

const grace = { endMs: 5000, termMs: 5000 };

/**
 * Starts an agent over this command, with the test's folder in $F, and closes the launcher.
 * @returns how it ended, and the number of connections that were opened
 */
async function startOver(words: readonly string[]): Promise<AgentExit & { connections: number }> {
  const count = path.join(folder, 'connections');
  const launcher = shellLauncher({
    ...{ name: 'test', remoteDir: null, isShared: false, passesSignals: false, explain: () => null },
    words: () => ['sh', '-c', `echo >>${count}; exec "$0" "$@"`, ...words],
  });
  const started = launcher.start('host', agent);
  started.output.resume();
  const exit = await started.exit;
  await started.stop(grace);
  await launcher.close?.();
  return { ...exit, connections: (await readFile(count, 'utf8')).length };
}

/** A shell that answers the first line with the marker that the line contains, and then runs `commands`, which find it in $M. */
const hostile = (commands: string): string[] => [
  'sh',
  '-c',
  `read -r line; M=\${line#*shell*\\' }; M=\${M%%;*}; echo "$M shell"; echo "$M begin"; ${commands}`,
];

const startError = ({ startError: error }: AgentExit): string => {
  assert.ok(error !== null);
  return error.message;
};

for (const [what, words] of [
  ['bytes without a newline', ['cat', '/dev/zero']],
  ['lines', ['yes']],
  ['messages of our script', hostile('while :; do echo "$M tried /x: no"; done')],
  ['half a message of our script', hostile('printf "%s dir /" "$M"; cat /dev/zero')],
] as const)
  test(`a shell that prints ${what} without end is given up`, async () => {
    const before = process.memoryUsage().rss;
    assert.match(startError(await startOver(words)), /host: the shell there: it prints without end/);
    assert.ok(process.memoryUsage().rss - before < 256 * 2 ** 20);
  });

test('a host that asks for the agent again and again gets it three times', async () => {
  const ended = await startOver(hostile(`while :; do echo "$M file ${agentName} 0 -"; done`));
  assert.match(startError(ended), /host asked for "collbench-agent" more than 3 times/);
});

test('a host gets no other file of this machine', async () => {
  const ended = await startOver(hostile('echo "$M file ../../../etc/passwd 0 -"; cat >/dev/null'));
  assert.match(startError(ended), /asked for "\.\.\/\.\.\/\.\.\/etc\/passwd", which does not exist/);
});

for (const pid of ['1', '-1', '0', '7; reboot', 'x'.repeat(1000), ''])
  test(`a host that names ${JSON.stringify(pid.slice(0, 20))} as the agent's process is refused, and no signal is sent`, async () => {
    const ended = await startOver(hostile(`echo "$M ready ${pid}"; cat >/dev/null`));
    assert.match(startError(ended), /as the agent's process/);
    assert.equal(ended.connections, 1);
  });

test('a folder that is not the one of this command is not removed', async () => {
  const dir = path.join(folder, 'precious');
  const ended = await startOver(hostile(`echo "$M dir ${dir}"; echo "$M ready 99"; read -r word`));
  assert.equal(ended.startError, null);
  assert.equal(ended.connections, 1);
});

test('an agent that arrives changed, twice, is not started, and its folder is removed', async () => {
  const bin = path.join(folder, 'bin');
  const place = path.join(folder, 'place');
  await mkdir(bin);
  await mkdir(place, { mode: 0o700 });
  const head =
    '#!/bin/sh\ncase $2 in ??????) /usr/bin/head "$@" | tr x y ;; *) exec /usr/bin/head "$@" ;; esac\n';
  await writeFile(path.join(bin, 'head'), head, { mode: 0o755 });
  const ended = await startOver(['env', `PATH=${bin}:/usr/bin:/bin`, `TMPDIR=${place}`, 'sh']);
  assert.match(startError(ended), /collbench-agent arrived changed on host, twice/);
  assert.ok(!existsSync(path.join(folder, 'started')));
  // The shell removes it after this side has given up.
  for (const end = Date.now() + 10_000; (await readdir(place)).length > 0 && Date.now() < end; )
    await setTimeout(5);
  assert.deepEqual(await readdir(place), []);
});

test('an unchanged agent runs in a folder of its own, which is removed', async () => {
  const place = path.join(folder, 'other-place');
  await mkdir(place, { mode: 0o700 });
  const ended = await startOver(['env', `TMPDIR=${place}`, 'sh']);
  assert.equal(ended.startError, null);
  assert.equal(await readFile(path.join(folder, 'started'), 'utf8'), 'started\n');
  assert.equal(ended.connections, 2);
  assert.deepEqual(await readdir(place), []);
});
