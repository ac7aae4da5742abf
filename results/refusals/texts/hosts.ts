// Refusal messages about hosts, and about the assignment of ranks to hosts.
import { cannotRunHere, invalid, type OptionChange, type OptionPair } from '../wording.ts';

const naming = 'name the machines: --hosts gpu[01-08]:8, or --hostfile FILE';

const powerOfTwo = (ranks: number): number => 2 ** Math.floor(Math.log2(ranks));

/** Parts of a launcher's error message. `next`: a command to type in a shell, or a change of the typed command; null = none. */
export interface StartProblem {
  message: string;
  details: readonly string[];
  next: string | OptionChange | null;
}

export const hostTexts = {
  /**
   * Error in the names of hosts, rank maps or groups that the user typed. `message` comes from the parser of that text and
   * contains the position in it. `next` is a command to type, printed as a detail; null = none.
   */
  'hosts-as-written': invalid(({ message, next }: { message: string; next: string | null }) => ({
    message,
    details: next === null ? [] : [next],
  })),
  /** Error of a launcher: settings of ssh, keys, copying the agent. `message` is the launcher's own text. */
  'launcher-cannot-start': cannotRunHere(({ message, details, next }: StartProblem) => ({
    ...{ message, details },
    ...(next === null ? {} : { next: typeof next === 'string' ? { shell: next } : next }),
  })),
  'no-slurm-allocation': cannotRunHere(() => ({
    message: '--launcher slurm: no hosts are named, and this is no allocation of Slurm',
    details: ['start it within one (salloc -N 2 collbench ...), or name hosts (--hosts node[1-2])'],
  })),
  'file-unreadable': cannotRunHere(({ where, why }: { where: string; why: string }) => ({
    message: `${where}: ${why}`,
  })),
  'no-agent': cannotRunHere(({ folder }: { folder: string }) => ({
    message: `no collbench-agent in ${folder}`,
    details: ['COLLBENCH_NATIVE_DIR names a folder without a native build, or it was removed'],
    next: { shell: 'unset COLLBENCH_NATIVE_DIR' },
  })),
  'hosts-in-process': invalid(({ one, other }: OptionPair) => ({
    message: `${one} and ${other} exclude each other`,
    details: ['threads of this process are ranks on this machine only: leave out one of them'],
  })),
  'bind-in-process': invalid(({ one, other }: OptionPair) => ({
    message: `${one} and ${other} exclude each other`,
    details: [
      'ranks that are threads of this process share its priority and control groups, and get a core each where there are enough: leave out one of them',
    ],
  })),
  'hosts-with-local': invalid(({ where }: { where: string }) => ({
    message: `${where} and --launcher local exclude each other`,
    details: ['local starts agents on this machine only: leave out one of them'],
  })),
  'launcher-needs-hosts': invalid(({ launcher }: { launcher: string }) => ({
    message: `--launcher ${launcher} needs hosts`,
    details: [naming],
  })),
  'option-of-ssh': invalid(({ where, launcher }: { where: string; launcher: string }) => ({
    message: `${where} has no effect with --launcher ${launcher}`,
    details: [launcher === 'local' ? `without hosts nothing is started over ssh: ${naming}` : 'leave it out'],
  })),
  'option-of-containers': invalid(({ where, launcher }: { where: string; launcher: string }) => ({
    message: `${where} has no effect with --launcher ${launcher}`,
    details: ['allowed: with --launcher kubernetes; --selector also with docker and podman'],
  })),
  'option-of-hosts': invalid(({ where }: { where: string }) => ({
    message: `${where} has no effect on this machine alone`,
    details: [naming],
  })),
  'places-twice': invalid(({ where, map }: { where: string; map: string }) => ({
    message: `${where} and --map ${map} both place the ranks`,
    details: ['leave out one of them'],
  })),
  'gpus-and-map': invalid(() => ({
    message: '--gpus and the rank map both set the GPUs of the ranks',
    details: ['leave out one of them'],
  })),
  'explain-of-hosts': invalid(() => ({
    message: '--explain describes this machine, not hosts',
    details: ['to see what a host would do, run it there'],
    next: { change: { hosts: null, hostfile: null } },
  })),
  'groups-in-process': invalid(({ one, other }: OptionPair) => ({
    message: `${one} and ${other} exclude each other`,
    details: [
      'ranks that are threads of this process measure one after another, groups at the same time: leave out one of them',
    ],
  })),
  'groups-share-gpu': invalid(({ one, other }: OptionPair) => ({
    message: `${one} and ${other} exclude each other`,
    details: ['groups that share GPUs would wait for one another: leave out one of them'],
  })),
  'group-refused': invalid(
    ({ collective, why, rule, ranks }: { collective: string; why: string; rule: string; ranks: number }) => ({
      message: `${collective} ${why}, and --groups ${rule} gives groups of ${ranks}`,
      details: [`allowed: groups of ${powerOfTwo(ranks)} ranks`],
    }),
  ),
  'groups-unlike': invalid(
    (values: {
      collective: string;
      rule: string;
      /** Numbers of ranks in the groups, each number once, ascending. */
      sizes: readonly number[];
      /**
       * Names of the collectives that do not divide their data by the number of ranks, so that groups of different sizes are
       * allowed.
       */
      undivided: readonly string[];
    }) => ({
      message: `--groups ${values.rule} gives groups of ${values.sizes.join(' and ')} ranks, and ${values.collective} divides its data by the ranks of a group`,
      details: [
        'groups of unlike size would measure unlike sizes',
        `allowed: groups of one size, or a collective that does not divide: ${values.undivided.join(', ')}`,
      ],
    }),
  ),
  'root-of-groups': invalid(
    (values: {
      root: number;
      rule: string;
      /** Number of ranks in the smallest group. */
      fewest: number;
    }) => ({
      message: `--root ${values.root}: with --groups ${values.rule} roots count within each group`,
      details: [`allowed: 0 to ${values.fewest - 1}, as there are groups of ${values.fewest} ranks; or all`],
      next: { change: { root: '0' } },
    }),
  ),
};
