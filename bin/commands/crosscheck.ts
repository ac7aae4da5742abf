import { hostText, parseHosts } from '../../orchestration/hosts/parse.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import type { CollectiveName, CrosscheckOptions } from '../../results/schema/index.ts';
import { osuComparable } from '../../suites/crosscheck/osu.ts';
import { comparable, usualCollectives } from '../../suites/crosscheck/programs.ts';
import { choiceOption, type OptionValues, optionName } from '../../suites/options/option.ts';
import { text as nonEmpty, ValueError, wholeNumber } from '../../suites/options/values.ts';
import { withDefaults } from '../options/index.ts';
import { defineCommand } from './command.ts';
import { offerUnused } from './completions.ts';
import { jsonOption, sharedOptions } from './options.ts';

function gpuList(value: string): number[] {
  const gpus = value.split(',').map((word) => wholeNumber(0)(word));
  if (new Set(gpus).size < gpus.length) throw new ValueError('a GPU is named twice');
  return gpus;
}

const ownOptions = {
  'nccl-tests': {
    describe: 'Folder of nccl-tests: a checkout after make, or the folder of its programs',
    value: 'DIR',
    allowed: 'a folder',
    coerce: nonEmpty,
  },
  osu: {
    describe: "Folder of OSU's micro-benchmarks: their collectives interleaved with engine mpi, no GPU",
    value: 'DIR',
    allowed: 'a folder',
    coerce: nonEmpty,
  },
  ranks: {
    value: 'N',
    describe: '--osu: number of ranks',
    defaultDescription: '2; with --hosts one for each slot',
    allowed: 'a whole number from 2',
    coerce: wholeNumber(2, 4096),
  },
  transport: {
    value: 'NAME',
    describe: '--osu: socket or shm, for both programs',
    defaultDescription: 'socket',
    ...choiceOption(['socket', 'shm']),
  },
  factor: {
    value: 'N',
    describe: 'Factor between sizes',
    alias: 'f',
    default: 2,
    allowed: 'a whole number from 2',
    coerce: wholeNumber(2),
  },
  rounds: {
    value: 'N',
    describe: 'Runs of the other program, interleaved with as many launches of collbench',
    default: 8,
    allowed: '1 to 1000',
    coerce: wholeNumber(1, 1000),
  },
  gpus: {
    value: 'LIST',
    describe: 'GPUs, one rank each',
    defaultDescription: 'all',
    allowed: 'GPU numbers: 0,1,2',
    coerce: gpuList,
  },
  nccl: {
    describe: 'libnccl.so.2, or its folder',
    defaultDescription: 'searched',
    value: 'PATH',
    allowed: 'a file or folder',
    coerce: nonEmpty,
  },
  mpirun: {
    synonyms: ['mpi'],
    describe: 'mpirun of the MPI that the programs were built with',
    defaultDescription: 'from PATH',
    value: 'PATH',
    allowed: 'a program',
    coerce: nonEmpty,
  },
  ...jsonOption,
};

/** Keys of the options that only a comparison with OSU has; `onlyNcclTests` has those of a comparison with nccl-tests. */
const onlyOsu = ['ranks', 'transport', 'hosts', 'sshConfig', 'interface'] as const;
const onlyNcclTests = ['gpus', 'nccl'] as const;

const sharedKeys = [
  'min',
  'max',
  'dtype',
  'op',
  'hosts',
  'interface',
  'sshConfig',
  'timeout',
  'out',
] as const;
const shared = sharedOptions(sharedKeys, {
  min: { describe: 'Smallest message', defaultDescription: '8' },
  max: { defaultDescription: '1G' },
  dtype: { defaultDescription: 'float32' },
  op: { defaultDescription: 'sum' },
  hosts: { describe: '--osu: hosts to which ssh logs in from here, with the same MPI and OSU as here' },
  interface: { describe: '--osu: network interface of the ranks', defaultDescription: 'the route' },
  sshConfig: { describe: "--osu with --hosts: ssh's configuration file" },
  timeout: {
    describe: 'Time limit in seconds of one run of the other program or one block of collbench',
    defaultDescription: '300',
  },
  out: { defaultDescription: 'collbench-runs/...' },
});
const options = { ...shared, ...ownOptions };

/**
 * Checks the collectives that the user named, and returns each once. Without names it returns the usual collectives.
 * @param names collectives as typed
 * @param comparable collectives that both collbench and the other program (nccl-tests or OSU) have
 * @throws Refusal if a name is not among `comparable`
 */
function collectivesIn(names: readonly string[], comparable: readonly CollectiveName[]): CollectiveName[] {
  if (names.length === 0) return [...usualCollectives];
  return [...new Set(names)].map((word) => {
    const found = comparable.find((known) => known === word);
    if (found !== undefined) return found;
    const known = [...comparable];
    throw refuse('unknown-word', { where: 'crosscheck', word, problem: 'nothing to compare', known });
  });
}

function single<T>(name: string, values: readonly T[]): T {
  const [first, ...others] = values;
  if (first !== undefined && others.length === 0) return first;
  throw refuse('crosscheck-one-at-a-time', { option: name, values });
}

/**
 * Settings of `crosscheck` from its parsed options, with defaults filled in.
 * @throws Refusal if options contradict each other, if an option does not fit the other program, or if a collective is unknown
 */
export function crosscheckOptions(
  values: OptionValues<typeof options> & { collective: string[] },
): CrosscheckOptions {
  const { 'nccl-tests': ncclTests, osu, min = 8, dtype = ['float32'], op = ['sum'] } = values;
  const { max = osu === undefined ? 2 ** 30 : 2 ** 24 } = values;
  if ((ncclTests === undefined) === (osu === undefined)) throw refuse('crosscheck-needs-programs');
  const peer = osu === undefined ? 'nccl-tests' : 'osu';
  const alien = (osu === undefined ? onlyOsu : onlyNcclTests).find((option) => values[option] !== undefined);
  if (alien !== undefined) throw refuse('crosscheck-not-with', { option: optionName(alien), peer });
  const login = values.hosts?.find(({ user, port }) => user !== null || port !== null);
  if (login !== undefined) throw refuse('osu-host-login', { host: hostText(login) });
  if (osu !== undefined && (dtype.join() !== 'float32' || op.join() !== 'sum'))
    throw refuse('osu-types', { dtype: dtype.join(), op: op.join() });
  // nccl-tests never gets past size 0, and rejects min above max with only "-1".
  if (min < 1 || min > max) {
    throw refuse('crosscheck-sizes', { min, max });
  }
  return {
    collectives: collectivesIn(values.collective, osu === undefined ? comparable : osuComparable),
    ...{ ncclTests: ncclTests ?? '', min, max },
    ...(osu === undefined
      ? {}
      : {
          osu: {
            folder: osu,
            ranks: values.ranks ?? (values.hosts === undefined ? 2 : null),
            transport: values.transport ?? 'socket',
            hosts: (values.hosts ?? []).map(hostText),
            sshConfig: values.sshConfig ?? null,
            interface: values.interface ?? null,
          },
        }),
    factor: values.factor,
    rounds: values.rounds,
    gpus: values.gpus ?? null,
    nccl: values.nccl ?? null,
    mpirun: values.mpirun ?? null,
    dtype: single('dtype', dtype),
    op: single('op', op),
    timeoutS: values.timeout ?? 300,
    out: values.out ?? null,
    json: values.json,
  };
}

type OsuOptions = NonNullable<CrosscheckOptions['osu']>;

/** Options with which a measuring command of collbench uses the same MPI, ranks and hosts as the OSU programs. */
const measuredWithOsu = ({ osu, mpirun }: CrosscheckOptions & { osu: OsuOptions }) =>
  withDefaults({
    engine: 'mpi',
    mpi: mpirun,
    ranks: osu.ranks,
    transport: [osu.transport],
    interface: osu.interface,
    ...(osu.hosts.length === 0
      ? {}
      : { hosts: parseHosts(osu.hosts.join(',')), rsh: 'openssh', sshConfig: osu.sshConfig }),
  });

async function run(options: CrosscheckOptions): Promise<void> {
  const { crosscheck: carryOut } = await import('../../orchestration/crosscheck/crosscheck.ts');
  const { openOurs } = await import('../../orchestration/crosscheck/engine.ts');
  const { openOurMpi } = await import('../../orchestration/crosscheck/mpi-engine.ts');
  const { InterruptHandler } = await import('../../orchestration/running/interrupt.ts');
  const { crosscheckScreen } = await import('../screens/crosscheck.ts');
  const { nodesOf } = await import('../../orchestration/preparing/host-pool.ts');
  const native = await import('../../orchestration/build.ts');
  const interrupt = new InterruptHandler();
  const { osu } = options;
  const measured = osu === undefined ? null : measuredWithOsu({ ...options, osu });
  const nodes = measured === null ? null : await nodesOf(measured);
  try {
    const open = () =>
      measured === null || nodes === null
        ? openOurs(options, native.agentPath())
        : openOurMpi(options, nodes, measured, interrupt.signal);
    const screen = crosscheckScreen(options.json);
    process.exitCode = await carryOut(options, open, screen, interrupt.signal, native.version());
  } finally {
    await nodes?.close();
    interrupt.release();
  }
}

export const crosscheck = defineCommand({
  command: 'crosscheck [collective..]',
  describe: 'Run nccl-tests or OSU and collbench interleaved: do they agree, and which is noisier?',
  examples: [
    ['collbench crosscheck --nccl-tests ~/nccl-tests', 'five collectives, 8 B to 1 GiB, all GPUs'],
    ['collbench crosscheck allreduce --nccl-tests ~/nccl-tests --gpus 0,1 --rounds 20', 'narrower intervals'],
    [
      'collbench crosscheck alltoall --nccl-tests ~/nccl-tests --min 1M --dtype bfloat16 --json',
      'for scripts',
    ],
    ['collbench crosscheck allreduce --osu ~/osu --ranks 2 --transport shm', 'engine mpi, no GPU'],
    ['collbench crosscheck allreduce --osu ~/osu --hosts n[1-4]:2', 'mpirun starts OSU on the hosts'],
  ],
  argument: { help: comparable.join(', '), shown: usualCollectives.join(' ') },
  options,
  offer: offerUnused(comparable),
  epilogue: 'Exit codes: 0 they agree, 4 they differ, 5 no verdict, 2 one of them did not run, 3 wrong data',
  handler: (values) => run(crosscheckOptions(values)),
});
