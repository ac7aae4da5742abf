// test: e2e
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, rmdir, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { promisify } from 'node:util';
import { root, skipUnless } from '../../../tests/e2e/harness.ts';
import type { Launcher } from '../launcher.ts';
import { readBundle } from '../upload/bundle.ts';
import { type SshOptions, sshLauncher } from './index.ts';
import { echoAgent, exchangeLine, grace, hostSpec, linesOf, refusal } from './testing/agents.ts';
import { SshLab, skip, type TestSshd } from './testing/sshd.ts';

const run = promisify(execFile);
let lab: SshLab;
let host: TestSshd;
let agent: string;
/** Default folder of the agent on the host. */
let remote: string;
const launchers: Launcher[] = [];
before(async () => {
  if (skip !== false) return;
  lab = await SshLab.open();
});
beforeEach(async () => {
  if (skip !== false) return;
  host = await lab.host();
  agent = await echoAgent(lab);
  const { id } = await readBundle(agent);
  remote = path.join(host.home, '.cache/collbench', id, 'collbench-agent');
});
afterEach(async () => {
  await Promise.all(launchers.splice(0).map((launcher) => launcher.close?.()));
  await host?.stop();
});
after(() => lab?.close());

function start(options: SshOptions = {}, agentPath = agent) {
  const launcher = sshLauncher([hostSpec('box', { address: '127.0.0.1', port: host.port })], {
    configFile: lab.configFile,
    ...options,
  });
  launchers.push(launcher);
  return launcher.start('box', agentPath);
}

test('the agent lies in a private directory and is copied once', { skip }, async () => {
  assert.equal(await exchangeLine(start()), 'heard you');
  const first = await stat(remote);
  assert.equal((await stat(path.dirname(remote))).mode & 0o777, 0o700);
  assert.equal(first.mode & 0o077, 0);
  assert.deepEqual(await readFile(remote), await readFile(agent));
  assert.equal(await exchangeLine(start()), 'heard you');
  assert.equal((await stat(remote)).ino, first.ino);
  assert.deepEqual(await readdir(path.dirname(remote)), ['collbench-agent']);
});

test('a spoiled file is replaced', { skip }, async () => {
  assert.equal(await exchangeLine(start()), 'heard you');
  await writeFile(remote, '#!/bin/sh\necho spoiled\n');
  assert.equal(await exchangeLine(start()), 'heard you');
  assert.deepEqual(await readFile(remote), await readFile(agent));
});

test('libraries beside the agent go with it', { skip }, async () => {
  const folder = path.join(lab.folder, 'with-libraries');
  await mkdir(folder);
  const copy = path.join(folder, 'collbench-agent');
  await writeFile(copy, await readFile(agent));
  await writeFile(path.join(folder, 'libsoftntb.so'), 'a library');
  await mkdir(path.join(folder, 'softmlx5/lookalikes'), { recursive: true });
  await writeFile(path.join(folder, 'softmlx5/lookalikes/libmlx5.so.1'), 'a look-alike');
  const { id } = await readBundle(copy);
  const arrived = (name: string) => readFile(path.join(host.home, '.cache/collbench', id, name), 'utf8');
  for (const _ of ['sent', 'there already']) {
    assert.equal(await exchangeLine(start({}, copy)), 'heard you');
    assert.equal(await arrived('libsoftntb.so'), 'a library');
    assert.equal(await arrived('lookalikes/libmlx5.so.1'), 'a look-alike');
  }
});

for (const [what, fits] of [
  ['is its beginning', true],
  ['is something else', false],
] as const) {
  test(`what a dead upload left, if it ${what}`, { skip }, async () => {
    const big = path.join(lab.folder, 'big-agent');
    await writeFile(big, `${await readFile(agent, 'utf8')}exit 0\n${'#'.repeat(3_000_000)}`);
    const { id } = await readBundle(big);
    const folder = path.join(host.home, '.cache/collbench', id);
    await mkdir(folder, { recursive: true });
    const node = (await run('uname', ['-n'])).stdout.replaceAll(/[^\w-]/g, '');
    const part = path.join(folder, `.collbench-agent.part.${node}.4194305`);
    const beginning = (await readFile(big)).subarray(0, 1_000_000);
    await writeFile(part, fits ? beginning : Buffer.alloc(1_000_000, 'x'));
    const { ino } = await stat(part);
    assert.equal(await exchangeLine(start({}, big)), 'heard you');
    const whole = path.join(folder, 'collbench-agent');
    assert.deepEqual(await readFile(whole), await readFile(big));
    // An upload that continued a partial file keeps its inode.
    if (fits) assert.equal((await stat(whole)).ino, ino);
    assert.deepEqual(await readdir(folder), ['collbench-agent']);
  });
}

test('an upload whose connection breaks does no harm to the next', { skip }, async () => {
  // The file is larger than the channel's window and all buffers. This process sends it, and does not wait between seeing the
  // partial file and the cut. So the upload cannot be complete by then.
  const big = path.join(lab.folder, 'huge-agent');
  await writeFile(big, `${await readFile(agent, 'utf8')}exit 0\n${'#'.repeat(60_000_000)}`);
  const { id } = await readBundle(big);
  const folder = path.join(host.home, '.cache/collbench', id);
  const broken = start({}, big);
  const partial = () => existsSync(folder) && readdirSync(folder).some((name) => name.includes('.part.'));
  while (!partial()) await new Promise((resolve) => setImmediate(resolve));
  await host.killSessions();
  const { startError } = await broken.exit;
  assert.match(startError?.message ?? '', /^the agent cannot be started on box: the connection was closed$/);
  assert.equal(await exchangeLine(start({}, big)), 'heard you');
  assert.deepEqual(await readFile(path.join(folder, 'collbench-agent')), await readFile(big));
});

test('four controllers that copy at once do not disturb each other', { skip }, async () => {
  const answers = await Promise.all([1, 2, 3, 4].map(() => exchangeLine(start())));
  assert.deepEqual(answers, Array(4).fill('heard you'));
  assert.deepEqual(await readdir(path.dirname(remote)), ['collbench-agent']);
});

test('what a login shell prints is skipped', { skip }, async () => {
  const text = 'printf "Welcome\\n\\n{not json}\\nno newline at the end"; echo warned >&2\n';
  await writeFile(path.join(host.home, '.bashrc'), text);
  const started = start();
  const next = linesOf(started);
  assert.match((await next()) ?? '', /^hello \d+$/);
  await started.stop(grace);
});

test('a login that may not run programs', { skip }, async () => {
  await writeFile(path.join(host.home, '.bashrc'), 'echo "This account is closed."; exit 3\n');
  const error = await refusal(start());
  assert.equal(error.message, 'the agent cannot be started on box: the shell there: it ended, with code 3');
  assert.deepEqual(error.details, ['box: This account is closed.']);
  await writeFile(path.join(host.home, '.bashrc'), 'exec </dev/null\n');
  const [what, wayOut] = (await refusal(start())).details;
  assert.equal(what, 'It printed nothing.');
  assert.match(wayOut ?? '', /start-up file of the shell there \(\.bashrc\) may end it or read its input/);
});

test('a directory of the user: relative to the home, absolute, with what a shell would act on', {
  skip,
}, async () => {
  const { id } = await readBundle(agent);
  const odd = `${lab.folder}/it's $(touch ${lab.folder}/executed) "ü"\n*`;
  for (const [remoteDir, at] of [
    ['own dir', path.join(host.home, 'own dir')],
    ['~/tilde', path.join(host.home, 'tilde')],
    [odd, odd],
  ] as const) {
    assert.equal(await exchangeLine(start({ remoteDir })), 'heard you', remoteDir);
    assert.ok((await stat(path.join(at, id, 'collbench-agent'))).isFile());
  }
  await assert.rejects(stat(`${lab.folder}/executed`));
});

test('a home that cannot be written: the next private place is taken', { skip }, async () => {
  await writeFile(path.join(host.home, '.cache'), 'no directory');
  assert.equal(await exchangeLine(start()), 'heard you');
  const { id } = await readBundle(agent);
  const fallback = `/tmp/collbench-0/${id}`;
  assert.equal((await stat(fallback)).mode & 0o777, 0o700);
  await rm(fallback, { recursive: true });
  await rmdir('/tmp/collbench-0').catch(() => undefined); // other tests may have folders in it
});

test('a place that belongs to somebody else is not used', { skip }, async () => {
  const theirs = path.join(lab.folder, 'theirs');
  const { id } = await readBundle(agent);
  await mkdir(path.join(theirs, id), { recursive: true });
  await run('chown', ['-R', '65534', theirs]);
  const error = await refusal(start({ remoteDir: theirs }));
  assert.equal(error.message, 'the agent cannot be stored on box: no directory can be written');
  assert.deepEqual(error.details[0], `${theirs}: belongs to user number 65534`);
  await run('rm', ['-r', path.join(theirs, id)]);
  await symlink('/tmp', path.join(theirs, id));
  assert.equal((await refusal(start({ remoteDir: theirs }))).details[0], `${theirs}: is no directory`);
});

test('below a folder where somebody else could rename ours nothing is run', { skip }, async () => {
  const shared = path.join(lab.folder, 'shared');
  const remoteDir = path.join(shared, 'mine');
  await mkdir(shared);
  const refusedFor = async () => (await refusal(start({ remoteDir }))).details[0];
  assert.equal(await exchangeLine(start({ remoteDir })), 'heard you');
  // A stored agent is checked again at the next start, when its folder has become unsafe.
  await chmod(shared, 0o777);
  assert.equal(await refusedFor(), `${remoteDir}: lies below ${shared}, which everybody may write`);
  await chmod(shared, 0o1777);
  assert.equal(await exchangeLine(start({ remoteDir })), 'heard you', 'as in /tmp');
  await run('chown', ['0:100', shared]);
  await chmod(shared, 0o775);
  assert.equal(await refusedFor(), `${remoteDir}: lies below ${shared}, which its group may write`);
  await run('chown', ['65534:0', shared]);
  assert.equal(await refusedFor(), `${remoteDir}: lies below ${shared}, which belongs to user number 65534`);
  // A link that another user can redirect.
  const real = path.join(lab.folder, 'real');
  await mkdir(real);
  await symlink(real, path.join(shared, 'link'));
  const error = await refusal(start({ remoteDir: path.join(shared, 'link') }));
  assert.match(error.details[0] ?? '', /belongs to user number 65534/);
});

const mounts = [
  ['full', 'size=16k', 'no space is left'],
  ['readonly', 'size=10m,ro', 'the file system is read-only'],
  ['noexec', 'size=10m,noexec', 'programs cannot be started from it (noexec)'],
] as const;
for (const [name, options, why] of mounts) {
  test(`a file system that is ${name}`, { skip }, async (t) => {
    const folder = path.join(lab.folder, name);
    await mkdir(folder);
    const padded = path.join(lab.folder, 'padded-agent');
    await writeFile(padded, `${await readFile(agent, 'utf8')}exit 0\n${'#'.repeat(100_000)}`);
    try {
      await run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]);
    } catch {
      return t.skip('may not mount here');
    }
    try {
      const error = await refusal(start({ remoteDir: folder }, padded));
      assert.equal(error.message, `the agent cannot be stored on box: ${why}`);
      assert.ok(error.details[0]?.startsWith(`${folder}: `));
      assert.match(error.details.at(-1) ?? '', /--remote-dir DIR\.$/);
      if (name === 'full') assert.match(error.details[0] ?? '', /\d+ KiB free, 98 KiB needed/);
    } finally {
      await run('umount', [folder]);
    }
  });
}

test('an agent for another architecture', { skip }, async () => {
  const elf = Buffer.alloc(64);
  elf.writeUInt32BE(0x7f454c46, 0);
  elf.writeUInt16LE(243, 18);
  const other = path.join(lab.folder, 'riscv-agent');
  await writeFile(other, elf);
  const error = await refusal(start({}, other));
  assert.match(error.message, /^box is \w+, and the agent is built for riscv64$/);
  assert.ok(error.details.join(' ').includes('npm run build:native'));
  await assert.rejects(
    stat(path.join(host.home, '.cache/collbench', (await readBundle(other)).id, 'collbench-agent')),
  );
});

test('an agent that needs a newer glibc', { skip }, async () => {
  const elf = Buffer.alloc(64);
  elf.writeUInt32BE(0x7f454c46, 0);
  elf.writeUInt16LE({ x64: 62, arm64: 183 }[process.arch as string] ?? 0, 18);
  const other = path.join(lab.folder, 'future-agent');
  await writeFile(other, Buffer.concat([elf, Buffer.from('\0GLIBC_2.2.5\0GLIBC_2.99\0GLIBC_2.4\0')]));
  const error = await refusal(start({}, other));
  assert.match(error.message, /^box has glibc 2\.\d+, and the agent needs 2\.99 or newer$/);
});

test('an agent that the system there cannot start', { skip }, async () => {
  const broken = await echoAgent(lab, '#!/no/such/interpreter\n');
  const error = await refusal(start({}, broken));
  assert.match(error.message, /^the agent does not start on box: .*not found/);
});

test('no agent to copy', { skip }, async () => {
  const error = await refusal(start({}, path.join(lab.folder, 'nothing')));
  assert.match(error.message, /^the agent to copy cannot be read: ENOENT/);
  assert.equal(error.next, 'npm run build:native');
});

test('a host without a program that checks hashes', { skip }, async () => {
  const bin = path.join(lab.folder, 'bin');
  await mkdir(bin);
  for (const name of ['head', 'tr', 'id', 'uname', 'getconf', 'cut', 'wc'])
    await symlink(`/usr/bin/${name}`, path.join(bin, name));
  const poor = await lab.host({ lines: [] });
  await writeFile(path.join(poor.home, '.bashrc'), `PATH=${bin}\n`);
  await chmod(bin, 0o755);
  host = poor;
  const error = await refusal(start());
  assert.match(error.message, /^box cannot verify the copied agent/);
});

const native = path.join(root, 'build/native/collbench-agent');
test('the real agent is copied and says hello', {
  skip: skip || skipUnless(existsSync(native), 'the native code is not built'),
}, async () => {
  const started = start({}, native);
  const hello = JSON.parse((await linesOf(started)()) ?? 'null') as { type: string };
  assert.equal(hello.type, 'hello');
  assert.deepEqual(await started.stop(grace), { code: 0, signal: null, startError: null });
  const { files, machine, glibc } = await readBundle(native);
  assert.equal(files[0]?.name, 'collbench-agent');
  assert.equal(machine, (await run('uname', ['-m'])).stdout.trim());
  assert.equal(glibc?.[0], 2);
});
