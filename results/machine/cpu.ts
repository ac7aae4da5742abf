import { countOfList, type FileTree, wholeNumber } from './tree.ts';

export interface CpuFacts {
  model: string | null;
  /** Number of hardware threads (logical CPUs) that are online; null = not known. */
  online: number | null;
  /** Number of hardware threads on which the agent process may run; null = not known. */
  allowed: number | null;
  sockets: number | null;
  /** True if a core runs two hardware threads or more; null = not known. */
  smt: boolean | null;
  /**
   * Number of cpufreq policies (sets of CPUs with a common frequency) by the name of their governor. Empty if the kernel does not
   * control CPU frequencies on this machine.
   */
  governors: Record<string, number>;
  turbo: boolean | null;
  maxMHz: number | null;
  clocksource: string | null;
  isolated: string | null;
  /**
   * CPU time that the control groups of the agent process allow, in CPUs: 1.5 = one and a half CPUs; `unlimited` without a quota.
   * Null = not known.
   */
  quotaCpus: number | 'unlimited' | null;
  load1: number | null;
  /**
   * Share of time in which the machine's CPUs were busy while the report was made (0.2 s), 0 to 1; waiting for disks does not
   * count, time taken by the hypervisor does. `stealShare`: share of time, 0 to 1, that the hypervisor gave to other machines.
   * Null = not known.
   */
  busyShare: number | null;
  stealShare: number | null;
}

const cpus = '/sys/devices/system/cpu';

function governorsOf(tree: FileTree): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const policy of tree.names(`${cpus}/cpufreq`)) {
    const governor = tree.text(`${cpus}/cpufreq/${policy}/scaling_governor`);
    if (governor !== null) counts[governor] = (counts[governor] ?? 0) + 1;
  }
  return counts;
}

function turboOf(tree: FileTree): boolean | null {
  const off = tree.number(`${cpus}/intel_pstate/no_turbo`);
  if (off !== null) return off === 0;
  const boost = tree.number(`${cpus}/cpufreq/boost`);
  return boost === null ? null : boost === 1;
}

/**
 * Returns the lowest CPU quota, in CPUs, of the agent's control group and the groups above it; `unlimited` without a quota; null
 * if the groups are not known.
 */
function quotaOf(tree: FileTree): number | 'unlimited' | null {
  if (tree.text('/proc/self/cgroup') === null) return null;
  const quotas: number[] = [];
  for (const [path, text] of tree.below('/sys/fs/cgroup')) {
    if (path.endsWith('/cpu.max')) {
      const [quota, period] = text.split(' ').map((word) => wholeNumber(word));
      if (quota && period) quotas.push(quota / period);
    } else if (path.endsWith('/cpu.cfs_quota_us')) {
      const quota = wholeNumber(text);
      const period = tree.number(path.replace('quota_us', 'period_us'));
      if (quota !== null && quota > 0 && period) quotas.push(quota / period);
    }
  }
  return quotas.length === 0 ? 'unlimited' : Math.min(...quotas);
}

/**
 * Returns clock ticks since boot from one line of /proc/stat: total, idle (waiting for disks included), and stolen by the
 * hypervisor. Null if the text has no such line, or one without numbers.
 * @param stat content of /proc/stat
 * @param cpu first word of the line: "cpu" for all CPUs together, or "cpu3"
 */
function ticks(stat: string, cpu: string): { total: number; idle: number; steal: number } | null {
  const line = new RegExp(`^${cpu} +([\\d ]+)$`, 'm').exec(stat)?.[1];
  const fields = line?.trim().split(' ').slice(0, 8).map(Number) ?? [];
  if (fields.length < 4 || fields.some((field) => !Number.isSafeInteger(field))) return null;
  const [, , , idle = 0, iowait = 0, , , steal = 0] = fields;
  return { total: fields.reduce((a, b) => a + b, 0), idle: idle + iowait, steal };
}

function sharesOf(
  before: string | null,
  after: string | null,
  cpu = 'cpu',
): { busy: number; steal: number } | null {
  const [a, b] = [ticks(before ?? '', cpu), ticks(after ?? '', cpu)];
  if (a === null || b === null || b.total <= a.total) return null;
  const total = b.total - a.total;
  const idle = (b.idle - a.idle) / total;
  const steal = (b.steal - a.steal) / total;
  // The kernel's counters of idle time may decrease; the shares are then not known.
  if (idle < 0 || steal < 0 || idle + steal > 1) return null;
  return { busy: 1 - idle, steal };
}

/**
 * Returns the share of time, 0 to 1, in which a CPU was busy between two contents of /proc/stat; null = not known, because a
 * content lacks this CPU, no time passed, or counters decreased.
 * @param cpu number of the CPU
 */
export const busyShareOf = (cpu: number, before: string, after: string): number | null =>
  sharesOf(before, after, `cpu${cpu}`)?.busy ?? null;

/**
 * Returns the CPU facts of a machine; a fact whose file is missing in `tree` is null (`governors`: empty).
 * @param statLater /proc/stat, read some time after the one in `tree`; null = not read, so that busy shares are not known
 */
export function cpuOf(tree: FileTree, statLater: string | null): CpuFacts {
  const info = tree.text('/proc/cpuinfo') ?? '';
  const named = (field: string) => new RegExp(`^${field}\\s*: (.*)$`, 'm').exec(info)?.[1] ?? null;
  const shares = sharesOf(tree.text('/proc/stat'), statLater);
  const packages = tree
    .names(cpus)
    .map((name) => tree.text(`${cpus}/${name}/topology/physical_package_id`))
    .filter((id) => id !== null);
  const limits = tree
    .names(`${cpus}/cpufreq`)
    .map((policy) => tree.number(`${cpus}/cpufreq/${policy}/cpuinfo_max_freq`))
    .filter((kHz) => kHz !== null);
  const smt = tree.number(`${cpus}/smt/active`);
  const load = Number.parseFloat(tree.text('/proc/loadavg') ?? '');
  return {
    model: named('model name') ?? named('Model') ?? named('CPU part'),
    online: countOfList(tree.text(`${cpus}/online`)),
    allowed: countOfList(
      /^Cpus_allowed_list:\s*(\S+)$/m.exec(tree.text('/proc/self/status') ?? '')?.[1] ?? null,
    ),
    sockets: packages.length === 0 ? null : new Set(packages).size,
    smt: smt === null ? null : smt === 1,
    governors: governorsOf(tree),
    turbo: turboOf(tree),
    maxMHz: limits.length === 0 ? null : Math.max(...limits) / 1000,
    clocksource: tree.text('/sys/devices/system/clocksource/clocksource0/current_clocksource'),
    isolated: tree.text(`${cpus}/isolated`) || null,
    quotaCpus: quotaOf(tree),
    load1: Number.isFinite(load) ? load : null,
    busyShare: shares?.busy ?? null,
    stealShare: shares?.steal ?? null,
  };
}
