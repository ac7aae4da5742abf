import type { MachineFacts } from '../../schema/index.ts';

/**
 * Configuration space of a PCI bridge with Access Control Services, as hex. Constructed after the PCIe base specification,
 * 7.7.11.
 */
export function bridgeConfig(redirects: boolean): string {
  const bytes = Buffer.alloc(0x110);
  bytes.writeUInt32LE(0x0001_000d, 0x100);
  bytes.writeUInt16LE(redirects ? 0x001d : 0x0001, 0x106);
  return bytes.toString('hex');
}

const bus = '/sys/bus/pci/devices';
const cpus = '/sys/devices/system/cpu';

interface PciCard {
  address: string;
  below: string[];
  class: string;
  vendor: string;
  driver: string;
  width?: number;
  speed?: string;
}

function cardFiles(cards: readonly PciCard[]): Pick<MachineFacts['files'], 'text' | 'links'> {
  const text: Record<string, string> = {};
  const links: Record<string, string> = {};
  for (const { address, below, class: code, vendor, driver, width = 16, speed = '32.0 GT/s PCIe' } of cards) {
    const at = `${bus}/${address}`;
    text[`${at}/class`] = `${code}\n`;
    text[`${at}/vendor`] = `${vendor}\n`;
    text[`${at}/device`] = '0x1234\n';
    text[`${at}/numa_node`] = '0\n';
    for (const which of ['current', 'max']) {
      text[`${at}/${which}_link_width`] = `${width}\n`;
      text[`${at}/${which}_link_speed`] = `${speed}\n`;
    }
    if (code.startsWith('0x0604')) text[`${at}/config`] = bridgeConfig(false);
    links[at] = `/sys/devices/pci0000:00/${[...below, address].join('/')}`;
    links[`${at}/driver`] = `/sys/bus/pci/drivers/${driver}`;
  }
  return { text, links };
}

const root = '0000:00:01.0';
const port = '0000:02:00.0';
const cards: PciCard[] = [
  { address: root, below: [], class: '0x060400', vendor: '0x1022', driver: 'pcieport' },
  { address: port, below: [root], class: '0x060400', vendor: '0x1000', driver: 'pcieport' },
  { address: '0000:03:00.0', below: [root, port], class: '0x030200', vendor: '0x10de', driver: 'nvidia' },
  { address: '0000:04:00.0', below: [root, port], class: '0x030200', vendor: '0x10de', driver: 'nvidia' },
  { address: '0000:05:00.0', below: [root, port], class: '0x020700', vendor: '0x15b3', driver: 'mlx5_core' },
  {
    address: '0000:41:00.0',
    below: [],
    class: '0x068000',
    vendor: '0x11c8',
    driver: 'dis_ix',
    speed: '8.0 GT/s PCIe',
  },
];

function networkFiles(): Record<string, string> {
  const text: Record<string, string> = {};
  for (const [name, state, mtu, speed, type] of [
    ['lo', 'unknown', 65536, null, 772],
    ['eno1', 'up', 1500, 1000, 1],
    ['ens1', 'up', 9000, 400_000, 1],
  ] as const) {
    const at = `/sys/class/net/${name}`;
    text[`${at}/operstate`] = `${state}\n`;
    text[`${at}/mtu`] = `${mtu}\n`;
    text[`${at}/type`] = `${type}\n`;
    if (speed !== null) text[`${at}/speed`] = `${speed}\n`;
  }
  return text;
}

const library = (name: string, path: string, symbols: string[] = []) => ({
  name,
  path,
  problem: '',
  buildId: 'c0ffee',
  bytes: 1000,
  sha256: '',
  symbols,
});

/**
 * A synthetic machine that passes every check: two GPUs, an RDMA adapter and a Dolphin adapter, configured as their
 * vendors' documentation requires. It was not recorded from a real machine; its files have the form of the kernel's.
 */
export function syntheticServer(): MachineFacts {
  const pci = cardFiles(cards);
  const ib = '/sys/class/infiniband/mlx5_0';
  const stat = (idle: number) =>
    `cpu  1000 0 1000 ${idle} 0 0 0 0 0 0\ncpu0 1000 0 1000 ${idle} 0 0 0 0 0 0\n`;
  return {
    files: {
      text: {
        ...pci.text,
        ...networkFiles(),
        '/etc/os-release': 'NAME="Rocky Linux"\nPRETTY_NAME="Rocky Linux 9.5 (Blue Onyx)"\n',
        '/proc/sys/kernel/hostname': 'made01\n',
        '/proc/sys/kernel/osrelease': '5.14.0-503.14.1.el9_5.x86_64\n',
        '/proc/sys/kernel/numa_balancing': '0\n',
        '/proc/cpuinfo': 'processor\t: 0\nmodel name\t: AMD EPYC 9454 48-Core Processor\nflags\t\t: fpu lm\n',
        '/proc/meminfo':
          'MemTotal:       528000000 kB\nMemFree:        500000000 kB\nMemAvailable:   510000000 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n',
        '/proc/stat': stat(100_000),
        '/proc/loadavg': '0.10 0.12 0.09 1/900 12345\n',
        '/proc/modules':
          'nvidia_peermem 16384 0 - Live 0x0\nnvidia 54000000 1 - Live 0x0\ndis_irm 1 0 - Live 0x0\n',
        '/proc/self/limits':
          'Limit                     Soft Limit           Hard Limit           Units     \nMax open files            65536                65536                files     \nMax locked memory         unlimited            unlimited            bytes     \n',
        '/proc/self/status': 'Name:\tcollbench-agent\nCpus_allowed_list:\t0-95\n',
        '/proc/self/cgroup': '0::/user.slice\n',
        '/sys/fs/cgroup/user.slice/cpu.max': 'max 100000\n',
        '/proc/net/route':
          'Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\nens1\t00000000\t0100000A\t0003\t0\t0\t100\t00000000\t0\t0\t0\n',
        '/proc/driver/nvidia/version':
          'NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release Build\n',
        '/proc/sys/net/core/rmem_max': '67108864\n',
        '/proc/sys/net/core/wmem_max': '67108864\n',
        '/proc/sys/net/core/somaxconn': '4096\n',
        '/proc/sys/net/ipv4/tcp_rmem': '4096\t131072\t67108864\n',
        '/proc/sys/net/ipv4/tcp_wmem': '4096\t16384\t67108864\n',
        '/proc/sys/net/ipv4/ip_local_port_range': '32768\t60999\n',
        [`${cpus}/online`]: '0-95\n',
        [`${cpus}/cpu0/topology/physical_package_id`]: '0\n',
        [`${cpus}/cpu48/topology/physical_package_id`]: '1\n',
        [`${cpus}/cpufreq/policy0/scaling_governor`]: 'performance\n',
        [`${cpus}/cpufreq/policy1/scaling_governor`]: 'performance\n',
        [`${cpus}/cpufreq/policy0/cpuinfo_max_freq`]: '3810000\n',
        [`${cpus}/cpufreq/boost`]: '0\n',
        '/sys/devices/system/clocksource/clocksource0/current_clocksource': 'tsc\n',
        '/sys/devices/system/node/online': '0-1\n',
        '/sys/kernel/mm/transparent_hugepage/enabled': 'always [madvise] never\n',
        '/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages': '0\n',
        '/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages': '0\n',
        '/sys/class/dmi/id/sys_vendor': 'Supermicro\n',
        '/sys/class/dmi/id/product_name': 'AS -4125GS-TNRT\n',
        '/sys/kernel/iommu_groups/0/type': 'identity\n',
        '/sys/kernel/iommu_groups/1/type': 'identity\n',
        [`${ib}/fw_ver`]: '28.39.1002\n',
        [`${ib}/ports/1/state`]: '4: ACTIVE\n',
        [`${ib}/ports/1/rate`]: '400 Gb/sec (4X NDR)\n',
        [`${ib}/ports/1/link_layer`]: 'InfiniBand\n',
      },
      links: {
        ...pci.links,
        '/sys/class/iommu/ivhd0': '/sys/devices/pci0000:00/0000:00:00.2/iommu/ivhd0',
        '/sys/class/net/ens1/device': '/sys/devices/pci0000:00/0000:00:01.0/0000:05:00.0',
        '/sys/class/net/ens1/device/driver': '/sys/bus/pci/drivers/mlx5_core',
        '/sys/class/net/eno1/device': '/sys/devices/pci0000:60/0000:61:00.0',
        [`${ib}/device`]: '/sys/devices/pci0000:00/0000:00:01.0/0000:05:00.0',
      },
      denied: [],
      cut: [],
      full: false,
    },
    live: {
      glibc: '2.34',
      shmBytes: 270e9,
      shmFreeBytes: 270e9,
      clockSynchronised: true,
      clockMaxErrorUs: 400,
      root: false,
      statLater: stat(101_900),
      environment: {},
    },
    nvml: {
      missing: '',
      driver: '570.86.15',
      gpus: ['0000:03:00.0', '0000:04:00.0'].map((address) => ({
        pci: address,
        name: 'NVIDIA H200',
        linkWidth: 16,
        linkWidthMax: 16,
        linkGeneration: 5,
        linkGenerationMax: 5,
        processes: 0,
        memoryBytes: 150e9,
        memoryUsedBytes: 0,
        persistence: 1,
        nvlinks: null,
        nvlinkMBps: null,
        nvlinkEnds: {},
      })),
    },
    libraries: [
      library('libnccl.so.2', '/usr/lib64/libnccl.so.2.28.9'),
      library('libnccl-net-x.so', '/usr/lib64/libnccl-net-x.so', ['ncclNetPlugin_v10', 'ncclNetPlugin_v6']),
      library('libsisci.so', '/opt/DIS/lib64/libsisci.so'),
      library('libibverbs.so.1', '/usr/lib64/libibverbs.so.1.14.51.0'),
      library('libmpi.so.40', '/usr/lib64/openmpi/lib/libmpi.so.40.30.4'),
    ],
  };
}

/** The synthetic server with some files replaced (null = removed), and further changes by `change`. */
export function alterServer(
  text: Record<string, string | null> = {},
  change: (facts: MachineFacts) => void = () => undefined,
): MachineFacts {
  const facts = syntheticServer();
  for (const [path, content] of Object.entries(text)) {
    if (content === null) delete facts.files.text[path];
    else facts.files.text[path] = content;
  }
  change(facts);
  return facts;
}
