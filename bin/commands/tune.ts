import { availableParallelism, hostname } from 'node:os';
import { refuse } from '../../results/refusals/refusal.ts';
import type { CollectiveName, TuningTable } from '../../results/schema/index.ts';
import { collectiveNames } from '../../results/schema/index.ts';
import { defaultRoot } from '../../results/store/paths.ts';
import { exitCode } from '../../results/verdicts/exit-code.ts';
import { cpuAlgorithms } from '../../suites/engines/cpu/algorithms.ts';
import type { OptionValues } from '../../suites/options/option.ts';
import { text, wholeNumber } from '../../suites/options/values.ts';
import { isPlugin } from '../../suites/transports/index.ts';
import { commandNamed } from '../../suites/workloads/index.ts';
import type { ParsedLine } from '../line/read.ts';
import { readOptions } from '../line/read-options.ts';
import { nearPath, ProgressLine, printNote, printText, shapeOfStdout } from '../terminal.ts';
import { defineCommand } from './command.ts';
import { offerUnused } from './completions.ts';
import { sharedOptions } from './options.ts';

/**
 * Highest number of ranks for which tuning tables are measured. With so many ranks the cpu engine connects every rank to every
 * other before a run (native kFullMeshRanks), so that every algorithm finds its connections open.
 */
const maxRanks = 16;
const tunable: readonly CollectiveName[] = collectiveNames.filter(
  (name) => Object.values(cpuAlgorithms).filter((list) => list.some((one) => one === name)).length > 1,
);
const usual: readonly CollectiveName[] = tunable.filter((name) => name !== 'hypercube');

/** Default numbers of ranks to tune for: those of 2, 4, 8 and 16 for which there are CPU cores; 2 is always among them. */
function usualRanks(): number[] {
  const most = Math.min(maxRanks, Math.max(2, availableParallelism()));
  return [2, 4, 8, 16].filter((ranks) => ranks <= most);
}

const ownOptions = {
  ranks: {
    describe: 'Numbers of ranks, a run for each collective and number',
    defaultDescription: '2,4,8,16 as far as there are cores',
    value: 'LIST',
    allowed: 'numbers from 2 to 16: 2,4',
    coerce: (words: string) => words.split(',').map((word) => wholeNumber(2, maxRanks)(word)),
  },
  table: {
    describe: 'File of the tuning table',
    defaultDescription: "this machine's own, which later runs use",
    value: 'FILE',
    allowed: 'a file',
    coerce: text,
  },
};

/**
 * Checks the transports to tune.
 * @throws Refusal if one of them is an NCCL net plugin, because tuning tables are only for transports that are part of collbench
 */
function requireOwnTransports(transports: readonly string[] | null | undefined): void {
  const plugin = transports?.find(isPlugin);
  if (plugin !== undefined) throw refuse('tune-plugin', { plugin });
}

const shared = sharedOptions(
  ['transport', 'proto', 'min', 'max', 'factor', 'launches', 'iters', 'budget', 'timeout', 'out', 'json'],
  {
    max: { defaultDescription: '4M' },
    factor: { defaultDescription: '4' },
    out: { describe: 'Folder for the runs', defaultDescription: 'collbench-runs' },
  },
);
/** Options of the command `tune` that are not passed on to its runs as typed. Each run gets one of the numbers of --ranks. */
const ofTheWhole = ['out', 'json', 'ranks'] as const;

function collectivesIn(words: readonly string[]): readonly CollectiveName[] {
  if (words.length === 0) return usual;
  return [...new Set(words)].map((word) => {
    const found = tunable.find((name) => name === word);
    if (found === undefined) throw refuse('tune-collective', { word, known: tunable });
    return found;
  });
}

const options = { ...shared, ...ownOptions };

async function run(
  values: OptionValues<typeof options> & { collective: string[] },
  { said }: ParsedLine,
): Promise<void> {
  const { measureForTuning } = await import('../../orchestration/tune.ts');
  const { tuningRules, withoutInterval } = await import('../../results/derive/summaries/tuning.ts');
  const store = await import('../../results/store/tuning.ts');
  const { tuningText } = await import('../../reports/terminal/tuning.ts');
  const { runTools, durationOfRuns } = await import('../run-tools.ts');
  const build = await import('../../orchestration/build.ts');
  const { ranks: counts = usualRanks(), table: file = store.usualTuningFile() } = values;
  const { out = null, json = false, transport } = values;
  requireOwnTransports(transport);
  const typed = said.asWords(ofTheWhole);
  const words = (ranks: number) => [
    ...['--engine=cpu', `--ranks=${ranks}`, '--algo=all', '--tuning=off'],
    ...(said.has('max') ? [] : ['--max=4M']),
    ...(said.has('factor') ? [] : ['--factor=4']),
    ...typed,
  ];
  const asked = collectivesIn(values.collective).flatMap((collective) =>
    [...new Set(counts)].map((ranks) => ({
      ...{ command: commandNamed(collective), ranks, words: words(ranks) },
      options: readOptions(collective, words(ranks)),
    })),
  );
  const progress = new ProgressLine();
  progress.note(durationOfRuns(asked.length, values.budget ?? null));
  const { runs, code } = await measureForTuning(asked, out ?? defaultRoot, runTools, {
    note: (line) => progress.note(line),
    progress: (at, share) =>
      progress.show(() => `run ${at + 1} of ${asked.length} · ${Math.round(100 * share)} %`),
    ended: ({ command, ranks }, dir, its) =>
      progress.note(
        `${command.name}, ${ranks} ranks${its === exitCode.ok ? '' : `, exit code ${its}`}: kept in ${nearPath(dir)}`,
      ),
  });
  progress.clear();
  process.exitCode = code;
  if (code !== exitCode.ok) {
    printNote(`no tuning table: ${runs.length} of ${asked.length} runs were measured`);
    return;
  }
  const measured = runs.map(({ record: { plan }, cells }) => ({ plan, cells }));
  const result: TuningTable = {
    schemaVersion: 1,
    at: new Date().toISOString(),
    host: hostname(),
    build: build.version(),
    runs: runs.map(({ dir }) => dir),
    rules: tuningRules(measured),
  };
  await store.writeTuning(file, result);
  const where =
    file === store.usualTuningFile()
      ? 'runs on this machine use it; --tuning off ignores it'
      : `use it with --tuning ${file}`;
  printText(
    json
      ? `${JSON.stringify({ type: 'tuning', file, ...result })}\n`
      : `${tuningText(result.rules, withoutInterval(measured), shapeOfStdout().columns)}${where}\ntable: ${nearPath(file)}\n`,
  );
}

export const tune = defineCommand({
  command: 'tune [collective..]',
  describe:
    'Measure the algorithms of engine cpu on this machine, and write the table that later runs choose by.',
  argument: { help: tunable.join(', '), shown: usual.join(' ') },
  examples: [
    ['collbench tune', 'all collectives with several algorithms, 8 B to 4 MiB, over the usual transport'],
    ['collbench tune allreduce --ranks 2,4 --transport socket,sisci', 'one collective over two transports'],
    ['collbench tune --table ./tuning.json', 'a table of its own, for --tuning ./tuning.json'],
  ],
  options,
  offer: offerUnused(tunable),
  epilogue:
    'An algorithm gets a size only where it is faster than the built-in choice by more than both 95 % intervals. Every run is kept, also when a later one fails. Exit codes: 0 the table is written; 2 a run failed, 3 wrong data, 130 interrupted: no table is written',
  handler: run,
});
