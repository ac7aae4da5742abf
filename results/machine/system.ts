import { baseName, type FileTree } from './tree.ts';

export interface SystemFacts {
  hostname: string | null;
  os: string | null;
  kernel: string | null;
  vendor: string | null;
  product: string | null;
  bios: string | null;
  /** Name of the hypervisor, or "virtual machine" if CPU flags show that there is one but not which. Null = none detected. */
  virtualization: string | null;
  /** Container runtime: "kubernetes", "docker", "podman", "systemd-nspawn" ...; null = none detected. */
  container: string | null;
  /** True if a pod of Kubernetes uses the network of its machine; null if this is no pod, or if it is not known. */
  hostNetwork: boolean | null;
  /** The kernel's command line, as far as its options can influence performance: words separated by blanks; null = not known. */
  kernelWords: string | null;
  /** Names of the loaded kernel modules, and of GPU, RDMA and NTB drivers that may be built into the kernel. */
  modules: string[];
}

export interface IommuFacts {
  /** State of the IOMMU. off: the kernel shows neither IOMMU units nor groups. unknown: /sys could not be read. */
  state: 'on' | 'off' | 'unknown';
  units: number;
  /**
   * Number of IOMMU groups by domain type. In groups of type "identity" addresses are not translated. `units`: number of IOMMU
   * units.
   */
  groups: Record<string, number>;
}

export interface NvidiaDriver {
  release: string | null;
  /** True if the driver has NVIDIA's open kernel modules, which are needed for dma-buf. */
  isOpen: boolean;
}

function virtualizationOf(tree: FileTree, vendor: string, product: string): string | null {
  if (!/^flags\s*:.*\bhypervisor\b/m.test(tree.text('/proc/cpuinfo') ?? '')) return null;
  const names: [RegExp, string][] = [
    [/QEMU|KVM/i, 'QEMU/KVM'],
    [/VMware/i, 'VMware'],
    [/Microsoft/i, 'Hyper-V'],
    [/Xen/i, 'Xen'],
    [/VirtualBox|innotek/i, 'VirtualBox'],
    [/Amazon EC2/i, 'Amazon EC2'],
    [/Google/i, 'Google Compute Engine'],
  ];
  return names.find(([pattern]) => pattern.test(`${vendor} ${product}`))?.[1] ?? 'virtual machine';
}

/**
 * File that shows a pod of Kubernetes. The agent stores it only in a pod, and of it only the first line, which the kubelet writes:
 * "# Kubernetes-managed hosts file (host network).", the part in parentheses only if the pod uses the machine's network.
 */
const podHosts = '/etc/hosts';

function containerOf(tree: FileTree): string | null {
  if (tree.text(podHosts) !== null) return 'kubernetes';
  const named = tree.text('/run/systemd/container');
  if (named) return named;
  if (tree.has('/.dockerenv')) return 'docker';
  return tree.has('/run/.containerenv') ? 'podman' : null;
}

export function systemOf(tree: FileTree): SystemFacts {
  const dmi = (name: string) => tree.text(`/sys/class/dmi/id/${name}`)?.trim() || null;
  const vendor = dmi('sys_vendor');
  const product = dmi('product_name');
  const os = /^PRETTY_NAME="?([^"\n]*)"?$/m.exec(tree.text('/etc/os-release') ?? '')?.[1];
  const listed = (tree.text('/proc/modules') ?? '').split('\n').map((line) => line.split(' ')[0] as string);
  return {
    hostname: tree.text('/proc/sys/kernel/hostname'),
    os: os ?? null,
    kernel: tree.text('/proc/sys/kernel/osrelease'),
    vendor,
    product,
    bios: dmi('bios_version'),
    virtualization: virtualizationOf(tree, vendor ?? '', product ?? ''),
    container: containerOf(tree),
    hostNetwork: tree.text(podHosts)?.includes('host network') ?? null,
    kernelWords: tree.text('/proc/cmdline'),
    modules: [...new Set([...listed.filter((name) => name !== ''), ...tree.names('/sys/module')])].sort(),
  };
}

export function iommuOf(tree: FileTree): IommuFacts {
  const units = tree.names('/sys/class/iommu').length;
  const groups: Record<string, number> = {};
  for (const group of tree.names('/sys/kernel/iommu_groups')) {
    const type = tree.text(`/sys/kernel/iommu_groups/${group}/type`) ?? 'unknown';
    groups[type] = (groups[type] ?? 0) + 1;
  }
  const isOn = units > 0 || Object.keys(groups).length > 0;
  return { state: isOn ? 'on' : tree.has('/sys') ? 'off' : 'unknown', units, groups };
}

/**
 * Returns facts about the NVIDIA driver; null if its kernel module is not loaded. `release`: version as text; null if it cannot
 * be parsed.
 */
export function nvidiaOf(tree: FileTree): NvidiaDriver | null {
  const text = tree.text('/proc/driver/nvidia/version');
  if (text === null) return null;
  return {
    release: /(?:Kernel Module(?: for \S+)?) +(\d+(?:\.\d+)+)/.exec(text)?.[1] ?? null,
    isOpen: /Open Kernel Module/.test(text),
  };
}

/**
 * Returns the paths of device files of NVIDIA GPUs (/dev/nvidia0) and of RDMA adapters (/dev/infiniband/...). In a container only
 * those that it was given exist. Empty if there are none.
 */
export const deviceFilesOf = (tree: FileTree): string[] => [
  ...tree
    .names('/dev')
    .filter((name) => /^nvidia\d+$/.test(name))
    .map((name) => `/dev/${name}`),
  ...tree.names('/dev/infiniband').map((name) => `/dev/infiniband/${name}`),
];

/**
 * Returns the names of the NTB devices (non-transparent bridges) that the kernel's own NTB drivers show; empty if there are none.
 */
export const ntbOf = (tree: FileTree): string[] => tree.names('/sys/bus/ntb/devices').map(baseName);
