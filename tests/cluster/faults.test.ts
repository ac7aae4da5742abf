import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { type ProcessResult, withFolder } from '../e2e/harness.ts';
import { type Cluster, cluster, openCluster } from './bed.ts';
import { execute, pollUntil } from './command.ts';
import { clockThatJumps, programWithoutLibrary } from './fault-programs.ts';
import * as faults from './faults.ts';
import type { TestHost } from './host.ts';
import { leftovers } from './leftovers.ts';

describe('faults of a test host do what they say and are undone', { skip: cluster() }, () => {
  let bed: Cluster;
  let host: TestHost;
  let other: TestHost;
  before(async () => {
    bed = await openCluster({ hosts: 3, rateMbit: 1000, sizeMiB: 8 });
    [host, other] = bed.hosts as [TestHost, TestHost];
  });
  after(() => bed?.close());

  const ssh = (command: string, options: string[] = []): Promise<ProcessResult> => {
    const [program, ...rest] = [...bed.prefix, 'ssh', '-o', 'BatchMode=yes', ...options, host.name];
    return execute(program as string, [...rest, command], { env: { ...process.env, ...bed.environment } });
  };

  /** Starts an SSH login that stays open until its process is ended. */
  const session = (command: string): ChildProcessWithoutNullStreams => {
    const [program, ...rest] = [...bed.prefix, 'ssh', host.name, command];
    return spawn(program as string, rest, { env: { ...process.env, ...bed.environment } });
  };

  /** Checks that the host accepts logins after a fault is undone, and that nothing of the fault is left. */
  async function healthy(): Promise<void> {
    const ended = await ssh('echo well');
    assert.deepEqual(ended, { code: 0, signal: null, stdout: 'well\n', stderr: '' });
    assert.deepEqual(await leftovers(host), []);
  }

  /**
   * Tries to connect to a port. 'answer' (also a refusal) shows that packets pass; 'silence' means no reply within 0.5 s, or that
   * the host is unreachable. Any other result is the error. The time is limited only where silence is expected, because a busy
   * machine may answer late.
   */
  const answer = (port: number, expected: 'answer' | 'silence', from?: TestHost): Promise<string> => {
    if (from !== undefined) {
      const limit = expected === 'silence' ? 'timeout 0.5 ' : '';
      return from.run(`${limit}bash -c ": </dev/tcp/${host.address}/${port}"`).then(({ code, stderr }) => {
        if (code === 0 || /Connection refused/.test(stderr)) return 'answer';
        return code === 124 ? 'silence' : stderr;
      });
    }
    return new Promise((resolve) => {
      const timeout = expected === 'silence' ? 500 : 0;
      const socket = net.connect({ host: host.address, port, timeout });
      socket.once('connect', () => resolve('answer'));
      // An unanswered attempt ends with an error of the kernel where the time is not limited or the machine stands still.
      const meanings: Record<string, string> = { ECONNREFUSED: 'answer', EHOSTUNREACH: 'silence' };
      socket.once('error', ({ code = '' }: NodeJS.ErrnoException) => resolve(meanings[code] ?? code));
      socket.once('timeout', () => resolve('silence'));
      for (const event of ['connect', 'timeout']) socket.once(event, () => socket.destroy());
    });
  };
  /** Checks the result of `answer` for several ports, one after the other. */
  const assertAnswers = async (...attempts: Parameters<typeof answer>[]): Promise<void> => {
    for (const attempt of attempts) assert.equal(await answer(...attempt), attempt[1], `port ${attempt[0]}`);
  };
  const carrier = async () => (await host.root('cat /sys/class/net/eth0/carrier')).trim();

  test('cable pulled', async () => {
    const undo = await faults.linkDown(host);
    assert.equal(await carrier(), '0');
    await assertAnswers([22, 'silence']);
    await undo();
    assert.equal(await carrier(), '1');
    await healthy();
  });

  test('packets dropped: silence with carrier', async () => {
    const undo = await faults.packetsDropped(host);
    assert.equal(await carrier(), '1');
    const ended = await ssh('true', ['-o', 'ConnectTimeout=1']);
    assert.equal(ended.code, 255);
    assert.match(ended.stderr, /timed out|No route/);
    await undo();
    await healthy();
  });

  test('only ssh dropped, only ssh let through', async () => {
    const undoDrop = await faults.sshDropped(host);
    await assertAnswers([22, 'silence'], [9, 'answer'], [9, 'answer', other]);
    await undoDrop();
    await healthy();
    const undoPass = await faults.blockAllButSsh(host);
    await assertAnswers([22, 'answer'], [9, 'silence'], [9, 'silence', other]);
    await undoPass();
    await assertAnswers([9, 'answer', other]);
    await healthy();
  });

  test('session of sshd killed: the client loses the connection, the command may live on', async () => {
    const client = session('exec sleep 1004');
    const code = new Promise<number | null>((resolve) => client.once('close', resolve));
    await pollUntil('it runs', () => host.pids(/^sleep 1004/).length === 1);
    faults.signalProcesses(host, faults.sshSession, 'SIGKILL');
    assert.equal(await code, 255);
    for (const pid of host.pids(/^sleep 1004/)) process.kill(pid, 'SIGKILL');
    await pollUntil('it is gone', () => host.pids().length === 0);
    assert.throws(() => faults.signalProcesses(host, /^sleep 1004/, 'SIGKILL'), /node01 has no process/);
    await healthy();
  });

  test('stopped and going on', async () => {
    const client = session('exec cat');
    const code = new Promise<number | null>((resolve) => client.once('close', resolve));
    await pollUntil('it runs', () => host.pids(/^cat/).length === 1);
    const undo = await faults.stopProcesses(host, /^cat/);
    assert.equal(host.processes().find(({ command }) => command === 'cat')?.state, 'T');
    await undo();
    client.stdin.end();
    assert.equal(await code, 0);
    await healthy();
  });

  test('home full, /tmp full', async () => {
    for (const [fault, folder] of [
      [faults.homeFull, '~'],
      [faults.tmpFull, '/tmp'],
    ] as const) {
      const undo = await fault(host);
      const full = await ssh(`echo x >${folder}/file`);
      assert.match(full.stderr, /No space left on device/);
      await undo();
      assert.equal((await ssh(`echo x >${folder}/file; rm ${folder}/file`)).stderr, '');
      await healthy();
    }
  });

  test('home read-only, home without execution', async () => {
    const undoReadOnly = await faults.homeReadOnly(host);
    assert.match((await ssh('touch file')).stderr, /Read-only file system/);
    await undoReadOnly();
    const undoNoExec = await faults.homeNoExec(host);
    assert.match((await ssh('cp /bin/true it && ./it')).stderr, /Permission denied/);
    await undoNoExec();
    assert.equal((await ssh('./it && rm it')).code, 0);
    await healthy();
  });

  test('no /dev/shm', async () => {
    const undo = await faults.hideSharedMemory(host);
    const ended = await ssh('echo x >/dev/null; test -c /dev/urandom; echo $?; ls /dev/shm');
    assert.equal(ended.stdout, '0\n');
    assert.match(ended.stderr, /shm.*No such file/);
    await undo();
    assert.equal((await ssh('echo x >/dev/shm/it && rm /dev/shm/it')).code, 0);
    await healthy();
  });

  test('another host key', async () => {
    const undo = await faults.wrongHostKey(host);
    assert.match((await ssh('true')).stderr, /REMOTE HOST IDENTIFICATION HAS CHANGED/);
    await undo();
    await healthy();
  });

  test('login refused, sshd down', async () => {
    const undoRefused = await faults.loginRefused(host);
    assert.match((await ssh('true')).stderr, /Permission denied \(publickey\)/);
    await undoRefused();
    await healthy();
    const undoDown = await faults.sshdDown(host);
    assert.match((await ssh('true')).stderr, /Connection refused/);
    await undoDown();
    await healthy();
  });

  test('few open files', async () => {
    const undo = await faults.limitOpenFiles(host, 32);
    assert.equal((await ssh('ulimit -n')).stdout, '32\n');
    await undo();
    assert.notEqual((await ssh('ulimit -n')).stdout, '32\n');
    await healthy();
  });

  test('a .bashrc that talks', async () => {
    const undo = await faults.hostileBashrc(host);
    const ended = await ssh('echo data');
    assert.equal(ended.stdout, 'Welcome to node01!\n{"hello":"from .bashrc"}\ndata\n');
    assert.equal(ended.stderr, 'quota: 99 %\n');
    await undo();
    await healthy();
  });

  test('slow shell, shell that refuses', async () => {
    const undoSlow = await faults.slowShell(host, 1);
    const begin = process.hrtime.bigint();
    assert.equal((await ssh('echo data')).stdout, 'data\n');
    assert.ok(process.hrtime.bigint() - begin > 1_000_000_000n);
    await undoSlow();
    const undoRefuses = await faults.loginShell(
      host,
      '#!/bin/sh\necho "This account is not available."\nexit 1\n',
    );
    const ended = await ssh('echo data');
    assert.deepEqual([ended.code, ended.stdout], [1, 'This account is not available.\n']);
    await undoRefuses();
    await healthy();
  });

  test('library of the machine broken', async () => {
    const library = /=> (\S*libm\.so\.6)/.exec(await host.root('ldd /usr/bin/awk'))?.[1] as string;
    const undo = await faults.libraryBroken(host, library);
    assert.match((await ssh("awk 'BEGIN { print 1 }'")).stderr, /libm\.so\.6: file too short/);
    assert.ok(readFileSync(library).length > 0, 'broken on the host alone');
    await undo();
    assert.equal((await ssh("awk 'BEGIN { print 1 }'")).stdout, '1\n');
    await healthy();
  });

  test('a program that needs a library nobody has', async () => {
    await withFolder(async (folder) => {
      const ended = await execute(await programWithoutLibrary(folder), []);
      assert.equal(ended.code, 127);
      assert.match(ended.stderr, /libnothere\.so: cannot open shared object file/);
    });
  });

  test('the wall clock jumps while a program runs, for that host alone', async () => {
    const clock = await clockThatJumps(host);
    const client = session('while read -r _; do printf "%(%s)T\\n" -1; done');
    const lines = createInterface({ input: client.stdout })[Symbol.asyncIterator]();
    const now = async () => {
      client.stdin.write('\n');
      return Number((await lines.next()).value);
    };
    const here = () => Date.now() / 1000;
    assert.ok(Math.abs((await now()) - here()) < 600);
    await clock.jump(3600);
    assert.ok((await now()) - here() > 3000);
    await clock.jump(-3600);
    assert.ok((await now()) - here() < -3000);
    const date = await ssh('date +%s');
    assert.ok(Number(date.stdout) - here() < -3000);
    const code = new Promise<number | null>((resolve) => client.once('close', resolve));
    client.stdin.end();
    assert.equal(await code, 0);
    await clock.undo();
    assert.ok(Math.abs(Number((await ssh('date +%s')).stdout) - here()) < 600);
    await healthy();
  });
});
