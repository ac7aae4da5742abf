import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { checks, clusterChecks } from '../../results/doctor/checks/index.ts';
import type { MachineReport } from '../../results/machine/index.ts';
import { type DoctorReport, doctorReport } from '../../results/schema/index.ts';
import { type Cluster, cluster, openCluster } from '../cluster/bed.ts';
import { blockAllButSsh } from '../cluster/faults.ts';
import { findOnlyRun, type ProcessResult, run, withFolder } from './harness.ts';

const codes = { ok: 0, note: 0, unknown: 5, warning: 5, error: 2 };

function reportOf({ stdout, stderr }: ProcessResult): DoctorReport {
  assert.equal(stdout.trim().split('\n').length, 1, stderr);
  return doctorReport.parse(JSON.parse(stdout));
}

test('this machine: a line for every check that has something to look at, within 80 columns', async () => {
  const ended = await run(['doctor']);
  assert.doesNotMatch(ended.stderr, /collbench:/);
  assert.match(ended.stdout, /^doctor: \S+ · all transports\n/);
  assert.match(ended.stdout, /^ {2}\w+ +cpu\.affinity +\S/m);
  assert.match(ended.stdout, /^ {2}\w+ +memory\.free +\S/m);
  for (const line of ended.stdout.split('\n')) {
    if (line.trimStart().includes(' ') && !line.includes('/')) assert.ok(line.length <= 80, line);
  }
  const code = Number(/Exit (\d)$/m.exec(ended.stdout)?.[1]);
  assert.equal(ended.code, code);
  for (const block of ended.stdout
    .split(/\n(?= {2}\w)/)
    .filter((text) => /^ {2}(warning|error)/.test(text))) {
    assert.match(block, /\n +why +\S/);
    assert.match(block, /\n +fix +\S/);
  }
});

test('--json: one object with its schema; every check is told, once per machine at most; the exit code follows the worst', async () => {
  const ended = await run(['doctor', '--json']);
  const report = reportOf(ended);
  const told = new Set([...report.findings, ...report.skipped].map(({ id }) => id));
  assert.deepEqual([...told].sort(), [...checks, ...clusterChecks].map(({ id }) => id).sort());
  assert.equal(new Set(report.findings.map(({ id }) => id)).size, report.findings.length);
  assert.equal(report.exitCode, codes[report.worst]);
  assert.equal(ended.code, report.exitCode);
  const cpu = report.hosts[0]?.machine?.cpu as { online: number } | undefined;
  assert.ok((cpu?.online ?? 0) > 0);
});

test('a transport that cannot run is an error with its reason; other transports are passed over', async () => {
  const ended = await run(['doctor', '--transport', 'plugin:/nowhere/libnccl-net-x.so', '--json']);
  assert.equal(ended.code, 2);
  const { findings, skipped } = reportOf(ended);
  const of = (id: string) => findings.find((one) => one.id === id);
  assert.equal(of('transport.runs')?.severity, 'error');
  assert.match(
    of('plugin.abi')?.observation ?? '',
    /^\/nowhere\/libnccl-net-x\.so: No such file or directory/,
  );
  assert.ok(skipped.some(({ id, reason }) => id === 'iommu.sisci' && reason === 'other transports'));
});

for (const [words, pattern] of [
  [['--transport', 'sosket'], /--transport sosket: there is no such transport\n {2}did you mean socket\?/],
  [['--transport', 'plugin'], /plugin needs a path/],
  [['--hashes'], /--hashes has no effect without --json\nNext: collbench doctor --json --hashes/],
  [['--rsh', 'openssh'], /--rsh has no effect with --launcher local/],
  [['--hosts', 'a', '--hostfile', 'b'], /--hosts and --hostfile cannot be combined/],
  [['--min', '8'], /--min: doctor has no such option/],
] as const) {
  test(`doctor ${words.join(' ')}: one clear error, exit 1`, async () => {
    const { code, stdout, stderr } = await run(['doctor', ...words]);
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.match(stderr, pattern);
  });
}

// The tests below use test hosts, which the command reaches by ssh.
const skip = cluster();

async function onTwoHosts(
  body: (bed: Cluster, doctor: (...words: string[]) => Promise<ProcessResult>) => Promise<void>,
) {
  const bed = await openCluster({ hosts: 2, rateMbit: null });
  try {
    const hosts = bed.hosts.map(({ name }) => name).join(',');
    await body(bed, (...words) =>
      run(['doctor', '--hosts', hosts, ...words], { env: bed.environment, prefix: bed.prefix }),
    );
  } finally {
    await bed.close();
  }
}

test('two hosts: data gets through both ways; an MTU that differs, large packets that vanish and a firewall are found', {
  skip,
}, async () => {
  await onTwoHosts(async (bed, doctor) => {
    const [first, second] = bed.hosts as [Cluster['hosts'][0], Cluster['hosts'][0]];
    const look = async () => {
      const ended = await doctor('--transport', 'socket', '--json');
      const report = reportOf(ended);
      assert.equal(ended.code, codes[report.worst]);
      return { ...report, of: (id: string) => report.findings.filter((one) => one.id === id) };
    };
    const well = await look();
    assert.deepEqual(well.connections.map(({ from, to, outcome }) => `${from} ${to} ${outcome}`).sort(), [
      `${first.name} ${second.name} through`,
      `${second.name} ${first.name} through`,
    ]);
    for (const id of ['reach.host', 'reach.data', 'reach.large', 'skew.kernel', 'skew.mtu', 'skew.clock']) {
      assert.deepEqual(
        well.of(id).map(({ severity }) => severity),
        ['ok'],
        id,
      );
    }

    await second.root('ip link set eth0 mtu 9000');
    const [mtu] = (await look()).of('skew.mtu');
    assert.equal(mtu?.severity, 'warning');
    assert.equal(mtu?.observation, `1500 on ${first.name}; 9000 on ${second.name}`);

    await second.root(
      "nft 'table inet lost { chain in { type filter hook input priority 0; tcp dport != 22 ip length > 1000 drop; }; }'",
    );
    const [large] = (await look()).of('reach.large');
    assert.equal(large?.severity, 'error');
    // The reply that the second host receives is large, too, so both directions fail.
    assert.equal(
      large?.observation,
      `${first.name} -> ${second.name}, ${second.name} -> ${first.name} (connected, but no answer)`,
    );
    await second.root('nft delete table inet lost');

    const undo = await blockAllButSsh(second);
    const shut = await doctor('--transport', 'socket');
    await undo();
    assert.equal(shut.code, 2);
    assert.match(shut.stdout, /^ {2}error +reach\.data +\S[\s\S]*?no answer[\s\S]*?fix +let the hosts/m);
  });
});

test('a host that cannot be asked is an error of its own and fails; the other is examined and passes', {
  skip,
}, async () => {
  await onTwoHosts(async (bed) => {
    const [first, second] = bed.hosts.map(({ name }) => name) as [string, string];
    const words = ['doctor', '--hosts', `${first},${second}:2222`, '--transport', 'socket', '--json'];
    const { ended, drained } = await withFolder(async (cwd) => ({
      ended: await run([...words, '--drain', 'drain'], { cwd, env: bed.environment, prefix: bed.prefix }),
      drained: await readFile(path.join(cwd, 'drain'), 'utf8'),
    }));
    assert.equal(ended.code, 2);
    assert.match(
      drained,
      new RegExp(`^${first} pass\n${second} fail collbench doctor: not reached: .*2222.*\n$`),
    );
    const { findings, hosts } = reportOf(ended);
    assert.deepEqual(
      hosts.map(({ machine }) => machine !== null),
      [true, false],
    );
    const [silent] = findings.filter(({ id }) => id === 'reach.host');
    assert.equal(silent?.severity, 'error');
    assert.match(silent?.observation ?? '', new RegExp(`^${second}: .*2222`));
    assert.ok(findings.some(({ id, hosts: of }) => id === 'memory.free' && of.includes(first)));
  });
});

test('a run keeps what its machines are made of', async () => {
  await withFolder(async (folder) => {
    const ended = await run(['allreduce', '--sizes', '8', '--launches', '1', '--iters', '3'], {
      cwd: folder,
    });
    assert.equal(ended.code, 0, ended.stderr);
    const kept = JSON.parse(await readFile(path.join(await findOnlyRun(folder), 'machines.json'), 'utf8'));
    const [machine] = Object.values(kept.machines as Record<string, MachineReport>);
    assert.ok((machine?.cpu.online ?? 0) > 0);
    assert.ok((machine?.memory.totalBytes ?? 0) > 0);
    assert.ok(machine?.network.interfaces.some(({ name }) => name === 'lo'));
  });
});
