import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { CellRecord, RunRecord } from '../../results/schema/index.ts';
import { cluster, openCluster } from '../cluster/bed.ts';
import type { TestHost } from '../cluster/host.ts';
import { leftovers } from '../cluster/leftovers.ts';
import { findOnlyRun, ndjson, run, withFolder } from './harness.ts';
import { fake, fakeGpus, withoutFakes } from './support/fakes.ts';

// Tests NCCL over several hosts, with fake libraries. The hosts are two agents on this machine, or two test hosts with their
// own networks, where the ranks of the fake connect over TCP.
const env = fakeGpus(4);
const words = [
  ...['allreduce', '--engine', 'nccl', '--nccl', fake('nccl'), '--transport', 'socket', '--interface', 'lo'],
  ...['--sizes', '8,64K', '--launches', '1', '--iters', '3'],
  ...['--hosts', '127.0.0.1,127.0.0.2', '--launcher', 'command:env TEST_HOST={host} {agent}'],
];

test('ranks of two hosts, each on the GPU that the rank map gives it: verified, proven, logs of both', {
  skip: withoutFakes,
}, async () => {
  await withFolder(async (folder) => {
    const map = path.join(folder, 'ranks.map');
    await writeFile(map, '0 -> 127.0.0.1:1\n1 -> 127.0.0.1:0\n2 -> 127.0.0.2:3\n3 -> 127.0.0.2:2\n');
    const ended = await run([...words, '--map', map], { cwd: folder, env });
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stderr, /rank 2 on 127\.0\.0\.2: GPU 3/);
    const dir = await findOnlyRun(folder);
    const record = JSON.parse(await readFile(path.join(dir, 'run.json'), 'utf8')) as RunRecord;
    for (const { ranks } of record.launches) {
      assert.deepEqual(
        ranks.map(({ device }) => /^GPU (\d)/.exec(device)?.[1]),
        ['1', '0', '3', '2'],
      );
    }
    for (const cell of await ndjson<CellRecord>(path.join(dir, 'cells.ndjson'))) {
      assert.ok(cell.status === 'ok', cell.id);
      assert.ok(cell.verification.checks > 0 && cell.verification.wrongElements === 0, cell.id);
      assert.notEqual(cell.evidence.verdict, 'contradicted', cell.evidence.reason);
    }
    assert.deepEqual(
      record.logs?.map(({ host, rank }) => [host, rank]),
      [
        ['127.0.0.1', 0],
        ['127.0.0.1', 1],
        ['127.0.0.2', 2],
        ['127.0.0.2', 3],
      ],
    );
  });
});

test('a rank that dies on the second host is named with it', { skip: withoutFakes }, async () => {
  await withFolder(async (folder) => {
    const map = path.join(folder, 'ranks.map');
    await writeFile(map, '0 -> 127.0.0.1:0\n1 -> 127.0.0.2:1\n');
    const ended = await run([...words, '--no-attest', '--map', map], {
      cwd: folder,
      env: { ...env, NCCL_FAKE_FAULT: 'die:1:5' },
    });
    assert.equal(ended.code, 2, ended.stderr);
    assert.match(ended.stderr, /rank 1 on \S+ was killed by SIGKILL/);
    assert.match(ended.stderr, /127\.0\.0\.2 \(rank 1\): .*it failed first/);
  });
});

test('hosts with networks of their own, each over its own interface: verified, and every rank was told its own', {
  skip: withoutFakes || cluster(),
}, async () => {
  const libraries = path.dirname(fake('nccl'));
  const bed = await openCluster({ hosts: 2, rateMbit: 1000, share: [libraries] });
  try {
    const [first, second] = bed.hosts as [TestHost, TestHost];
    await second.root('ip link set eth0 down; ip link set eth0 name data0; ip link set data0 up');
    // Every login gets variables with the paths of the fakes.
    const login = Object.entries(env).map(([name, value]) => `export ${name}='${value}'\n`);
    for (const host of bed.hosts) await writeFile(host.path(`${host.home}/.bashrc`), login.join(''));
    await withFolder(async (folder) => {
      const nccl = ['allreduce', '--engine', 'nccl', '--nccl', fake('nccl'), '--transport', 'socket'];
      const sizes = ['--sizes', '8,64K', '--launches', '1', '--iters', '3'];
      const hosts = `${first.name}:slots=2:iface=eth0,${second.name}:slots=2:iface=data0`;
      const ended = await run([...nccl, ...sizes, '--hosts', hosts], {
        cwd: folder,
        env: bed.environment,
        prefix: bed.prefix,
      });
      assert.equal(ended.code, 0, ended.stderr);
      const dir = await findOnlyRun(folder);
      const record = JSON.parse(await readFile(path.join(dir, 'run.json'), 'utf8')) as RunRecord;
      for (const { ranks } of record.launches) {
        assert.deepEqual(
          ranks.map(({ facts }) => facts?.['env.NCCL_SOCKET_IFNAME']),
          ['=eth0', '=eth0', '=data0', '=data0'],
        );
      }
      const cells = await ndjson<CellRecord>(path.join(dir, 'cells.ndjson'));
      assert.equal(cells.length, 2);
      for (const cell of cells) {
        assert.ok(cell.status === 'ok', cell.id);
        assert.ok(cell.verification.checks > 0 && cell.verification.wrongElements === 0, cell.id);
        assert.notEqual(cell.evidence.verdict, 'contradicted', cell.evidence.reason);
      }
      for (const host of bed.hosts) {
        await rm(host.path(`${host.home}/.bashrc`));
        assert.deepEqual(await leftovers(host), [], host.name);
      }
    });
  } finally {
    await bed.close();
  }
});
