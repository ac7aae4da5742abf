import { baseName, type FileTree, wholeNumber } from './tree.ts';

export interface NetworkInterface {
  name: string;
  /** State of the interface in sysfs (operstate): up, down, unknown (lo). */
  state: string;
  mtuBytes: number | null;
  speedMbps: number | null;
  driver: string | null;
  /** PCI address of the interface's card; null if it has none: lo, bridges, veth, virtio without PCI. */
  pci: string | null;
  isLoopback: boolean;
  isWireless: boolean;
}

export interface RdmaPort {
  device: string;
  port: number;
  isActive: boolean;
  /** State of the RDMA port: "ACTIVE" for the kernel's text "4: ACTIVE". */
  state: string;
  rateGbps: number | null;
  linkLayer: string;
  firmware: string | null;
  pci: string | null;
}

export interface NetworkFacts {
  interfaces: NetworkInterface[];
  /**
   * Name of the interface of the default route; if there are several routes, that of the one with the lowest metric. Null if there
   * is none.
   */
  defaultRoute: string | null;
  /**
   * Values of kernel settings as text, by name: "net.core.rmem_max". Several values are separated by blanks. Only settings that
   * the agent read are there.
   */
  sysctls: Record<string, string>;
}

const cards = '/sys/class/net';
const loopbackType = 772; // ARPHRD_LOOPBACK

/**
 * Returns the name of the interface of the IPv4 default route that is up, from the text of /proc/net/route; of several routes the
 * one with the lowest metric counts. The socket transport of collbench uses the same rule. Null if there is none.
 */
export function defaultRouteOf(table: string | null): string | null {
  let best: { name: string; metric: number } | null = null;
  for (const line of (table ?? '').split('\n').slice(1)) {
    const [name, destination, , flags, , , metric, mask] = line.trim().split(/\s+/);
    const cost = wholeNumber(metric);
    if (!name || destination !== '00000000' || mask !== '00000000' || cost === null) continue;
    if ((Number.parseInt(flags ?? '0', 16) & 1) === 0) continue;
    if (best === null || cost < best.metric) best = { name, metric: cost };
  }
  return best?.name ?? null;
}

export function networkOf(tree: FileTree): NetworkFacts {
  const interfaces = tree.names(cards).flatMap((name) => {
    const at = `${cards}/${name}`;
    const state = tree.text(`${at}/operstate`);
    if (state === null) return [];
    const speed = tree.number(`${at}/speed`);
    const driver = tree.link(`${at}/device/driver`);
    const address = /[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]/g;
    return [
      {
        name,
        state,
        mtuBytes: tree.number(`${at}/mtu`),
        speedMbps: speed !== null && speed > 0 ? speed : null,
        driver: driver === null ? null : baseName(driver),
        pci: tree.link(`${at}/device`)?.match(address)?.at(-1) ?? null,
        isLoopback: tree.number(`${at}/type`) === loopbackType || name === 'lo',
        isWireless: tree.has(`${at}/phy80211`),
      },
    ];
  });
  const sysctls = Object.fromEntries(
    tree
      .below('/proc/sys')
      .map(([path, text]) => [
        path.slice('/proc/sys/'.length).replaceAll('/', '.'),
        text.trim().replaceAll('\t', ' '),
      ]),
  );
  return { interfaces, defaultRoute: defaultRouteOf(tree.text('/proc/net/route')), sysctls };
}

export function rdmaOf(tree: FileTree): RdmaPort[] {
  const devices = '/sys/class/infiniband';
  return tree.names(devices).flatMap((device) =>
    tree.names(`${devices}/${device}/ports`).flatMap((name) => {
      const at = `${devices}/${device}/ports/${name}`;
      const state = tree.text(`${at}/state`);
      if (state === null) return [];
      const rate = Number.parseFloat(tree.text(`${at}/rate`) ?? '');
      const place = tree.link(`${devices}/${device}/device`);
      return [
        {
          device,
          port: wholeNumber(name) ?? 0,
          isActive: /ACTIVE/.test(state),
          state: state.replace(/^\d+: */, ''),
          rateGbps: Number.isFinite(rate) ? rate : null,
          linkLayer: tree.text(`${at}/link_layer`) ?? 'unknown',
          firmware: tree.text(`${devices}/${device}/fw_ver`),
          pci: place === null ? null : baseName(place),
        },
      ];
    }),
  );
}
