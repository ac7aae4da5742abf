import type { Options as YargsOptions } from 'yargs';
import { nearest } from '../../results/nearest.ts';
import type { CollectiveName, CrosscheckOptions } from '../../results/schema/index.ts';
import { comparable, usualCollectives } from '../../suites/crosscheck/programs.ts';
import { text, wholeNumber } from '../../suites/options/values.ts';
import { CommandError } from '../exit.ts';
import { flags, type Options, ValueError } from '../options/index.ts';
import { withSeveralWords } from '../parser.ts';
import { type Command, jsonOption, withExamples } from './command.ts';
import { own, shared } from './shared-option.ts';

function gpuList(value: string): number[] {
  const gpus = value.split(',').map((word) => wholeNumber(0)(word));
  if (new Set(gpus).size < gpus.length) throw new ValueError('a GPU is named twice');
  return gpus;
}

const options = {
  'nccl-tests': own(
    'nccl-tests',
    { parse: text, allowed: 'a folder' },
    'Folder of nccl-tests: a checkout after make, or where its programs lie',
  ),
  min: { ...shared('min', '8'), describe: 'Smallest message' },
  max: shared('max', '1G'),
  factor: {
    ...own(
      'factor',
      { parse: wholeNumber(2), allowed: 'a whole number from 2' },
      'Each size by the one before',
      '2',
    ),
    alias: 'f',
  },
  rounds: own(
    'rounds',
    { parse: wholeNumber(1, 1000), allowed: '1 to 1000' },
    'Runs of nccl-tests, and as many launches of ours between them',
    '8',
  ),
  gpus: own('gpus', { parse: gpuList, allowed: 'GPU numbers: 0,1,2' }, 'GPUs, one rank each', 'all'),
  nccl: own('nccl', { parse: text, allowed: 'a file or folder' }, 'libnccl.so.2, or its folder', 'searched'),
  mpirun: own(
    'mpirun',
    { parse: text, allowed: 'a program' },
    'Starts programs built with MPI, one process per GPU',
    'from PATH',
  ),
  dtype: shared('dtype', 'float32'),
  op: shared('op', 'sum'),
  timeout: {
    ...shared('timeout', '300'),
    describe: 'Seconds one run of nccl-tests, or one block of ours, may take',
  },
  out: shared('out', 'collbench-runs/...'),
  ...jsonOption,
} satisfies Record<string, YargsOptions>;

/** @throws CommandError a name that is none, or that nccl-tests does not have */
function collectivesIn(names: readonly string[]): CollectiveName[] {
  if (names.length === 0) return [...usualCollectives];
  return [...new Set(names)].map((name) => {
    const found = comparable.find((known) => known === name);
    if (found !== undefined) return found;
    const match = nearest(name, comparable);
    throw new CommandError(`crosscheck ${name}: nothing to compare`, [
      match === null ? `  allowed: ${comparable.join(', ')}` : `  did you mean ${match}?`,
    ]);
  });
}

function single<K extends 'dtype' | 'op'>(found: Record<string, unknown>, key: K): Options[K][number] {
  const values = (found[key] ?? flags[key].fallback) as Options[K];
  if (values.length === 1) return values[0] as Options[K][number];
  throw new CommandError(`--${key} ${values.join(',')}: a crosscheck takes one at a time`, []);
}

/** @throws CommandError */
export function crosscheckOptions(found: Record<string, unknown>): CrosscheckOptions {
  const dir = found['nccl-tests'] as string | undefined;
  if (dir === undefined) {
    throw new CommandError('crosscheck needs --nccl-tests DIR', [
      '  allowed: a checkout of nccl-tests after make, or the folder of its programs',
      'Next: collbench crosscheck --help',
    ]);
  }
  const min = (found.min as number | undefined) ?? 8;
  const max = (found.max as number | undefined) ?? 2 ** 30;
  // nccl-tests never leaves size 0, and refuses the other with a bare -1.
  if (min < 1 || min > max) {
    throw new CommandError(`--min ${min} --max ${max}: no sizes`, ['  allowed: 1 <= min <= max']);
  }
  const given = <T>(key: string, fallback: T): T => (found[key] as T | undefined) ?? fallback;
  return {
    collectives: collectivesIn(given<string[]>('collective', [])),
    ncclTests: dir,
    min,
    max,
    factor: given('factor', 2),
    rounds: given('rounds', 8),
    gpus: given<number[] | null>('gpus', null),
    nccl: given<string | null>('nccl', null),
    mpirun: given<string | null>('mpirun', null),
    dtype: single(found, 'dtype'),
    op: single(found, 'op'),
    timeoutS: given('timeout', 300),
    out: given<string | null>('out', null),
    json: found.json === true,
  };
}

async function run(asked: CrosscheckOptions): Promise<void> {
  const [{ crosscheck: carryOut }, { openOurs }, { Interrupt }, { crosscheckScreen }, native] =
    await Promise.all([
      import('../../orchestration/crosscheck/crosscheck.ts'),
      import('../../orchestration/crosscheck/our-engine.ts'),
      import('../../orchestration/running/interrupt.ts'),
      import('../screens/crosscheck.ts'),
      import('../../orchestration/build.ts'),
    ]);
  const interrupt = new Interrupt();
  try {
    const open = () => openOurs(asked, native.agentPath());
    const screen = crosscheckScreen(asked.json);
    process.exitCode = await carryOut(asked, open, screen, interrupt.signal, native.version());
  } finally {
    interrupt.release();
  }
}

/** nccl-tests and our engine in turns on the same GPUs. */
export const crosscheck: Command = {
  name: 'crosscheck',
  command: 'crosscheck [collective..]',
  describe: 'Run nccl-tests and collbench in turns on the same GPUs: do they agree, and who is noisier?',
  examples: [
    ['collbench crosscheck --nccl-tests ~/nccl-tests', 'five collectives, 8 B to 1 GiB, all GPUs'],
    ['collbench crosscheck allreduce --nccl-tests ~/nccl-tests --gpus 0,1 --rounds 20', 'narrower intervals'],
    [
      'collbench crosscheck alltoall --nccl-tests ~/nccl-tests --min 1M --dtype bfloat16 --json',
      'for scripts',
    ],
  ],
  builder: (parser) =>
    withExamples(withSeveralWords(parser), crosscheck.examples)
      .positional('collective', {
        type: 'string',
        array: true,
        describe: comparable.join(', '),
        defaultDescription: usualCollectives.join(' '),
      })
      .options(options)
      .epilogue(
        'Exit codes: 0 they agree, 4 they differ, 5 no verdict, 2 one of them did not run, 3 wrong data',
      ),
  handler: (found) => run(crosscheckOptions(found)),
};
