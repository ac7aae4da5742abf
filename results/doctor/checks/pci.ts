import { type MachineReport, type PciDevice, pciName } from '../../machine/index.ts';
import {
  type DoctorCheck,
  error,
  isTransportRequested,
  listSome,
  note,
  ok,
  unknown,
  warning,
} from '../check.ts';

const isCard = ({ kind }: PciDevice) => kind === 'gpu' || kind === 'network' || kind === 'ntb';
/**
 * True for a card that moves data between ranks, so that the speed of its PCIe link matters: network and NTB adapters, GPUs of
 * NVIDIA and AMD. False for bridges and for the on-board graphics of a server.
 */
const movesData = (device: PciDevice) =>
  isCard(device) && !(device.kind === 'gpu' && !['0x10de', '0x1002'].includes(device.vendor));
const linked = ({ pci }: MachineReport) =>
  pci.filter((device) => movesData(device) && device.link.maxWidth !== null);
const hasDolphin = ({ pci }: MachineReport) => pci.some(({ vendor }) => vendor === '0x11c8');
const hasPeers = ({ pci }: MachineReport) =>
  pci.filter(movesData).length > 1 && pci.some(({ kind }) => kind === 'gpu');

const translated = (machine: MachineReport) =>
  Object.entries(machine.iommu.groups)
    .filter(([type]) => type.startsWith('DMA'))
    .reduce((sum, [, count]) => sum + count, 0);

const bootLine = 'intel_iommu=on (AMD: amd_iommu=on) on the kernel command line, VT-d or AMD-Vi in the BIOS';

export const pciChecks: DoctorCheck[] = [
  {
    id: 'iommu.sisci',
    title: 'IOMMU for DMA of registered memory',
    transports: ['sisci'],
    why: 'Without an IOMMU SISCI reports DMA of registered memory as done although nothing was moved.',
    look(machine, asked) {
      const isReal = hasDolphin(machine);
      if (!isReal && !isTransportRequested(asked, 'sisci')) return null;
      if (machine.iommu.state === 'on') return ok(`on, ${machine.iommu.units} units`);
      if (!isReal) return note(`${machine.iommu.state}; there is no Dolphin adapter, softntb needs none`);
      if (machine.iommu.state === 'unknown')
        return unknown('the kernel does not show it', 'mount sysfs at /sys');
      return error('off, and there is a Dolphin adapter', `boot with ${bootLine}`);
    },
  },
  {
    id: 'iommu.translation',
    title: 'IOMMU translating addresses of devices',
    transports: ['p2p', 'ib', 'ibgda'],
    why: 'With IOMMU translation, traffic between devices goes through the processor or fails.',
    look(machine) {
      if (!hasPeers(machine)) return null;
      const { state } = machine.iommu;
      if (state === 'unknown') return unknown('the kernel does not show it', 'mount sysfs at /sys');
      if (state === 'off') return ok('off');
      const count = translated(machine);
      if (count === 0) return ok('on, addresses pass through');
      if (machine.system.virtualization !== null) return note(`translates for ${count} groups, in a guest`);
      return warning(
        `translates for ${count} groups of devices`,
        'boot with iommu=pt on the kernel command line',
      );
    },
  },
  {
    id: 'pci.acs',
    title: 'ACS redirecting traffic between devices',
    transports: ['p2p', 'ib', 'ibgda', 'sisci'],
    why: 'With ACS redirect, a switch sends traffic between devices up to the processor and back.',
    look(machine) {
      if (!hasPeers(machine)) return null;
      const above = new Set(machine.pci.filter(movesData).flatMap(({ bridges }) => bridges));
      const bridges = machine.pci.filter(({ address }) => above.has(address));
      if (bridges.length === 0) return ok('no bridge above a card');
      const redirecting = bridges.filter(({ redirects }) => redirects === true);
      if (redirecting.length > 0) {
        const names = redirecting.map(({ address }) => address);
        return warning(
          `${names.length} bridges redirect: ${listSome(names, 2)}`,
          `as root, for each: setpci -s ${names[0]} ECAP_ACS+6.w=0000, or switch ACS off in the BIOS`,
        );
      }
      const hidden = bridges.filter(({ redirects }) => redirects === 'unknown').length;
      if (hidden === 0) return ok(`no redirect on ${bridges.length} bridges`);
      return unknown(
        `${hidden} bridges show their settings to root only`,
        'as root: lspci -vvv | grep ACSCtl, where ReqRedir+ or CmpltRedir+ is bad',
      );
    },
  },
  {
    id: 'pci.width',
    title: 'PCIe lanes in use compared with the card',
    transports: 'all',
    why: 'Bandwidth is proportional to lanes: x4 carries a quarter of x16.',
    look(machine) {
      const cards = linked(machine);
      if (cards.length === 0) return null;
      const dark = cards.filter(({ link }) => link.width === null);
      const narrow = cards.filter(({ link }) => link.width !== null && link.width < (link.maxWidth ?? 0));
      const text = (card: PciDevice) => `${pciName(card)} at x${card.link.width} of x${card.link.maxWidth}`;
      if (narrow.length > 0) {
        return warning(
          listSome(narrow.map(text), 2),
          'reseat the card in a slot with all lanes; check bifurcation in the BIOS and risers',
        );
      }
      if (dark.length > 0) {
        return unknown(
          `no width reported by ${listSome(dark.map(pciName), 2)}`,
          'as root: lspci -vv, line LnkSta',
        );
      }
      return ok(`${cards.length} cards with all their lanes`);
    },
  },
  {
    id: 'pci.speed',
    title: 'PCIe speed per lane compared with the card',
    transports: 'all',
    why: 'Each lower generation halves the bandwidth.',
    look(machine) {
      const cards = linked(machine).filter(({ link }) => link.maxSpeedGTs !== null);
      if (cards.length === 0) return null;
      const slow = cards.filter(
        ({ link }) => link.speedGTs !== null && link.speedGTs < (link.maxSpeedGTs ?? 0),
      );
      const text = (card: PciDevice) =>
        `${pciName(card)} at ${card.link.speedGTs} of ${card.link.maxSpeedGTs} GT/s`;
      const fixed = slow.filter(({ kind }) => kind !== 'gpu');
      if (fixed.length > 0) {
        return warning(
          listSome(fixed.map(text), 2),
          'set the link speed of the slot to Auto or its maximum in the BIOS; reseat the card',
        );
      }
      if (slow.length > 0) return note(`${listSome(slow.map(text), 2)}: idle GPUs save power this way`);
      if (cards.some(({ link }) => link.speedGTs === null)) {
        return unknown('not reported by all cards', 'as root: lspci -vv, line LnkSta');
      }
      return ok(`${cards.length} cards at full speed`);
    },
  },
];
