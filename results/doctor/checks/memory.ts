import { bytesText, sizeText } from '../../units.ts';
import { type DoctorCheck, error, isTransportRequested, note, ok, unknown, warning } from '../check.ts';
import { fixFor } from './container.ts';

const mib = 2 ** 20;
const registering = ['ib', 'ibgda', 'sisci', 'plugin'] as const;

export const memoryChecks: DoctorCheck[] = [
  {
    id: 'limits.memlock',
    title: 'Memory that may be locked',
    transports: registering,
    why: 'RDMA needs locked memory; beyond the limit registration fails.',
    look(machine, asked) {
      const { limits, rdma, isRoot } = machine;
      const { lockedBytes } = limits;
      if (lockedBytes === null) return unknown('the kernel does not report it', 'ulimit -l');
      if (lockedBytes === 'unlimited') return ok('unlimited');
      const text = `${sizeText(lockedBytes)} at most`;
      const fix = fixFor(machine, {
        pod: 'securityContext: {capabilities: {add: [IPC_LOCK]}}',
        docker: '--ulimit memlock=-1',
        host: 'in /etc/security/limits.conf: "* - memlock unlimited"; for services: LimitMEMLOCK=infinity',
      });
      // In a container root usually lacks the capability IPC_LOCK.
      if (limits.canLockAll ?? isRoot === true) return note(`${text}, which does not bind root`, fix);
      const needs = rdma.length > 0 || isTransportRequested(asked, 'ib', 'ibgda');
      return needs ? warning(text, fix) : note(`${text}; no RDMA adapter here needs more`, fix);
    },
  },
  {
    id: 'limits.nofile',
    title: 'Files that may be open',
    transports: 'all',
    why: 'Every connection is an open file; a rank has at least one to every other rank.',
    look({ limits }) {
      const { openFiles } = limits;
      if (openFiles === null) return unknown('the kernel does not report it', 'ulimit -n');
      if (openFiles === 'unlimited' || openFiles >= 4096) return ok(`${openFiles}`);
      const fix = 'ulimit -n 65536, or in /etc/security/limits.conf: "* - nofile 65536"';
      return openFiles < 1024
        ? warning(`only ${openFiles}`, fix)
        : note(`${openFiles}, tight for hundreds of ranks`, fix);
    },
  },
  {
    id: 'shm.size',
    title: 'Shared memory in /dev/shm',
    transports: ['shm', 'p2p', 'sisci'],
    why: 'NCCL and softntb share memory there; containers default to 64 MiB.',
    look(machine, asked) {
      const { memory, gpus } = machine;
      const { shmBytes: size, shmFreeBytes: free } = memory;
      const fix = fixFor(machine, {
        pod: 'volumes: [{name: shm, emptyDir: {medium: Memory, sizeLimit: 8Gi}}], mounted at /dev/shm',
        docker: '--shm-size=8g',
        host: 'as root: mount -o remount,size=8G /dev/shm',
      });
      if (size === null || free === null)
        return unknown('there is none, or it cannot be read', 'as root: mount -t tmpfs tmpfs /dev/shm');
      const text = `${bytesText(free)} free of ${bytesText(size)}`;
      if (free >= 512 * mib) return ok(text);
      if (free >= 128 * mib) return note(text, fix);
      return isTransportRequested(asked, 'shm') && (gpus?.length ?? 0) > 0
        ? error(text, fix)
        : warning(text, fix);
    },
  },
  {
    id: 'memory.free',
    title: 'Free memory and swap',
    transports: 'all',
    why: 'A machine that swaps measures its disk.',
    look({ memory }) {
      const { availableBytes, totalBytes, swapUsedBytes } = memory;
      if (availableBytes === null || totalBytes === null)
        return unknown('the kernel does not report it', 'free -h');
      const text = `${bytesText(availableBytes)} of ${bytesText(totalBytes)} free`;
      if (availableBytes < totalBytes * 0.1)
        return warning(text, 'end the largest processes: ps aux --sort=-rss | head');
      if ((swapUsedBytes ?? 0) > 64 * mib) {
        return note(
          `${text}, ${bytesText(swapUsedBytes ?? 0)} swapped out`,
          'as root: swapoff -a && swapon -a',
        );
      }
      return ok(text);
    },
  },
  {
    id: 'memory.limit',
    title: 'Memory that the control group leaves',
    transports: 'all',
    why: 'A rank beyond the limit of its control group is killed.',
    look(machine) {
      const { limitBytes, totalBytes } = machine.memory;
      if (limitBytes === null || totalBytes === null || limitBytes >= totalBytes) return null;
      return note(
        `${bytesText(limitBytes)} of ${bytesText(totalBytes)}`,
        fixFor(machine, {
          pod: 'resources: {limits: {memory: 64Gi}}',
          docker: '--memory 64g',
          host: 'give the job more, with Slurm: --mem=0',
        }),
      );
    },
  },
  {
    id: 'memory.thp',
    title: 'Transparent huge pages',
    transports: 'all',
    why: 'Large buffers in 4 KiB pages cost more misses and longer registration.',
    look({ memory }) {
      const mode = memory.transparentHugepages;
      if (mode === null)
        return unknown('the kernel does not report it', 'cat /sys/kernel/mm/transparent_hugepage/enabled');
      if (mode !== 'never') return ok(mode);
      return note('never', 'as root: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled');
    },
  },
  {
    id: 'memory.hugepages',
    title: 'Reserved huge pages',
    transports: 'all',
    why: 'Reserved pages are not available to others; some adapters need them, nothing here does.',
    look({ memory }) {
      const used = memory.hugepages.filter(({ total }) => total > 0);
      if (memory.hugepages.length === 0)
        return unknown('the kernel does not report it', 'grep Huge /proc/meminfo');
      if (used.length === 0) return ok('none reserved');
      const bytes = used.reduce((sum, { pageBytes, total }) => sum + pageBytes * total, 0);
      const text = used
        .map(({ pageBytes, total, free }) => `${total} of ${sizeText(pageBytes)}, ${free} free`)
        .join('; ');
      if (memory.totalBytes !== null && bytes > memory.totalBytes / 2) {
        return warning(`${text}: most of the memory`, 'as root: sysctl -w vm.nr_hugepages=0');
      }
      return ok(text);
    },
  },
  {
    id: 'memory.numa-balancing',
    title: 'Automatic NUMA balancing',
    transports: 'all',
    why: 'The kernel unmaps pages briefly to see who uses them, and moves them during the measurement.',
    look({ memory }) {
      if ((memory.numaNodes ?? 1) < 2) return memory.numaNodes === null ? null : ok('one NUMA node');
      if (memory.numaBalancing === null)
        return unknown('the kernel does not report it', 'sysctl kernel.numa_balancing');
      if (!memory.numaBalancing) return ok(`off, ${memory.numaNodes} nodes`);
      return warning(`on, ${memory.numaNodes} nodes`, 'as root: sysctl -w kernel.numa_balancing=0');
    },
  },
];
