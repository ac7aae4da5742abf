import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { RunRecord } from '../../results/schema/index.ts';
import { findOnlyRun, run, withFolder } from './harness.ts';

// Checks that ranks run on the requested CPUs, as the kernel reports for the real processes.
const quick = ['allreduce', '--sizes', '8', '--launches', '1', '--iters', '3', '--ranks', '1'];
const twoHosts = [
  ...['allreduce', '--sizes', '8', '--launches', '1', '--iters', '3', '--interface', 'lo'],
  ...['--hosts', '127.0.0.1,127.0.0.2', '--launcher', 'command:env TEST_HOST={host} {agent}'],
];

const recordIn = async (folder: string) =>
  JSON.parse(await readFile(path.join(await findOnlyRun(folder), 'run.json'), 'utf8')) as RunRecord;
/** List of the CPUs that this process may use, such as "0-3,8". Processes that it starts inherit the list. */
async function allowed(): Promise<string> {
  return /^Cpus_allowed_list:\s+(\S+)/m.exec(await readFile('/proc/self/status', 'latin1'))?.[1] ?? '';
}
const firstOf = (list: string): string => list.split(/[,-]/)[0] as string;
const lastOf = (list: string): string => list.split(/[,-]/).at(-1) as string;

test('none, core and numa: told before the run, kept in run.json, shown in the report', async () => {
  const all = await allowed();
  for (const { bind, cpus, says } of [
    { bind: 'none', cpus: all, says: /ranks are not bound to CPUs/ },
    { bind: 'core', cpus: firstOf(all), says: new RegExp(`rank 0 on \\S+: CPU ${firstOf(all)}`) },
    { bind: 'numa', cpus: null, says: /rank 0 on \S+: CPU \S+/ },
  ]) {
    await withFolder(async (folder) => {
      const ended = await run([...quick, '--bind', bind], { cwd: folder });
      assert.equal(ended.code, 0, ended.stderr);
      assert.match(ended.stderr, says);
      const record = await recordIn(folder);
      const there = record.launches[0]?.ranks[0]?.cpus ?? '';
      if (cpus !== null) assert.equal(there, cpus);
      assert.equal(record.plan.hosts[0]?.placements?.[0]?.rank, 0);
      const report = await readFile(path.join(await findOnlyRun(folder), 'report.html'), 'utf8');
      assert.ok(report.includes(`<td class="t">${there}</td>`));
    });
  }
});

test('a list of CPUs binds each rank, two to one CPU, too', async () => {
  await withFolder(async (folder) => {
    const cpu = lastOf(await allowed());
    const words = ['allreduce', '--sizes', '8', '--launches', '1', '--iters', '3', '--bind', `${cpu},${cpu}`];
    const ended = await run(words, { cwd: folder });
    assert.equal(ended.code, 0, ended.stderr);
    const { launches } = await recordIn(folder);
    assert.deepEqual(
      launches[0]?.ranks.map(({ cpus }) => cpus),
      [cpu, cpu],
    );
  });
});

test('buffers of TCP connections have the size of the option, which the run records', async () => {
  await withFolder(async (folder) => {
    const words = ['allreduce', '--sizes', '1M', '--launches', '1', '--iters', '3', '--socket-buffer', '8K'];
    const ended = await run(words, { cwd: folder });
    assert.equal(ended.code, 0, ended.stderr);
    const { plan } = await recordIn(folder);
    assert.equal(plan.transports[0]?.options.bufferBytes, 8192);
    assert.equal(plan.transports[0]?.detail.bufferBytes, 8192);
    const unused = await run([...words, '--transport', 'shm'], { cwd: folder });
    assert.equal(unused.code, 1);
    assert.match(unused.stderr, /--socket-buffer has no effect with --transport shm/);
  });
});

// native/agent/tests/scheduling_test.cc reads the priority of the ranks from the kernel.
test('priority high is recorded, or refused with what it needs', async () => {
  await withFolder(async (folder) => {
    const ended = await run([...quick, '--priority', 'high'], { cwd: folder });
    if (process.getuid?.() === 0) {
      assert.equal(ended.code, 0, ended.stderr);
      assert.equal((await recordIn(folder)).plan.priority, 'high');
    } else {
      assert.equal(ended.code, 2, ended.stderr);
      assert.match(ended.stderr, /--priority high: needs root/);
    }
  });
});

test('a rank map binds each rank of each host', async () => {
  await withFolder(async (folder) => {
    const all = await allowed();
    const map = path.join(folder, 'ranks.map');
    await writeFile(map, `0 -> 127.0.0.1::${lastOf(all)}\n1 -> 127.0.0.2::${firstOf(all)}\n`);
    const ended = await run([...twoHosts, '--map', map], { cwd: folder });
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stderr, new RegExp(`rank 0 on 127.0.0.1: CPU ${lastOf(all)}$`, 'm'));
    const { launches, plan } = await recordIn(folder);
    assert.deepEqual(
      launches[0]?.ranks.map(({ cpus }) => cpus),
      [lastOf(all), firstOf(all)],
    );
    assert.deepEqual(plan.hosts[1]?.placements, [{ rank: 1, cpus: firstOf(all), memoryNodes: '' }]);
  });
});

test('what cannot be is refused before anything is measured', async () => {
  const rows: { map?: string; words?: string[]; says: RegExp }[] = [
    { map: '0 -> 127.0.0.1::60000\n1 -> 127.0.0.2', says: /CPU 60000 of 127\.0\.0\.1 to rank 0; there are / },
    { map: '0 -> 127.0.0.1::0\n1 -> 127.0.0.1::0', says: /CPU 0 of 127\.0\.0\.1 to rank 0 and to rank 1/ },
    {
      map: '0 -> 127.0.0.1:2\n1 -> 127.0.0.2',
      says: /names GPUs, and the ranks of the cpu engine have none/,
    },
    { map: '0 -> 127.0.0.1::0\n1 -> 127.0.0.2', words: ['--bind', 'core'], says: /both set where ranks run/ },
    { words: ['--bind', 'sockets'], says: /--bind sockets[\s\S]*none, core, numa/ },
    {
      words: ['--bind', 'core', '--ranks', '200'],
      says: /--bind core: \d+ ranks on 127\.0\.0\.1, which has /,
    },
  ];
  for (const { map, words = [], says } of rows) {
    await withFolder(async (folder) => {
      const file = path.join(folder, 'ranks.map');
      if (map !== undefined) await writeFile(file, `${map}\n`);
      const ended = await run([...twoHosts, ...(map === undefined ? [] : ['--map', file]), ...words], {
        cwd: folder,
      });
      assert.equal(ended.code, 1, `${words.join(' ')} ${map}\n${ended.stderr}`);
      assert.match(ended.stderr, says);
      await assert.rejects(findOnlyRun(folder), 'no run was begun');
    });
  }
  const ended = await run([...quick, '--bind', 'core', '--in-process']);
  assert.equal(ended.code, 1);
  assert.match(ended.stderr, /--bind and --in-process exclude each other/);
});

test('a network interface that a host lacks is refused by its name, with those it has', async () => {
  await withFolder(async (folder) => {
    const hosts = '127.0.0.1,127.0.0.2:iface=nowhere0';
    const words = twoHosts.map((word) => (word.startsWith('127.0.0.1,') ? hosts : word));
    const ended = await run(words, { cwd: folder });
    assert.equal(ended.code, 2, ended.stderr);
    assert.match(ended.stderr, /nowhere0: no such network interface on 127\.0\.0\.2\n +allowed: .*\blo\b/);
    const hostfile = path.join(folder, 'hosts.txt');
    await writeFile(hostfile, '127.0.0.1 iface=lo\n127.0.0.2 iface=lo\n');
    const fine = words.map((word) => (word === hosts ? hostfile : word === '--hosts' ? '--hostfile' : word));
    const at = fine.indexOf('--interface');
    fine.splice(at, 2);
    const ran = await run(fine, { cwd: folder });
    assert.equal(ran.code, 0, ran.stderr);
    assert.match(ran.stderr, /data over lo on 127\.0\.0\.\[1-2\]/);
    const { plan } = await recordIn(folder);
    assert.deepEqual(
      plan.hosts.map(({ iface }) => iface),
      ['lo', 'lo'],
    );
  });
});
