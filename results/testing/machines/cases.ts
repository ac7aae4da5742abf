import type { CheckContext, Severity } from '../../doctor/check.ts';
import type { MachineFacts } from '../../schema/index.ts';
import { alterServer, bridgeConfig } from './server.ts';

/** A synthetic machine with a fault, and the result that a check must have. */
export interface MachineCase {
  facts: MachineFacts;
  severity: Severity;
  observation: RegExp;
  asked?: Partial<CheckContext>;
}

const cpus = '/sys/devices/system/cpu';
const bus = '/sys/bus/pci/devices';
const net = '/sys/class/net';
const route = (name: string) =>
  `Iface\tDestination\n${name}\t00000000\t0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n`;
const without = (facts: MachineFacts, name: string) => {
  facts.libraries = facts.libraries.filter((one) => one.name !== name);
};
const gpus = (facts: MachineFacts) => facts.nvml?.gpus ?? [];
const gone = (facts: MachineFacts, start: string) => {
  for (const files of [facts.files.text, facts.files.links]) {
    for (const path of Object.keys(files)) if (path.startsWith(start)) delete files[path];
  }
};
const plugin = (symbols: string[]) => (facts: MachineFacts) => {
  for (const one of facts.libraries) if (one.name === 'libnccl-net-x.so') one.symbols = symbols;
};
const limit = (name: string, soft: string) => ({
  '/proc/self/limits': `${name.padEnd(26)}${soft.padEnd(21)}unlimited            x\n`,
});
const guest = { '/proc/cpuinfo': 'model name\t: x\nflags\t\t: fpu hypervisor\n' };

const podHosts = { '/etc/hosts': '# Kubernetes-managed hosts file.\n' };
const virtualInterface = {
  '/sys/class/net/veth0/operstate': 'up\n',
  '/sys/class/net/veth0/type': '1\n',
  '/proc/net/route': route('veth0'),
};
const onlyVirtual = (facts: MachineFacts) => gone(facts, '/sys/class/net/eth');
/** The server as a pod sees it, with these device files. */
const inPod = (...deviceFiles: string[]) =>
  alterServer(podHosts, ({ files }) => {
    for (const file of deviceFiles) files.links[file] = file;
  });

/** Synthetic machines with a fault, by the id of the check that must find it. */
export const cases: Record<string, MachineCase[]> = {
  'transport.runs': [
    {
      facts: alterServer(),
      asked: {
        transports: ['ib'],
        probed: [
          {
            engine: 'nccl',
            transport: 'ib',
            available: false,
            reason: 'No port is active.',
            remedy: 'Plug it in.',
            facts: {},
          },
        ],
      },
      severity: 'error',
      observation: /^ib \(engine nccl\): No port is active$/,
    },
  ],
  'plugin.abi': [
    { facts: alterServer({}, plugin([])), severity: 'warning', observation: /exports no ncclNetPlugin_vN/ },
    {
      facts: alterServer({}, plugin(['ncclNetPlugin_v4'])),
      severity: 'warning',
      observation: /NCCL 2\.28\.9 takes v6 to v11/,
    },
    {
      facts: alterServer({}, (facts) => {
        facts.libraries.push({
          name: '/x.so',
          path: '/x.so',
          problem: 'No such file or directory',
          buildId: '',
          bytes: 0,
          sha256: '',
          symbols: [],
        });
      }),
      asked: { transports: ['plugin:/x.so'] },
      severity: 'error',
      observation: /^\/x\.so: No such file/,
    },
  ],
  'plugin.environment': [
    {
      facts: alterServer({}, ({ live }) => {
        if (live !== null) live.environment.NCCL_NET_PLUGIN = 'ofi';
      }),
      severity: 'warning',
      observation: /no libnccl-net-ofi\.so is found/,
    },
  ],
  'nccl.library': [
    {
      facts: alterServer({}, (facts) => without(facts, 'libnccl.so.2')),
      severity: 'error',
      observation: /none found/,
    },
    {
      facts: alterServer(),
      asked: {
        probed: [
          {
            engine: 'nccl',
            transport: 'p2p',
            available: true,
            reason: '',
            remedy: '',
            facts: { 'nccl.version': '2.30.1', 'nccl.path': '/opt/venv/lib/libnccl.so.2' },
          },
        ],
      },
      severity: 'note',
      observation:
        /^2\.30\.1 of \/opt\/venv\/lib\/libnccl\.so\.2 is opened; beside it .*libnccl\.so\.2\.28\.9/,
    },
  ],
  'sisci.library': [
    {
      facts: alterServer({}, (facts) => without(facts, 'libsisci.so')),
      severity: 'warning',
      observation: /no libsisci/,
    },
    {
      facts: alterServer({ '/proc/modules': '' }),
      severity: 'warning',
      observation: /drivers are not loaded/,
    },
  ],
  'rdma.library': [
    {
      facts: alterServer({}, (facts) => without(facts, 'libibverbs.so.1')),
      severity: 'error',
      observation: /none/,
    },
  ],
  'gpu.driver': [
    {
      facts: alterServer({ '/proc/driver/nvidia/version': null }, (facts) => {
        facts.nvml = { missing: 'cannot open shared object file', driver: '', gpus: [] };
      }),
      severity: 'error',
      observation: /2 NVIDIA GPUs without a loaded driver/,
    },
    {
      facts: alterServer({}, (facts) => {
        facts.nvml = { missing: 'cannot open shared object file', driver: '', gpus: [] };
      }),
      severity: 'unknown',
      observation: /NVML does not answer/,
    },
  ],
  'gpu.users': [
    {
      facts: alterServer({}, (facts) => {
        for (const gpu of gpus(facts).slice(1)) gpu.processes = 3;
      }),
      severity: 'warning',
      observation: /GPU 1 \(3\)/,
    },
    {
      facts: alterServer({}, (facts) => {
        for (const gpu of gpus(facts)) gpu.processes = null;
      }),
      severity: 'unknown',
      observation: /does not report/,
    },
  ],
  'gpu.direct': [
    {
      facts: alterServer({
        '/proc/modules': '',
        '/proc/driver/nvidia/version': 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  470.82.01  Wed\n',
      }),
      severity: 'warning',
      observation: /neither nvidia_peermem nor dma-buf/,
    },
  ],
  'gpu.persistence': [
    {
      facts: alterServer({}, (facts) => {
        for (const gpu of gpus(facts)) gpu.persistence = 0;
      }),
      severity: 'note',
      observation: /off on 2 of 2/,
    },
  ],
  'rdma.ports': [
    {
      facts: alterServer({ '/sys/class/infiniband/mlx5_0/ports/1/state': '1: DOWN\n' }),
      severity: 'warning',
      observation: /none: mlx5_0\/1 down/,
    },
    {
      facts: alterServer({}, (facts) => gone(facts, '/sys/class/infiniband')),
      asked: { transports: ['ib'] },
      severity: 'error',
      observation: /no RDMA device/,
    },
  ],
  'iommu.sisci': [
    {
      facts: alterServer({}, (facts) => {
        gone(facts, '/sys/class/iommu');
        gone(facts, '/sys/kernel/iommu_groups');
      }),
      severity: 'error',
      observation: /off, and there is a Dolphin adapter/,
    },
  ],
  'iommu.translation': [
    {
      facts: alterServer({ '/sys/kernel/iommu_groups/0/type': 'DMA-FQ\n' }),
      severity: 'warning',
      observation: /1 groups/,
    },
  ],
  'pci.acs': [
    {
      facts: alterServer({ [`${bus}/0000:02:00.0/config`]: bridgeConfig(true) }),
      severity: 'warning',
      observation: /1 bridges redirect: 0000:02:00\.0/,
    },
    {
      facts: alterServer({ [`${bus}/0000:02:00.0/config`]: '00'.repeat(64) }),
      severity: 'unknown',
      observation: /to root only/,
    },
  ],
  'pci.width': [
    {
      facts: alterServer({ [`${bus}/0000:03:00.0/current_link_width`]: '4\n' }),
      severity: 'warning',
      observation: /NVIDIA GPU 0000:03:00\.0 at x4 of x16/,
    },
    {
      facts: alterServer({ [`${bus}/0000:03:00.0/current_link_width`]: null }),
      severity: 'unknown',
      observation: /no width reported/,
    },
  ],
  'pci.speed': [
    {
      facts: alterServer({ [`${bus}/0000:05:00.0/current_link_speed`]: '8.0 GT/s PCIe\n' }),
      severity: 'warning',
      observation: /Mellanox adapter 0000:05:00\.0 at 8 of 32 GT\/s/,
    },
    {
      facts: alterServer({ [`${bus}/0000:03:00.0/current_link_speed`]: '2.5 GT/s PCIe\n' }),
      severity: 'note',
      observation: /idle GPUs save/,
    },
  ],
  'net.interface': [
    {
      facts: alterServer({ '/proc/net/route': route('eno1') }),
      severity: 'warning',
      observation: /eno1, 1 Gb\/s; ens1 has 400 Gb\/s/,
    },
    {
      facts: alterServer(),
      asked: { interface: 'eth7' },
      severity: 'error',
      observation: /no interface eth7/,
    },
    { facts: alterServer({ '/proc/net/route': '' }), severity: 'warning', observation: /no default route/ },
  ],
  'net.link': [
    {
      facts: alterServer({ [`${net}/ens1/operstate`]: 'down\n' }),
      severity: 'error',
      observation: /ens1 is down/,
    },
    { facts: alterServer({ [`${net}/ens1/speed`]: '100\n' }), severity: 'warning', observation: /100 Mb\/s/ },
    {
      facts: alterServer({ [`${net}/ens1/speed`]: '-1\n' }),
      severity: 'unknown',
      observation: /does not report/,
    },
  ],
  'net.mtu': [
    { facts: alterServer({ [`${net}/ens1/mtu`]: '1500\n' }), severity: 'note', observation: /1500 on ens1/ },
    { facts: alterServer({ [`${net}/ens1/mtu`]: '576\n' }), severity: 'warning', observation: /576/ },
  ],
  'net.tcp-buffers': [
    {
      facts: alterServer({ '/proc/sys/net/ipv4/tcp_rmem': '4096\t87380\t2097152\n' }),
      severity: 'warning',
      observation: /tcp_rmem 2 MiB/,
    },
  ],
  'net.socket-buffers': [
    {
      facts: alterServer({ '/proc/sys/net/core/rmem_max': '212992\n' }),
      severity: 'note',
      observation: /rmem_max 0\.2 MiB/,
    },
  ],
  'net.backlog': [
    {
      facts: alterServer({ '/proc/sys/net/core/somaxconn': '128\n' }),
      severity: 'note',
      observation: /somaxconn 128/,
    },
  ],
  'net.ports': [
    {
      facts: alterServer({ '/proc/sys/net/ipv4/ip_local_port_range': '60000\t60999\n' }),
      severity: 'warning',
      observation: /only 60000 to 60999/,
    },
  ],
  'cpu.governor': [
    {
      facts: alterServer({ [`${cpus}/cpufreq/policy1/scaling_governor`]: 'powersave\n' }),
      severity: 'warning',
      observation: /powersave on 1 CPUs/,
    },
    {
      facts: alterServer({}, (facts) => gone(facts, `${cpus}/cpufreq`)),
      severity: 'unknown',
      observation: /no governor/,
    },
  ],
  'cpu.turbo': [
    { facts: alterServer({ [`${cpus}/cpufreq/boost`]: '1\n' }), severity: 'note', observation: /^on$/ },
  ],
  'cpu.quota': [
    {
      facts: alterServer({ '/sys/fs/cgroup/user.slice/cpu.max': '150000 100000\n' }),
      severity: 'warning',
      observation: /1\.5 CPUs of 96/,
    },
    {
      facts: alterServer({
        '/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us': '400000\n',
        '/sys/fs/cgroup/cpu/job/cpu.cfs_period_us': '100000\n',
      }),
      severity: 'warning',
      observation: /4 CPUs of 96/,
    },
  ],
  'cpu.affinity': [
    {
      facts: alterServer({ '/proc/self/status': 'Cpus_allowed_list:\t0\n' }),
      severity: 'warning',
      observation: /^1 of 96, fewer than its 2 GPUs$/,
    },
    {
      facts: alterServer({ '/proc/self/status': 'Cpus_allowed_list:\t0-3,8\n' }),
      severity: 'note',
      observation: /5 of 96/,
    },
  ],
  'cpu.busy': [
    {
      facts: alterServer({}, ({ live }) => {
        if (live !== null) live.statLater = 'cpu  2000 0 1000 101000 0 0 0 0 0 0\n';
      }),
      severity: 'warning',
      observation: /50 % busy now/,
    },
    // A run of collbench has just ended: no process works now, but the load average is still high.
    {
      facts: alterServer({ '/proc/loadavg': '60.0 1 1 1/1 1\n' }),
      severity: 'ok',
      observation: /^0 % busy now, load average 60$/,
    },
    {
      facts: alterServer({ '/proc/loadavg': '60.0 1 1 1/1 1\n' }, ({ live }) => {
        if (live !== null) live.statLater = '';
      }),
      severity: 'warning',
      observation: /share unknown, load average 60/,
    },
  ],
  'cpu.steal': [
    {
      facts: alterServer(guest, ({ live }) => {
        if (live !== null) live.statLater = 'cpu  1000 0 1000 101900 0 0 0 100 0 0\n';
      }),
      severity: 'warning',
      observation: /5 %/,
    },
  ],
  'cpu.clocksource': [
    {
      facts: alterServer({ '/sys/devices/system/clocksource/clocksource0/current_clocksource': 'hpet\n' }),
      severity: 'warning',
      observation: /hpet/,
    },
  ],
  'limits.memlock': [
    {
      facts: alterServer({
        ...limit('Max locked memory', '65536'),
        '/proc/self/status': 'CapEff:\t00000000a80425fb\n',
      }),
      severity: 'warning',
      observation: /64 KiB at most$/,
    },
    {
      facts: alterServer({
        ...limit('Max locked memory', '65536'),
        '/proc/self/status': 'CapEff:\t000001ffffffffff\n',
      }),
      severity: 'note',
      observation: /does not bind root/,
    },
    {
      facts: alterServer({
        ...limit('Max locked memory', '65536'),
        '/proc/self/status': 'CapEff:\t000001ffffffffff\n',
        '/proc/self/uid_map': '         0     100000      65536\n',
      }),
      severity: 'warning',
      observation: /64 KiB at most$/,
    },
    {
      facts: alterServer(limit('Max locked memory', '65536')),
      severity: 'warning',
      observation: /64 KiB at most/,
    },
    {
      facts: alterServer({ '/proc/self/limits': null }),
      severity: 'unknown',
      observation: /does not report/,
    },
  ],
  'limits.nofile': [
    { facts: alterServer(limit('Max open files', '256')), severity: 'warning', observation: /only 256/ },
    { facts: alterServer(limit('Max open files', '1024')), severity: 'note', observation: /1024/ },
  ],
  'shm.size': [
    {
      facts: alterServer({}, ({ live }) => {
        if (live !== null) live.shmBytes = live.shmFreeBytes = 64 * 2 ** 20;
      }),
      severity: 'warning',
      observation: /67\.1 MB free/,
    },
    {
      facts: alterServer({}, ({ live }) => {
        if (live !== null) live.shmBytes = live.shmFreeBytes = null;
      }),
      severity: 'unknown',
      observation: /there is none/,
    },
  ],
  'memory.free': [
    {
      facts: alterServer({ '/proc/meminfo': 'MemTotal: 1000000 kB\nMemAvailable: 50000 kB\n' }),
      severity: 'warning',
      observation: /51\.2 MB of 1\.02 GB free/,
    },
  ],
  'memory.limit': [
    {
      facts: alterServer({ '/sys/fs/cgroup/user.slice/memory.max': '8000000000\n' }),
      severity: 'note',
      observation: /^8 GB of/,
    },
  ],
  'memory.thp': [
    {
      facts: alterServer({ '/sys/kernel/mm/transparent_hugepage/enabled': 'always madvise [never]\n' }),
      severity: 'note',
      observation: /never/,
    },
  ],
  'memory.hugepages': [
    {
      facts: alterServer({ '/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages': '200000\n' }),
      severity: 'warning',
      observation: /200000 of 2 MiB/,
    },
  ],
  'memory.numa-balancing': [
    {
      facts: alterServer({ '/proc/sys/kernel/numa_balancing': '1\n' }),
      severity: 'warning',
      observation: /on, 2 nodes/,
    },
  ],
  'system.virtual': [
    {
      facts: alterServer({ ...guest, '/sys/class/dmi/id/sys_vendor': 'QEMU\n' }),
      severity: 'note',
      observation: /QEMU\/KVM/,
    },
    {
      facts: alterServer({
        ...guest,
        '/sys/class/dmi/id/sys_vendor': '\n',
        '/sys/class/dmi/id/product_name': '\n',
      }),
      severity: 'note',
      observation: /^yes, hypervisor unknown$/,
    },
  ],
  'container.gpu': [
    { facts: inPod(), severity: 'warning', observation: /^none of 2$/ },
    { facts: inPod(), asked: { transports: ['p2p'] }, severity: 'error', observation: /^none of 2$/ },
    { facts: inPod('/dev/nvidia0'), severity: 'ok', observation: /^1 of 2$/ },
  ],
  'container.rdma': [
    { facts: inPod(), severity: 'warning', observation: /^no \/dev\/infiniband\/uverbs\*$/ },
    { facts: inPod(), asked: { transports: ['ib'] }, severity: 'error', observation: /uverbs/ },
    { facts: inPod('/dev/infiniband/uverbs0'), severity: 'ok', observation: /^1 of 1$/ },
  ],
  'container.network': [
    {
      facts: alterServer({ ...podHosts, ...virtualInterface }, onlyVirtual),
      severity: 'warning',
      observation: /^veth0 is a virtual interface of the container network$/,
    },
    {
      facts: alterServer({ '/etc/hosts': '# Kubernetes-managed hosts file (host network).\n' }),
      severity: 'ok',
      observation: /^the network of the machine$/,
    },
  ],
  'system.container': [
    { facts: inPod(), severity: 'note', observation: /^a pod of Kubernetes$/ },
    {
      facts: alterServer({}, ({ files }) => {
        files.links['/.dockerenv'] = '/.dockerenv';
      }),
      severity: 'note',
      observation: /docker/,
    },
  ],
  'clock.synchronised': [
    {
      facts: alterServer({}, ({ live }) => {
        if (live !== null) live.clockSynchronised = false;
      }),
      severity: 'note',
      observation: /not synchronised/,
    },
  ],
};
