import { type FlagLevel, transportRow } from '../../schema/index.ts';
import { percentText } from '../../units.ts';
import type { HostCell } from './host-cell.ts';
import { gpu, networkInterface, rdmaPort } from './names.ts';

/** A rule that warns about a measurement (adds a flag) because of its host's load, such as a busy CPU or a throttled GPU. */
export interface LoadFlag {
  /** Short name of the warning: "cpu-busy". It does not change between versions of collbench. */
  flag: string;
  /** Explanation of the flag for readers of reports. */
  meaning: string;
  /**
   * Limit from which on the warning is given, as text. It applies to the readings during the measurement and the ones just before
   * and after it.
   */
  limit: string;
  /** Reference to the documentation of the counter or sensor that the rule reads. */
  source: string;
  /**
   * Returns what was observed, with numbers and limit, if this measurement is doubtful; otherwise null. A plain string has the
   * level that flagLevelOf() gives to the flag.
   */
  find(cell: HostCell): string | { text: string; level: FlagLevel } | null;
}

/**
 * Bits of nvmlClocksEventReasons that mean a GPU was slowed down. Bits for idle GPUs and for clocks set by the user are left out.
 */
const throttleReasons: readonly (readonly [number, string])[] = [
  [0x04, 'power cap'],
  [0x08, 'hardware slowdown'],
  [0x20, 'software thermal slowdown'],
  [0x40, 'hardware thermal slowdown'],
  [0x80, 'power brake'],
];
/** A GPU whose mean SM clock is below this share of its highest clock in the run gets a flag: it was ramping up or slowed down. */
const minClockShare = 0.9;
/** Lowest number of migrated pages (4 KiB each, so 1 MiB together) that gives a flag; fewer do not disturb. */
const minMigratedPages = 256;
/**
 * Lowest number of cores used by other processes that gives a flag, if every core has a rank. If cores are free of ranks, the limit
 * is `freeShare` of their number, if this is higher.
 */
const minCompetingCores = 0.2;
const freeShare = 0.5;
export const competingLimit = (cores: number, ranks: number): number =>
  Math.max(minCompetingCores, freeShare * (cores - ranks));
const stolenLimit = 0.01;
const quotaLimit = 0.01;

/**
 * Lowest number of events (such as retransmits) per timed operation that gives a flag of the level `note`, and of the level
 * `disturbs`. An event disturbs a single operation. One event in twenty operations moves the median by 2.5 % of the sorted samples,
 * half of the uncertainty of a usual launch. One in a hundred is not visible. Measured on two cores with another busy process: 0.3
 * to 2 retransmits in 1,000 operations over the loopback; none moved a figure.
 */
const minPerOperation = { note: 0.01, disturbs: 0.05 };

/** Counters of mlx5 ports that grow when a packet is lost and must be sent again. */
const rdmaAgain = ['outOfSequence', 'packetSequenceErrors', 'ackTimeouts', 'adaptiveRetransmits'];
const gpuErrors = ['pcieReplays', 'nvlinkCrcDataErrors', 'nvlinkReplays', 'nvlinkRecoveries'];

/**
 * All rules that mark a result with a warning (flag) because of system load. Tests loop over the list, so that each rule is tested.
 */
export const loadFlags: readonly LoadFlag[] = [
  {
    flag: 'throttled',
    meaning: 'a GPU was slowed down by heat or power',
    limit: 'any reading with one of the reasons power cap, hardware slowdown, thermal slowdown, power brake',
    source: 'NVML API reference, nvmlClocksEventReasons',
    find: (cell) =>
      firstText(cell, gpu, 'throttleReasons', (object, { max }) => {
        const named = throttleReasons.filter(([bit]) => (max & bit) !== 0).map(([, name]) => name);
        return named.length === 0 ? null : `${object} was slowed down (${named.join(', ')})`;
      }),
  },
  {
    flag: 'clock-ramp',
    meaning: 'a GPU ran below 90 % of the highest clock of its run',
    limit: 'mean SM clock below 90 % of its highest value of the run',
    source: 'NVML API reference, nvmlDeviceGetClockInfo, NVML_CLOCK_SM',
    find: (cell) =>
      firstText(cell, gpu, 'smClockMHz', (object, { mean }) => {
        const top = cell.highest(object, 'smClockMHz');
        if (!(mean < minClockShare * top)) return null;
        return `the SM clock of ${object} was ${Math.round(mean)} MHz on average, its highest was ${top} MHz`;
      }),
  },
  {
    flag: 'link-downgraded',
    meaning: 'a PCIe link ran slower or narrower than both ends can',
    limit: 'no reading at the speed and width that both ends can do',
    source: 'Linux Documentation/ABI/testing/sysfs-bus-pci, current_link_speed and max_link_speed',
    find: (cell) => {
      for (const [now, most, unit] of [
        ['linkSpeedMTps', 'maxLinkSpeedMTps', 'MT/s'],
        ['linkWidth', 'maxLinkWidth', 'lanes'],
      ] as const) {
        const found = firstText(cell, /^pci/, now, (object, { max }) => {
          const top = cell.stats(object, most)?.max;
          // Idle links save power. A link counts as downgraded only if no reading during the measurement or next to it had its best
          // rate.
          if (top === undefined || !(max < top)) return null;
          return `the link of ${object} ran at ${max} ${unit}, it can do ${top}`;
        });
        if (found !== null) return found;
      }
      return null;
    },
  },
  {
    flag: 'cpu-busy',
    meaning: 'other processes took processor time from the ranks',
    limit:
      '20 % of one core, or half of the cores that ranks may run on and have none where that is more; time between blocks counts as ours',
    source: 'Linux Documentation/filesystems/proc.rst, /proc/stat',
    find: (cell) => {
      const { competingCores, cores, allCores } = cell;
      const ranks = cell.at.ranks + cell.at.besideRanks;
      const limit = competingLimit(cores, ranks);
      if (competingCores === null || competingCores < limit) return null;
      return `other processes kept at least ${competingCores.toFixed(2)} of ${cores} cores${cores < allCores ? ' that ranks may use' : ''} busy beside ${ranks} ranks, the limit is ${limit.toFixed(2)}`;
    },
  },
  {
    flag: 'cpu-stolen',
    meaning: 'the hypervisor gave processor time to others',
    limit: '1 % of the time of all cores',
    source: 'Linux Documentation/filesystems/proc.rst, /proc/stat, steal',
    find: (cell) => {
      const share = cell.cpuShare(['steal']);
      if (share === null || share < stolenLimit) return null;
      return `the hypervisor took ${percentText(share)} of the processor time, the limit is ${percentText(stolenLimit)}`;
    },
  },
  {
    flag: 'cpu-quota',
    meaning: 'a quota of a control group (container, job) kept the ranks from running',
    limit: '1 % of the time of as many cores as there are ranks',
    source: 'Linux Documentation/admin-guide/cgroup-v2.rst, cpu.stat, throttled_usec',
    find: (cell) => {
      const share = cell.throttledShare;
      if (share === null || share < quotaLimit) return null;
      return `a quota of processor time kept processes from running for ${percentText(share)} of the time of ${cell.at.ranks} cores, the limit is ${percentText(quotaLimit)}; give the container or job as many CPUs as ranks and one more`;
    },
  },
  {
    flag: 'swap',
    meaning: 'the machine swapped',
    limit: 'one page',
    source: 'Linux proc(5), /proc/vmstat, pswpin and pswpout',
    find: (cell) => growthText(cell, /^vmstat$/, ['pswpin', 'pswpout'], 1, 'pages were swapped'),
  },
  {
    flag: 'retransmits',
    meaning: 'TCP segments or RDMA packets were sent again',
    limit:
      'one in 100 operations, and in 20 to speak against the figure; TCP segments where the transport is TCP, RDMA packets where it may be RDMA',
    source: 'RFC 4022, tcpRetransSegs; Linux Documentation/ABI/stable/sysfs-class-infiniband, hw_counters',
    find: (cell) =>
      overTcp.includes(nameOf(cell.at.transport))
        ? perOperationText(cell, /^tcp$/, ['retransSegs'], 'TCP segments were sent again')
        : overRdma.includes(nameOf(cell.at.transport))
          ? perOperationText(cell, rdmaPort, rdmaAgain, 'RDMA packets were sent again or came out of order')
          : null,
  },
  {
    flag: 'link-errors',
    meaning: 'a network port, PCIe or NVLink link reported errors',
    limit: 'one error',
    source:
      'Linux Documentation/ABI/testing/sysfs-bus-pci-devices-aer_stats; NVML API reference, NVLink error counters',
    find: (cell) =>
      growthText(
        cell,
        /^pci\./,
        ['aerCorrectable', 'aerNonfatal', 'aerFatal'],
        1,
        'PCIe errors were reported',
      ) ??
      growthText(cell, gpu, gpuErrors, 1, 'PCIe replays or NVLink errors were reported') ??
      growthText(
        cell,
        rdmaPort,
        ['symbolErrors', 'linkRecoveries', 'rxErrors'],
        1,
        'RDMA port errors were reported',
      ) ??
      growthText(
        cell,
        networkInterface,
        ['rxErrors', 'txErrors'],
        1,
        'packets with errors passed an interface',
      ),
  },
  {
    flag: 'page-migrations',
    meaning: 'the kernel moved pages between memories',
    limit: '256 pages',
    source: 'Linux Documentation/mm/page_migration.rst, pgmigrate_success',
    find: (cell) => growthText(cell, /^vmstat$/, ['pgmigrateSuccess'], minMigratedPages, 'pages were moved'),
  },
];

export const loadFlagMeanings: Record<string, string> = Object.fromEntries(
  loadFlags.map(({ flag, meaning }) => [flag, meaning]),
);

/**
 * Returns the first text that `say` gives for one of the host's devices; null if it gives none.
 * @param objects pattern of device names such as "gpu0"
 * @param say called with a device's name and its statistics of `quantity`; returns null if there is nothing to report
 */
function firstText(
  cell: HostCell,
  objects: RegExp,
  quantity: string,
  say: (object: string, stats: NonNullable<ReturnType<HostCell['stats']>>) => string | null,
): string | null {
  for (const object of cell.objects(objects)) {
    const stats = cell.stats(object, quantity);
    const said = stats === null ? null : say(object, stats);
    if (said !== null) return said;
  }
  return null;
}

/** Transports over TCP. Only for these do TCP retransmits of the host count; `overRdma` lists those for RDMA counters. */
const overTcp = ['socket', 'ucx'];
const overRdma = ['ib', 'ibgda', 'plugin'];
const nameOf = (transport: string): string => transportRow(transport)?.name ?? transport;

/**
 * Returns a text such as "12 packets sent again in 1000 operations, the limit is 1 %", with the level of the flag; null if the
 * events per operation are below the limit of a note.
 * @param objects pattern of device names such as "gpu0"
 * @param quantities names of the counters, whose growth is added up
 * @param what name of the events in the text: "packets sent again"
 */
function perOperationText(cell: HostCell, objects: RegExp, quantities: readonly string[], what: string) {
  const { operations } = cell.at;
  const share = operations === 0 ? 0 : sumOf(cell, objects, quantities) / operations;
  if (share < minPerOperation.note) return null;
  const level: FlagLevel = share < minPerOperation.disturbs ? 'note' : 'disturbs';
  const text = `${Math.round(sumOf(cell, objects, quantities))} ${what} in ${operations} operations, the limit is ${percentText(minPerOperation[level])}`;
  return { text, level };
}

/**
 * Returns a text if counters, such as those of errors, grew by `least` or more in sum during the measurement; otherwise null.
 * Growth between two readings is divided in proportion to time.
 * @param objects pattern of device names such as "gpu0"
 * @param quantities names of the counters
 * @param what name of the counted events in the text
 */
function growthText(
  cell: HostCell,
  objects: RegExp,
  quantities: readonly string[],
  least: number,
  what: string,
): string | null {
  const sum = sumOf(cell, objects, quantities);
  return sum < least ? null : `${Math.round(sum)} ${what}, the limit is ${least}`;
}

function sumOf(cell: HostCell, objects: RegExp, quantities: readonly string[]): number {
  let sum = 0;
  for (const object of cell.objects(objects)) {
    for (const quantity of quantities) sum += cell.stats(object, quantity)?.delta ?? 0;
  }
  return sum;
}
