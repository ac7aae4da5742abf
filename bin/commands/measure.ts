import { statSync } from 'node:fs';
import { hasNodes } from '../../orchestration/preparing/host-rules.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import type { EngineName } from '../../results/schema/index.ts';
import { type ExitCode, exitCode } from '../../results/verdicts/exit-code.ts';
import { commandsOf, planningEngines } from '../../suites/engines/index.ts';
import { shippedJobs } from '../../suites/jobs/index.ts';
import { freeOptions, type UnsetOption } from '../../suites/planning/budget-plan.ts';
import { carriersOf } from '../../suites/planning/carriers.ts';
import { commandNamed, type MeasuredCommand, type VectorOption } from '../../suites/workloads/index.ts';
import { linesOfEngines } from '../line/engines.ts';
import { configOf, measuringOptionRows, measuringOptions, measuringSyntax } from '../line/measuring.ts';
import type { ParsedLine } from '../line/read.ts';
import type { CommandRun } from '../run-requests.ts';
import { nearPath, printNote, printSentences } from '../terminal.ts';
import type { CommandDefinition } from './command.ts';

/**
 * Measures, plans or explains the requested runs, one run per engine. If no run can start, the error is thrown; with --json scripts
 * get a summary line before that.
 */
async function run(requests: readonly CommandRun[]): Promise<ExitCode> {
  const [first] = requests;
  if (first?.options.explain === true) {
    for (const one of requests) await explained(one);
    return exitCode.ok;
  }
  try {
    return await (await import('../run-requests.ts')).measureAll(requests);
  } catch (error) {
    if (first !== undefined) (await import('../screens/not-run.ts')).tellNotRun(error, first.options);
    throw error;
  }
}

async function explained({ command, options }: CommandRun): Promise<ExitCode> {
  if (hasNodes(options)) throw refuse('explain-of-hosts');
  const { explain } = await import('../../orchestration/preparing/explain.ts');
  const { nodesOf } = await import('../../orchestration/preparing/host-pool.ts');
  const nodes = await nodesOf(options);
  try {
    printSentences(`${(await explain(command, options, nodes)).join('\n')}\n`);
  } finally {
    await nodes.close();
  }
  return exitCode.ok;
}

interface CommandExample {
  words: string;
  about: string;
  engine: EngineName;
  /** Options in the example that have no effect in some workloads. Help shows the example only for the other workloads. */
  uses?: readonly VectorOption[];
  /** Transports in the example. Help shows it only if all of them can carry the workload of the command. */
  over?: readonly string[];
}

const onCpu: readonly CommandExample[] = [
  { words: '', about: 'two ranks over TCP', engine: 'cpu', over: ['socket'] },
  {
    words: '--min 8 --max 1G --transport socket,sisci',
    about: 'two transports, interleaved',
    engine: 'cpu',
    uses: ['min', 'max'],
    over: ['socket', 'sisci'],
  },
  {
    words: '-b 8 -e 1G -f 2 -n 20',
    about: 'as nccl-tests is called',
    engine: 'cpu',
    uses: ['min', 'max', 'factor'],
  },
  {
    words: '--sizes 8,4K,1M --dtype float16,float32 --ranks 4',
    about: 'chosen sizes and types',
    engine: 'cpu',
    uses: ['sizes', 'dtype'],
  },
  {
    words: '--max 16M --transport sisci --link pcie-gen3-x8',
    about: 'behaves like a PCIe NTB link',
    engine: 'cpu',
    uses: ['max'],
    over: ['sisci'],
  },
  { words: '--max 1M --json > cells.ndjson', about: 'for scripts', engine: 'cpu', uses: ['max'] },
  {
    words: '--engine nccl --max 1G',
    about: 'NCCL on all GPUs of this machine',
    engine: 'nccl',
    uses: ['max'],
  },
  { words: '--engine cuda', about: 'GPU kernels that communicate themselves', engine: 'cuda' },
];

const elsewhere: readonly CommandExample[] = [
  { words: '--engine nccl', about: 'NCCL on all GPUs of this machine', engine: 'nccl' },
  {
    words: '--engine nccl --max 1G --transport p2p,socket,sisci',
    about: 'three transports, interleaved',
    engine: 'nccl',
    uses: ['max'],
    over: ['p2p', 'socket', 'sisci'],
  },
  {
    words: '--engine nccl -b 8 -e 1G -f 2 -n 20',
    about: 'as nccl-tests is called',
    engine: 'nccl',
    uses: ['min', 'max', 'factor'],
  },
  { words: '--engine nccl --explain', about: 'which library, and which settings', engine: 'nccl' },
  { words: '--engine nvshmem', about: 'GPUs that communicate themselves', engine: 'nvshmem' },
  { words: '--python ~/venv/bin/python', about: 'two workers of PyTorch', engine: 'torch' },
  { words: '--engine tensorflow --image 64', about: 'two workers of TensorFlow', engine: 'tensorflow' },
  {
    words: `--items 16,32 --command '["python","my_train.py"]'`,
    about: 'what train -- python my_train.py measures',
    engine: 'script',
  },
];

/** Example command lines for the help of a command. Examples that its workload or engines do not allow are left out. */
function examplesOf({ name, workload }: MeasuredCommand): CommandDefinition['examples'] {
  const isOn = (engine: CommandExample['engine']) => commandsOf(planningEngines[engine]).includes(name);
  return (isOn('cpu') ? onCpu : elsewhere)
    .filter(
      ({ engine, uses = [] }) =>
        isOn(engine) && !uses.some((option) => workload.unusedOptions.includes(option)),
    )
    .filter(({ over = [] }) => carriersOf(workload, over).length === over.length)
    .map(({ words, about }): [string, string] => [`collbench ${name} ${words}`.trimEnd(), about]);
}

/**
 * Replaces names of stored runs (ids, labels, `last`) by the paths of their folders, in the words before the first option. Names of
 * jobs, files and other words stay.
 * @throws StoreError if a word names a suite, explanation or bisection
 */
async function runsAsFolders(words: readonly string[]): Promise<string[]> {
  const end = words.findIndex((word) => word.startsWith('-'));
  const named = words.slice(0, end < 0 ? words.length : end);
  const lists = await Promise.all(
    named.map(async (word) => (await Promise.all(word.split(',').map(runAsFolder))).join(',')),
  );
  return [...lists, ...words.slice(named.length)];
}

async function runAsFolder(word: string): Promise<string> {
  const isJob = word === '' || word === 'all' || shippedJobs.some(({ name }) => name === word);
  const there = statSync(word, { throwIfNoEntry: false });
  if (isJob || there?.isFile() === true) return word;
  const { findRun } = await import('../../results/store/read.ts');
  const { isOfFinding, isOfSuite, StoreError } = await import('../../results/store/errors.ts');
  try {
    const folder = await findRun(word);
    // A list of jobs uses commas, so a folder with a comma in its path cannot be used.
    return there !== undefined || folder.includes(',') ? word : nearPath(folder);
  } catch (error) {
    if (error instanceof StoreError && !isOfSuite(error) && !isOfFinding(error)) return word;
    throw error;
  }
}

/**
 * True if the command line or config file sets the option, or another one that replaces it: --sizes instead of --max and --factor,
 * --step instead of --factor. The planner must then not change the value.
 */
const isNamed = (key: UnsetOption, line: ParsedLine['said']): boolean =>
  line.has(key) || (key !== 'warmup' && line.has('sizes')) || (key === 'factor' && line.has('step'));

const lettersMeaning = 'Letters mean what they mean in nccl-tests.';

/** Definition of a command that does not exist. Its help is the text of `help options`: the options of all measuring commands. */
export function sharedOptions(): CommandDefinition {
  return {
    ...measure(commandNamed('allreduce')),
    options: measuringOptionRows(commandNamed('allreduce').workload),
    name: 'COMMAND',
    command: 'COMMAND',
    describe:
      'Options of all measuring commands. A command can have more, and ignore some: collbench COMMAND --help.',
    epilogue: `${lettersMeaning} More: collbench help method`,
  };
}

export function measure(command: MeasuredCommand): CommandDefinition {
  const { name, summary, workload } = command;
  const describe = `${name.charAt(0).toUpperCase()}${name.slice(1)}: ${summary}.`;
  return {
    ...measuringSyntax(command),
    describe,
    ...(workload.positional === undefined
      ? {}
      : { argument: { help: `Values of --${workload.positional}` } }),
    examples: examplesOf(command),
    epilogue: `${lettersMeaning} More: collbench help options, collbench help method`,
    ...(workload.positional === 'job' ? { resolveRuns: runsAsFolders } : {}),
    async handler(line) {
      for (const note of line.notes) printNote(note);
      // readLine is imported here, because completion loads this file and does not need it.
      const [config, { readLine }] = await Promise.all([configOf(line), import('../line/read.ts')]);
      const requests = linesOfEngines(line).map((words): CommandRun => {
        const one = words === line.words ? line : readLine(measuringSyntax(command), words);
        const options = measuringOptions(command, one, config);
        const free = freeOptions.filter((key) => !isNamed(key, one.said));
        return { command, options: { ...options, free }, words };
      });
      process.exitCode = await run(requests);
    },
  };
}
