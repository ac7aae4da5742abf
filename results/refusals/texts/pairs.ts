// Refusal messages about pairs of hosts, and about the search for a faulty host.
import { cannotRunHere, invalid } from '../wording.ts';

const noPairs = {
  message: 'one host has no pairs',
  details: ['allowed: two hosts or more; ranks of this machine: --ranks 4'],
  next: { change: { hosts: null, hostfile: null, ranks: '2' } },
};

export const pairsTexts = {
  'one-host-no-pairs': invalid(() => noPairs),
  'too-few-to-pair': cannotRunHere(() => ({
    message: 'pairs needs two ranks at least',
    details: ['allowed: two hosts or GPUs, or more'],
  })),
  'nothing-to-pair': invalid(() => ({
    message: 'pairs needs hosts, or at least two ranks of this machine',
    details: ['allowed: --hosts gpu[01-08], --hostfile FILE, or --ranks 4'],
    next: 'collbench pairs --ranks 2',
  })),
  'ranks-and-hosts-paired': invalid(() => ({
    message: '--ranks and --hosts both set what is paired',
    details: ['--ranks is for this machine alone; ranks of a host: --hosts gpu01:2,gpu02:2'],
    next: { change: { ranks: null } },
  })),
  'search-takes-one-rank': invalid(({ host, slots }: { host: string; slots: number }) => ({
    message: `--hosts ${host}:${slots}: --bisect takes one rank of each host`,
    details: ['it looks for hosts: name them without slots'],
  })),
  'search-one-at-a-time': invalid(() => ({
    message: '--one-at-a-time has no effect with --bisect',
    details: ['a search makes one run at a time'],
    next: { change: { 'one-at-a-time': null } },
  })),
  'search-over-one-transport': invalid(({ transports }: { transports: number }) => ({
    message: `--bisect searches over one transport, not ${transports}`,
    details: ['allowed: one name behind --transport'],
  })),
};
