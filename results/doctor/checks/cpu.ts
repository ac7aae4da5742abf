import type { MachineReport } from '../../machine/index.ts';
import { percentText } from '../../units.ts';
import { type DoctorCheck, note, ok, unknown, warning } from '../check.ts';
import { fixFor } from './container.ts';

/**
 * Returns the end of an observation if there are fewer CPUs than GPUs, since each GPU has a rank that needs a CPU: ", fewer than
 * its 8 GPUs". "" if there are enough, or if the GPUs are not known.
 */
const tooFew = (cpus: number, gpus: MachineReport['gpus']): string =>
  gpus !== null && cpus < gpus.length ? `, fewer than its ${gpus.length} GPUs` : '';

/** Clock sources that a program can read without a system call, and that neither stop nor jump. */
const goodClocks = [
  'tsc',
  'kvm-clock',
  'arch_sys_counter',
  'hyperv_clocksource_tsc_page',
  'timebase',
  'riscv_clocksource',
];

export const cpuChecks: DoctorCheck[] = [
  {
    id: 'cpu.governor',
    title: 'CPU frequency governor',
    transports: 'all',
    why: 'A clock that follows the load makes small messages slow and runs differ.',
    look({ cpu, system }) {
      const names = Object.keys(cpu.governors);
      const fix = 'as root: cpupower frequency-set -g performance';
      if (names.length === 0) {
        const why =
          system.virtualization === null ? 'the kernel shows no governor' : 'a guest does not see it';
        return unknown(
          why,
          system.virtualization === null
            ? 'load the cpufreq driver; see cpupower frequency-info'
            : 'look on the host',
        );
      }
      const others = names.filter((name) => name !== 'performance');
      if (others.length === 0) return ok('performance');
      return warning(others.map((name) => `${name} on ${cpu.governors[name]} CPUs`).join(', '), fix);
    },
  },
  {
    id: 'cpu.turbo',
    title: 'CPU turbo',
    transports: 'all',
    why: 'With turbo the clock depends on temperature and load: faster, but less repeatable.',
    look({ cpu }) {
      if (cpu.turbo === null) return null;
      if (!cpu.turbo) return ok('off');
      return note(
        'on',
        'for comparisons within 1 %, as root: echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo (AMD: echo 0 > /sys/devices/system/cpu/cpufreq/boost)',
      );
    },
  },
  {
    id: 'cpu.quota',
    title: 'CPU time that the control group leaves',
    transports: 'all',
    why: 'Beyond its quota a rank stops until the next period, up to 100 ms, and all others wait for it.',
    look(machine) {
      const { cpu, gpus } = machine;
      if (cpu.quotaCpus === null || cpu.online === null)
        return unknown('the kernel does not report it', 'cat /sys/fs/cgroup/cpu.max');
      if (cpu.quotaCpus === 'unlimited') return ok('no limit');
      const text = `${Number(cpu.quotaCpus.toFixed(2))} ${cpu.quotaCpus === 1 ? 'CPU' : 'CPUs'} of ${cpu.online}`;
      if (cpu.quotaCpus >= cpu.online) return ok(text);
      return warning(
        `${text}${tooFew(cpu.quotaCpus, gpus)}`,
        fixFor(machine, {
          pod: `resources: {limits: {cpu: ${cpu.online}}}, or no limit of cpu`,
          docker: 'without --cpus',
          host: 'start the job with whole nodes or cores',
        }),
      );
    },
  },
  {
    id: 'cpu.affinity',
    title: 'CPUs that ranks may run on',
    transports: 'all',
    why: 'Ranks that share cores measure the scheduler.',
    look(machine) {
      const { cpu, gpus } = machine;
      if (cpu.allowed === null || cpu.online === null)
        return unknown('the kernel does not report it', 'taskset -pc $$');
      if (cpu.allowed >= cpu.online) return ok(`all ${cpu.online}`);
      const few = tooFew(cpu.allowed, gpus);
      const severity = few === '' ? note : warning;
      return severity(
        `${cpu.allowed} of ${cpu.online}${few}`,
        fixFor(machine, {
          pod: `resources: {limits: {cpu: ${gpus?.length || cpu.online}}}, a whole number`,
          docker: '--cpuset-cpus with a CPU for each rank',
          host: 'taskset, cpuset or the job scheduler binds; ask for whole nodes',
        }),
      );
    },
  },
  {
    id: 'cpu.busy',
    title: 'Load of the machine',
    transports: 'all',
    why: 'Other processes compete for cores, caches and memory bandwidth.',
    /**
     * Warns if other processes keep the CPUs busy. The load average changes slowly, so it still includes earlier runs of collbench;
     * it decides only if the present share of busy time is not known.
     */
    look({ cpu }) {
      if (cpu.busyShare === null && cpu.load1 === null)
        return unknown('the kernel does not report it', 'uptime');
      const load = cpu.load1 === null ? '' : `, load average ${cpu.load1}`;
      const text = `${cpu.busyShare === null ? 'share unknown' : `${percentText(cpu.busyShare)} busy now`}${load}`;
      const isBusy =
        cpu.busyShare === null ? (cpu.load1 ?? 0) > Math.max(1, (cpu.online ?? 1) / 2) : cpu.busyShare > 0.25;
      if (!isBusy) return ok(text);
      return warning(text, 'wait for other processes, or end them: top');
    },
  },
  {
    id: 'cpu.steal',
    title: 'CPU time taken by the host of a virtual machine',
    transports: 'all',
    why: 'Time that the hypervisor gives to others looks like slow communication.',
    look({ cpu, system }) {
      if (system.virtualization === null) return null;
      if (cpu.stealShare === null) return unknown('the kernel does not report it', 'vmstat 1, column st');
      if (cpu.stealShare <= 0.01) return ok(percentText(cpu.stealShare));
      return warning(
        percentText(cpu.stealShare),
        'take a machine with cores of its own, or measure when it is quiet',
      );
    },
  },
  {
    id: 'cpu.clocksource',
    title: 'Clock that times are read from',
    transports: 'all',
    why: 'Reading a clock outside the processor costs microseconds, more than a small message takes.',
    look({ cpu }) {
      if (cpu.clocksource === null)
        return unknown(
          'the kernel does not report it',
          'cat /sys/devices/system/clocksource/clocksource0/current_clocksource',
        );
      if (goodClocks.includes(cpu.clocksource)) return ok(cpu.clocksource);
      return warning(
        cpu.clocksource,
        'boot with tsc=reliable if the processor has an invariant TSC; see dmesg | grep -i tsc',
      );
    },
  },
];
