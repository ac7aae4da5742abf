// test: soak
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { machineFacts } from '../schema/index.ts';
import { alterServer, syntheticServer } from '../testing/machines/server.ts';
import { busyShareOf } from './cpu.ts';
import { machineOf } from './index.ts';
import { defaultRouteOf } from './network.ts';
import { redirectsOf } from './pci.ts';
import { countOfList, meminfoBytes, wholeNumber } from './tree.ts';

test('the made server is understood in full', () => {
  const { system, cpu, memory, limits, pci, network, rdma, nvidia } = machineOf(syntheticServer());
  assert.equal(system.os, 'Rocky Linux 9.5 (Blue Onyx)');
  assert.deepEqual([cpu.online, cpu.allowed, cpu.sockets, cpu.maxMHz], [96, 96, 2, 3810]);
  assert.equal(cpu.busyShare, 0);
  assert.equal(memory.totalBytes, 528_000_000 * 1024);
  assert.deepEqual(limits, { lockedBytes: 'unlimited', openFiles: 65_536, canLockAll: null });
  assert.deepEqual(
    pci.map(({ address, kind, bridges }) => [address, kind, bridges.length]),
    [
      ['0000:00:01.0', 'bridge', 0],
      ['0000:02:00.0', 'bridge', 1],
      ['0000:03:00.0', 'gpu', 2],
      ['0000:04:00.0', 'gpu', 2],
      ['0000:05:00.0', 'network', 2],
      ['0000:41:00.0', 'ntb', 0],
    ],
  );
  assert.deepEqual(
    network.interfaces.map(({ name, pci: card, speedMbps }) => [name, card, speedMbps]),
    [
      ['eno1', '0000:61:00.0', 1000],
      ['ens1', '0000:05:00.0', 400_000],
      ['lo', null, null],
    ],
  );
  assert.equal(network.sysctls['net.ipv4.tcp_rmem'], '4096 131072 67108864');
  assert.deepEqual(rdma[0], {
    device: 'mlx5_0',
    port: 1,
    isActive: true,
    state: 'ACTIVE',
    rateGbps: 400,
    linkLayer: 'InfiniBand',
    firmware: '28.39.1002',
    pci: '0000:05:00.0',
  });
  assert.deepEqual(nvidia, { release: '570.86.15', isOpen: true });
});

test('of the environment of an agent no secret is kept, whatever the agent sent', () => {
  const facts = syntheticServer();
  assert.ok(facts.live);
  const plain = { NCCL_DEBUG: 'INFO', OMPI_MCA_btl: 'self,tcp' };
  const secret = { OMPI_MCA_orte_x: '1', NCCL_X_KEY: '1', UCX_X: 'ghp_16C7e42F292c6912E7', HOME: '/home/me' };
  facts.live.environment = { ...plain, ...secret };
  assert.deepEqual(machineOf(facts).environment, plain);
});

test('numbers are whole or nothing', () => {
  for (const [text, value] of [
    ['42', 42],
    [' -1\n', -1],
    ['', null],
    ['4x', null],
    ['1.5', null],
    ['0x10', null],
    ['9'.repeat(19), null],
    [null, null],
  ] as const)
    assert.equal(wholeNumber(text), value, String(text));
});

test('kernel lists are counted', () => {
  for (const [text, value] of [
    ['0-3,8', 5],
    ['0', 1],
    ['', null],
    ['3-1', null],
    ['x', null],
    [null, null],
  ] as const)
    assert.equal(countOfList(text), value, String(text));
  assert.equal(meminfoBytes('MemTotal:       24684092 kB\n', 'MemTotal'), 24_684_092 * 1024);
  assert.equal(meminfoBytes('MemTotal:       24684092\n', 'MemTotal'), null);
});

test('the default route is the one that is up with the lowest metric', () => {
  const line = (name: string, destination: string, flags: string, metric: string, mask = '00000000') =>
    `${name}\t${destination}\t0100000A\t${flags}\t0\t0\t${metric}\t${mask}\t0\t0\t0`;
  const head = 'Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT';
  const table = [
    head,
    line('eth0', '00000000', '0003', '200'),
    line('down0', '00000000', '0002', '1'),
    line('eth1', '00000000', '0003', '100'),
    line('eth2', '0000000A', '0001', '0', '000000FF'),
  ].join('\n');
  assert.equal(defaultRouteOf(table), 'eth1');
  assert.equal(defaultRouteOf(head), null);
  assert.equal(defaultRouteOf(null), null);
});

test('ACS: found behind other capabilities; a chain that runs in circles or ends early is none', () => {
  const config = (...words: [at: number, value: number][]) => {
    const bytes = Buffer.alloc(0x400);
    for (const [at, value] of words) bytes.writeUInt32LE(value >>> 0, at);
    return bytes.toString('hex');
  };
  const behind = [0x100, 0x1481_0001] as [number, number]; // AER, next at 0x148
  assert.equal(redirectsOf(config(behind, [0x148, 0x0001_000d], [0x14c, 0x0004_0000])), true);
  assert.equal(redirectsOf(config(behind, [0x148, 0x0001_000d], [0x14c, 0x0001_0000])), false);
  assert.equal(redirectsOf(config([0x100, 0x1001_0001])), null);
  assert.equal(redirectsOf(config([0x100, 0xffff_ffff])), null);
  assert.equal(redirectsOf(config(behind)), null);
  assert.equal(redirectsOf('00'.repeat(64)), 'unknown');
  assert.equal(redirectsOf(null), 'unknown');
});

test('the tightest of all control groups counts', () => {
  const facts = alterServer({
    '/sys/fs/cgroup/user.slice/cpu.max': '400000 100000\n',
    '/sys/fs/cgroup/cpu.max': '150000 100000\n',
    '/sys/fs/cgroup/user.slice/memory.max': 'max\n',
    '/sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
  });
  const { cpu, memory } = machineOf(facts);
  assert.equal(cpu.quotaCpus, 1.5);
  assert.equal(memory.limitBytes, null);
});

test('files damaged at random are understood in part or not at all, and nothing throws', () => {
  let seed = 12_345;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) % below;
  };
  const rounds = Number(process.env.COLLBENCH_FUZZ_ROUNDS ?? 300);
  for (let round = 0; round < rounds; round++) {
    const facts = syntheticServer();
    const paths = Object.keys(facts.files.text);
    for (let i = 0; i < 20; i++) {
      const path = paths[random(paths.length)] as string;
      const text = facts.files.text[path] ?? '';
      const at = random(text.length + 1);
      const junk = String.fromCharCode(random(256)).repeat(random(4));
      facts.files.text[path] = text.slice(0, at) + junk + text.slice(at + random(8));
    }
    const { cpu, memory, pci } = machineOf(facts);
    for (const share of [cpu.busyShare, cpu.stealShare])
      assert.ok(share === null || (share >= 0 && share <= 1));
    for (const bytes of [memory.totalBytes, memory.swapUsedBytes])
      assert.ok(bytes === null || Number.isFinite(bytes));
    for (const { link } of pci) assert.ok(link.width === null || (link.width > 0 && link.width <= 32));
  }
});

test('the busy share of one CPU is that between two readings of /proc/stat', () => {
  const stat = (busy: number, idle: number) =>
    `cpu  ${busy} 0 0 ${idle} 0 0 0 0 0 0\ncpu1 0 0 0 5 0 0 0 0 0 0\ncpu10 ${busy} 0 0 ${idle} 0 0 0 0 0 0\n`;
  assert.equal(busyShareOf(10, stat(100, 100), stat(130, 110)), 0.75);
  assert.equal(busyShareOf(1, stat(0, 0), stat(9, 9)), null, 'no tick has passed');
  assert.equal(busyShareOf(2, stat(0, 0), stat(9, 9)), null, 'no such CPU');
});

test('a real virtual machine (recorded/virtual-machine.json)', async () => {
  const file = new URL('../../../results/testing/machines/recorded/virtual-machine.json', import.meta.url);
  const { cpu, memory, network, system, iommu, pci } = machineOf(
    machineFacts.parse(JSON.parse(await readFile(file, 'utf8'))),
  );
  assert.equal(system.os, 'Debian GNU/Linux 12 (bookworm)');
  assert.equal(system.virtualization, 'virtual machine');
  assert.match(cpu.model ?? '', /^Intel\(R\) Xeon\(R\)/);
  assert.deepEqual([cpu.online, cpu.allowed, cpu.clocksource], [2, 2, 'tsc']);
  assert.equal(memory.transparentHugepages, 'madvise');
  assert.equal(memory.numaNodes, 1);
  assert.equal(iommu.state, 'off');
  assert.equal(network.defaultRoute, 'eth0');
  assert.deepEqual(
    network.interfaces.map(({ name, mtuBytes, speedMbps, driver }) => [name, mtuBytes, speedMbps, driver]),
    [
      ['eth0', 1400, null, 'virtio_net'],
      ['lo', 65_536, null, null],
    ],
  );
  assert.deepEqual(
    pci.map(({ kind, vendor, driver }) => [kind, vendor, driver]),
    [['network', '0x1af4', 'virtio-pci']],
  );
});
