import { refuse } from '../../results/refusals/refusal.ts';
import type { CollectiveName, CrosscheckOptions } from '../../results/schema/index.ts';
import { osuComparable } from '../../suites/crosscheck/osu.ts';
import { comparable, usualCollectives } from '../../suites/crosscheck/programs.ts';
import { choiceOption, type OptionValues } from '../../suites/options/option.ts';
import { text as nonEmpty, ValueError, wholeNumber } from '../../suites/options/values.ts';
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
    describe: '--osu: ranks on this machine',
    defaultDescription: '2',
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
    describe: 'mpirun of the MPI that the programs were built with',
    defaultDescription: 'from PATH',
    value: 'PATH',
    allowed: 'a program',
    coerce: nonEmpty,
  },
  ...jsonOption,
};

const shared = sharedOptions(['min', 'max', 'dtype', 'op', 'timeout', 'out'], {
  min: { describe: 'Smallest message', defaultDescription: '8' },
  max: { defaultDescription: '1G' },
  dtype: { defaultDescription: 'float32' },
  op: { defaultDescription: 'sum' },
  timeout: {
    describe: 'Time limit in seconds of one run of the other program or one block of collbench',
    defaultDescription: '300',
  },
  out: { defaultDescription: 'collbench-runs/...' },
});
const options = { ...shared, ...ownOptions };

/**
 * Checks the collectives that the user named, and returns each once; without names the usual ones.
 * @param comparable collectives that both collbench and the other program have
 * @throws Refusal if a name is no collective, or the other benchmark program does not have it
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

/** Settings of `crosscheck` from its parsed options, defaults included. @throws Refusal if options contradict each other */
export function crosscheckOptions(
  values: OptionValues<typeof options> & { collective: string[] },
): CrosscheckOptions {
  const { 'nccl-tests': ncclTests, osu, min = 8, dtype = ['float32'], op = ['sum'] } = values;
  const { max = osu === undefined ? 2 ** 30 : 2 ** 24 } = values;
  if ((ncclTests === undefined) === (osu === undefined)) throw refuse('crosscheck-needs-programs');
  const peer = osu === undefined ? 'nccl-tests' : 'osu';
  const alien = (osu === undefined ? (['ranks', 'transport'] as const) : (['gpus', 'nccl'] as const)).find(
    (option) => values[option] !== undefined,
  );
  if (alien !== undefined) throw refuse('crosscheck-not-with', { option: alien, peer });
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
      : { osu: { folder: osu, ranks: values.ranks ?? 2, transport: values.transport ?? 'socket' } }),
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

async function run(options: CrosscheckOptions): Promise<void> {
  const { crosscheck: carryOut } = await import('../../orchestration/crosscheck/crosscheck.ts');
  const { openOurs } = await import('../../orchestration/crosscheck/engine.ts');
  const { openOurMpi } = await import('../../orchestration/crosscheck/mpi-engine.ts');
  const { InterruptHandler } = await import('../../orchestration/running/interrupt.ts');
  const { crosscheckScreen } = await import('../screens/crosscheck.ts');
  const native = await import('../../orchestration/build.ts');
  const interrupt = new InterruptHandler();
  try {
    const agent = native.agentPath();
    const open = () =>
      options.osu === undefined ? openOurs(options, agent) : openOurMpi(options, options.osu, agent);
    const screen = crosscheckScreen(options.json);
    process.exitCode = await carryOut(options, open, screen, interrupt.signal, native.version());
  } finally {
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
  ],
  argument: { help: comparable.join(', '), shown: usualCollectives.join(' ') },
  options,
  offer: offerUnused(comparable),
  epilogue: 'Exit codes: 0 they agree, 4 they differ, 5 no verdict, 2 one of them did not run, 3 wrong data',
  handler: (values) => run(crosscheckOptions(values)),
});
