import { type DoctorCheck, note, ok, unknown } from '../check.ts';

export const systemChecks: DoctorCheck[] = [
  {
    id: 'system.virtual',
    title: 'Virtual machine',
    transports: 'all',
    why: 'A hypervisor controls cores, memory and the paths between devices.',
    look({ system, cpu }) {
      if (system.virtualization === null && cpu.model === null)
        return unknown('the kernel does not report it', 'systemd-detect-virt');
      if (system.virtualization === null) return ok('none detected');
      return note(
        system.virtualization === 'virtual machine' ? 'yes, hypervisor unknown' : system.virtualization,
        'mention it with the results; pass cards through with their NUMA nodes',
      );
    },
  },
  {
    id: 'system.container',
    title: 'Container',
    transports: 'all',
    why: 'A container has its own limits of memory, devices and networks, and may lack devices of the machine.',
    look({ system }) {
      if (system.container === null) return ok('none detected');
      if (system.container === 'kubernetes') return note('a pod of Kubernetes');
      return note(system.container, 'docker run --network host --ipc host --ulimit memlock=-1 --gpus all');
    },
  },
  {
    id: 'clock.synchronised',
    title: 'Wall clock',
    transports: 'all',
    why: 'Logs and runs of several machines are ordered by time; measurements use another clock.',
    look({ clock }) {
      if (clock.synchronised === null) return unknown('the kernel does not report it', 'timedatectl');
      if (clock.synchronised) return ok('synchronised');
      return note('not synchronised', 'as root: systemctl enable --now chrony (or systemd-timesyncd)');
    },
  },
];
