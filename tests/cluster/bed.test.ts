// test: alone
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type ProcessResult, root } from '../e2e/harness.ts';
import { type Cluster, cluster, openCluster } from './bed.ts';
import { execute, pollUntil } from './command.ts';
import type { TestHost } from './host.ts';
import { isProjectPath, leftovers } from './leftovers.ts';

const skip = cluster();

/** Runs a command on a host by the OpenSSH client, started as the command under test starts it. */
export function ssh(
  bed: Cluster,
  host: string,
  command: string,
  options: string[] = [],
): Promise<ProcessResult> {
  const [program, ...rest] = [...bed.prefix, 'ssh', '-o', 'BatchMode=yes', ...options, host, command];
  return execute(program as string, rest, { env: { ...process.env, ...bed.environment } });
}

/** Interfaces, folders, processes, mounts and users that a test cluster could leave on this machine. */
function traces(): string[] {
  const processes = readdirSync('/proc').flatMap((pid) => {
    try {
      return [`process ${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ')}`];
    } catch {
      return [];
    }
  });
  const lines = (file: string) => readFileSync(file, 'utf8').split('\n');
  return [
    ...readdirSync('/sys/class/net').filter((name) => name.startsWith('cbbed')),
    ...readdirSync('/tmp').filter((name) => name.startsWith('collbench-bed-')),
    ...processes.filter((line) => /host-init\.sh|collbench-bed-/.test(line)),
    ...lines('/proc/mounts').filter((line) => /collbench-bed-|^bed /.test(line)),
    ...lines('/etc/passwd').filter((line) => line.startsWith('tester:')),
  ];
}

/** First folder below `folder` on the path to the project, which hosts see; "-" if the project is not below `folder`. */
const projectIn = (folder: string): string =>
  root.startsWith(`${folder}/`) ? (root.slice(folder.length + 1).split('/')[0] as string) : '-';

describe('test hosts', { skip }, () => {
  let bed: Cluster;
  before(async () => {
    bed = await openCluster({
      hosts: 3,
      rateMbit: 1000,
      users: ['tester', 'guest'],
      share: [path.join(root, 'bin')],
    });
  });
  after(() => bed?.close());
  const [first, second] = [() => bed.hosts[0] as TestHost, () => bed.hosts[1] as TestHost];

  test('the OpenSSH client gets into each by name, address and IPv6 address, and each has its own hostname', async () => {
    const addresses = (host: TestHost) => [
      host.name,
      host.address,
      ...(host.address6 === null ? [] : [host.address6]),
    ];
    for (const host of bed.hosts)
      for (const address of addresses(host)) {
        const ended = await ssh(bed, address, 'hostname; whoami; pwd');
        assert.deepEqual(ended, {
          code: 0,
          signal: null,
          stdout: `${host.name}\ntester\n/home/tester\n`,
          stderr: '',
        });
      }
  });

  test('hosts reach each other by name', async () => {
    const ended = await first().run(`: </dev/tcp/${second().name}/22`.replace(/.*/, "bash -c '$&'"));
    assert.equal(ended.code, 0, ended.stderr);
  });

  test('files, shared memory and processes do not leak between hosts or from the machine', async () => {
    // The machine itself may have a file b.
    const b = `b-${process.pid}`;
    const made = await first().run(
      `touch a /tmp/${b} /dev/shm/c /var/tmp/d && ls -I '${projectIn('/tmp')}' /home /tmp /dev/shm /var/tmp`,
    );
    assert.equal(made.stdout, `/dev/shm:\nc\n\n/home:\nguest\ntester\n\n/tmp:\n${b}\n\n/var/tmp:\nd\n`);
    assert.deepEqual(
      second()
        .files('/tmp')
        .filter((file) => !isProjectPath(`/tmp/${file}`)),
      [],
    );
    const login = (user: string) => [user, `${user}/.ssh`, `${user}/.ssh/authorized_keys`];
    assert.deepEqual(second().files('/home'), [...login('guest'), ...login('tester')]);
    for (const file of [`/tmp/${b}`, '/dev/shm/c', '/var/tmp/d']) assert.ok(!existsSync(file), file);
    const seen = (await second().run('cat /proc/[0-9]*/comm')).stdout.split('\n').filter(Boolean);
    assert.deepEqual(
      seen.filter((name) => !['bash', 'cat', 'nsenter', 'sh', 'sshd'].includes(name)),
      [],
    );
    await first().run(`rm a /tmp/${b} /dev/shm/c /var/tmp/d`);
  });

  test('of the project a host sees what is shared with it, and may not write there', async () => {
    const seen = await second().run(`ls ${root}; ls ${root}/bin/collbench; touch ${root}/bin/x`);
    assert.equal(seen.stdout, `bin\n${root}/bin/collbench\n`);
    assert.match(seen.stderr, /Read-only file system|Permission denied/);
  });

  test('every user gets in and is alone in a home', async () => {
    const ended = await ssh(bed, second().name, 'whoami; ls -d ~/* /home/tester/.ssh 2>&1', ['-l', 'guest']);
    assert.match(ended.stdout, /^guest\n(.*No such file.*\n)?.*Permission denied\n/m);
  });

  test('pids() are the processes of the test user, as this machine numbers them', async () => {
    const child = spawn(bed.prefix[0] as string, [...bed.prefix.slice(1), 'ssh', first().name, 'sleep 1001']);
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
    await pollUntil('it runs', () => first().pids(/^sleep 1001/).length === 1);
    assert.deepEqual(second().pids(), []);
    for (const pid of first().pids(/^sleep 1001/)) process.kill(pid, 'SIGKILL');
    await ended;
    await pollUntil('it is gone', () => first().pids().length === 0);
  });

  test('what was not there before is named, kind by kind; an uploaded agent may stay', async () => {
    const { users, home } = first();
    const agent = `.cache/collbench/${'0123456789abcdef'.repeat(4)}/collbench-agent`;
    // Processes of sshd that belong to root may end later than the login of the test before.
    assert.deepEqual(await leftovers(first()), []);
    await first().run(
      `mkdir -p ${path.dirname(agent)} && cp /bin/true ${agent} && touch ${agent}.part /tmp/x /dev/shm/y && ` +
        'ipcmk -M 4096 && (setsid sleep 1002 >/dev/null 2>&1 &)',
    );
    await pollUntil('it runs', () => first().pids(/^sleep 1002/).length === 1);
    const found = await leftovers(first(), { boundMs: 0 });
    const patterns = [
      new RegExp(`process \\d+ of user ${users[0]?.uid} \\(\\w\\): sleep 1002`),
      /file \/tmp\/x$/,
      /file \/dev\/shm\/y$/,
      new RegExp(`file ${home}/${agent}.part$`),
      /System V shm:/,
    ];
    assert.equal(found.length, patterns.length, found.join('\n'));
    for (const pattern of patterns)
      assert.ok(
        found.some((line) => pattern.test(line)),
        `${pattern}\n${found.join('\n')}`,
      ); // prettier-ignore
    for (const pid of first().pids(/^sleep 1002/)) process.kill(pid, 'SIGKILL');
    await first().run(`rm ${agent}.part /tmp/x /dev/shm/y && ipcrm --all=shm`);
    assert.deepEqual(await leftovers(first()), []);
  });

  test('a cable carries no more than its rate, and one of 1 Gbit/s far more than one of 100 Mbit/s', async () => {
    const slow = await openCluster({ hosts: 2, rateMbit: 100 });
    try {
      const bytes = 8 * 2 ** 20;
      // Load of the machine makes transfers slower, but never faster than the link.
      const minSeconds = (mbit: number) => (0.9 * bytes) / (mbit * 125_000);
      const transfer = async (mbit: number, from: TestHost, to: TestHost) => {
        const seconds = await transferSeconds(from, to, bytes);
        assert.ok(seconds > minSeconds(mbit), `${mbit} Mbit/s: ${bytes} bytes took ${seconds} s`);
        return seconds;
      };
      await transfer(100, slow.hosts[0] as TestHost, slow.hosts[1] as TestHost);
      // One transfer that is too fast for a link of 200 Mbit/s is enough, because load alone cannot cause it.
      let fastest = Number.POSITIVE_INFINITY;
      for (let tries = 0; tries < 10 && fastest >= minSeconds(200); tries += 1)
        fastest = Math.min(fastest, await transfer(1000, first(), second()));
      assert.ok(fastest < minSeconds(200), `1 Gbit/s: the fastest of 10 transfers took ${fastest} s`);
    } finally {
      await slow.close();
    }
  });
});

/** Seconds from the arrival of the first byte to the end of the stream, between programs in the hosts' network namespaces. */
async function transferSeconds(from: TestHost, to: TestHost, bytes: number): Promise<number> {
  const node = (host: TestHost, script: string) =>
    execute('nsenter', ['-t', String(host.initPid), '-n', process.execPath, '-e', script]);
  const sink = node(
    to,
    `require('net').createServer({ pauseOnConnect: false }, (s) => {
      let begin, seen = 0;
      s.on('data', (d) => { begin ??= process.hrtime.bigint(); seen += d.length; });
      s.on('end', () => { console.log(seen === ${bytes} ? Number(process.hrtime.bigint() - begin) / 1e9 : NaN); process.exit(); });
    }).listen(5001)`,
  );
  const listens = () => /:1389 \S+ 0A/.test(readFileSync(`/proc/${to.initPid}/net/tcp6`, 'latin1'));
  await pollUntil('the receiver listens', listens);
  const sent = await node(from, `require('net').connect(5001, '${to.address}').end(Buffer.alloc(${bytes}))`);
  assert.equal(sent.code, 0, sent.stderr);
  return Number((await sink).stdout);
}

const added = (before: string[]) => traces().filter((name) => !before.includes(name));

describe('the end of a bed', { skip }, () => {
  test('close() leaves nothing on the machine', async () => {
    const before = traces();
    const bed = await openCluster({ hosts: 3, rateMbit: 1000 });
    const child = ssh(bed, (bed.hosts[0] as TestHost).name, 'sleep 1003');
    await pollUntil('it runs', () => bed.hosts[0]?.pids(/^sleep 1003/).length === 1);
    assert.notDeepEqual(added(before), []);
    await bed.close();
    assert.equal((await child).code, 255);
    assert.deepEqual(added(before), []);
    await bed.close();
  });

  /** Starts a process that opens a cluster and waits. Resolves with the cluster's folder and a function that kills it. */
  async function opened(): Promise<{ kill(): Promise<void>; folder: string }> {
    const module = pathToFileURL(path.join(root, 'dist', 'tests', 'cluster', 'bed.js'));
    const script = `import('${module}').then(async ({ openCluster }) => {
      const bed = await openCluster({ hosts: 2, rateMbit: null });
      console.log(bed.home);
      setInterval(() => {}, 1000);
    })`;
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const home = await new Promise<string>((resolve, reject) => {
      child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim()));
      child.once('close', () => reject(new Error('it opened no bed')));
    });
    return {
      folder: path.dirname(home),
      kill: () => {
        child.kill('SIGKILL');
        return ended;
      },
    };
  }

  test('a test that is killed leaves nothing either', async () => {
    const before = traces();
    const dying = await opened();
    await dying.kill();
    await pollUntil('all is gone', () => added(before).length === 0);
  });

  test('when the guard was killed too, the next bed sweeps', async () => {
    const before = traces();
    const dying = await opened();
    for (const pid of guards(dying.folder)) process.kill(pid, 'SIGKILL');
    await dying.kill();
    assert.ok(existsSync(dying.folder));
    await (await openCluster({ hosts: 1, rateMbit: null })).close();
    await pollUntil('all is gone', () => added(before).length === 0);
  });
});

/** Process ids of the guards of a cluster: their last argument is its folder. */
function guards(folder: string): number[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').endsWith(`\0${folder}\0`);
      } catch {
        return false;
      }
    })
    .map(Number);
}
