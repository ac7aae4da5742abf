import { baseName, type FileTree } from './tree.ts';

/** Kind of a PCI device. ntb: non-transparent bridge, which joins the PCIe of two hosts. */
export type PciKind = 'gpu' | 'network' | 'ntb' | 'accelerator' | 'bridge' | 'other';

export interface PciLink {
  width: number | null;
  maxWidth: number | null;
  /**
   * Present speed per lane in GT/s: 16 for "16.0 GT/s PCIe". Null if not known. `maxSpeedGTs`: highest speed that the device
   * supports; `width`, `maxWidth`: number of lanes, in the same way.
   */
  speedGTs: number | null;
  maxSpeedGTs: number | null;
}

export interface PciDevice {
  /** PCI address: "0000:17:00.0". */
  address: string;
  kind: PciKind;
  /** Vendor id: "0x10de"; `device` is the device id: "0x2335". */
  vendor: string;
  device: string;
  driver: string | null;
  numaNode: number | null;
  link: PciLink;
  /** PCI addresses of the bridges from the processor to the device; the last one is nearest to the device. */
  bridges: string[];
  /**
   * True if access control services (ACS) send traffic between two devices up to the processor instead of directly. Null = the
   * device has no ACS; `unknown` = its configuration space could not be read.
   */
  redirects: boolean | null | 'unknown';
}

export const vendorNames: Record<string, string> = {
  '0x10de': 'NVIDIA',
  '0x1002': 'AMD',
  '0x8086': 'Intel',
  '0x15b3': 'Mellanox',
  '0x14e4': 'Broadcom',
  '0x11c8': 'Dolphin',
  '0x1000': 'Broadcom PLX',
  '0x10b5': 'PLX',
  '0x11f8': 'Microchip',
  '0x1d0f': 'Amazon',
  '0x1af4': 'virtio',
};

const folder = '/sys/bus/pci/devices';
/** PCI vendor id of Dolphin cards. Other NTB devices are found by base class 06, subclass 80. */
const dolphin = '0x11c8';

function kindOf(code: string, vendor: string): PciKind {
  if (vendor === dolphin || /^0x0680/.test(code)) return 'ntb';
  if (/^0x03/.test(code)) return 'gpu';
  if (/^0x02|^0x0c06/.test(code)) return 'network';
  if (/^0x12/.test(code)) return 'accelerator';
  return /^0x0604/.test(code) ? 'bridge' : 'other';
}

/** Returns the speed in GT/s from a text such as "16.0 GT/s PCIe"; null for "Unknown", which virtual devices have. */
function speed(text: string | null): number | null {
  const match = /^(\d+(?:\.\d+)?) GT\/s/.exec(text ?? '');
  return match === null ? null : Number(match[1]);
}

/**
 * Returns `width`, the number of lanes; null if it is not known, below 1 or above 32. The kernel shows 0 or 255 if there is no
 * link.
 */
const lanes = (width: number | null): number | null =>
  width === null || width <= 0 || width > 32 ? null : width;

const acsCapability = 0x000d;
const extended = 0x100;

/**
 * Returns whether access control services (ACS) redirect traffic (PCIe base specification 7.7.11), from the device's configuration
 * space. Bit 2 of the control register redirects requests, bit 3 completions. Null if the device has no ACS.
 * @param hex configuration space in hexadecimal; null = missing. Users other than root get only 64 bytes from the kernel: the
 * result is then 'unknown'
 */
export function redirectsOf(hex: string | null): PciDevice['redirects'] {
  if (hex === null || hex.length <= 2 * 64) return 'unknown';
  const bytes = Buffer.from(hex, 'hex');
  const seen = new Set<number>();
  for (let at = extended; at >= extended && at + 8 <= bytes.length && !seen.has(at); ) {
    seen.add(at);
    const head = bytes.readUInt32LE(at);
    if (head === 0 || head === 0xffffffff) return null;
    if ((head & 0xffff) === acsCapability) return (bytes.readUInt16LE(at + 6) & 0b1100) !== 0;
    at = head >>> 20;
  }
  return null;
}

/**
 * Returns the PCI devices whose files the agent read: devices that move data, and the bridges between these and the processor.
 * Empty if the agent read none.
 */
export function pciOf(tree: FileTree): PciDevice[] {
  return tree.names(folder).flatMap((address) => {
    const at = `${folder}/${address}`;
    const code = tree.text(`${at}/class`);
    const vendor = tree.text(`${at}/vendor`);
    if (code === null || vendor === null) return [];
    const node = tree.number(`${at}/numa_node`);
    const driver = tree.link(`${at}/driver`);
    const place = tree.link(at)?.split('/') ?? [];
    return [
      {
        address,
        kind: kindOf(code, vendor),
        vendor,
        device: tree.text(`${at}/device`) ?? '',
        driver: driver === null ? null : baseName(driver),
        numaNode: node === null || node < 0 ? null : node,
        link: {
          width: lanes(tree.number(`${at}/current_link_width`)),
          maxWidth: lanes(tree.number(`${at}/max_link_width`)),
          speedGTs: speed(tree.text(`${at}/current_link_speed`)),
          maxSpeedGTs: speed(tree.text(`${at}/max_link_speed`)),
        },
        bridges: place.filter((part) => part !== address && /^[0-9a-f]{4}:[0-9a-f]{2}:/.test(part)),
        redirects: redirectsOf(tree.text(`${at}/config`)),
      },
    ];
  });
}

/** Returns the name of a device for readers: "NVIDIA GPU 0000:17:00.0". A vendor without a known name has its id: "0x1234". */
export function pciName({ kind, vendor, address }: PciDevice): string {
  const kinds: Record<PciKind, string> = {
    gpu: 'GPU',
    network: 'adapter',
    ntb: 'NTB adapter',
    accelerator: 'accelerator',
    bridge: 'bridge',
    other: 'device',
  };
  return `${vendorNames[vendor] ?? vendor} ${kinds[kind]} ${address}`;
}
