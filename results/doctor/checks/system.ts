import { type Check, note, ok, unknown } from '../check.ts';

export const systemChecks: Check[] = [
  {
    id: 'system.virtual',
    title: 'Virtual machine',
    transports: 'all',
    why: 'A hypervisor decides over cores, memory and the paths between devices.',
    look({ system, cpu }) {
      if (system.virtualization === null && cpu.model === null)
        return unknown('the kernel does not tell', 'systemd-detect-virt');
      if (system.virtualization === null) return ok('none is seen');
      return note(
        system.virtualization,
        'say so beside the figures; pass cards through whole, with their NUMA nodes',
      );
    },
  },
  {
    id: 'system.container',
    title: 'Container',
    transports: 'all',
    why: 'A container has its own limits of memory, devices and networks, and may lack what the machine has.',
    look({ system }) {
      if (system.container === null) return ok('none is seen');
      return note(system.container, 'docker run --network host --ipc host --ulimit memlock=-1 --gpus all');
    },
  },
  {
    id: 'clock.synchronised',
    title: 'Wall clock',
    transports: 'all',
    why: 'Logs and runs of several machines are told apart by their time; what is measured uses another clock.',
    look({ clock }) {
      if (clock.synchronised === null) return unknown('the kernel does not tell', 'timedatectl');
      if (clock.synchronised) return ok('synchronised');
      return note('not synchronised', 'as root: systemctl enable --now chrony (or systemd-timesyncd)');
    },
  },
];
