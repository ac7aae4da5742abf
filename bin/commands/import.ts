import { version } from '../../orchestration/build.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import { collectiveNames } from '../../results/schema/index.ts';
import { sanitiseLine } from '../../results/text.ts';
import { failureText } from '../../results/verdicts/failure.ts';
import type { OptionValues } from '../../suites/options/option.ts';
import { size as parseByteCount, sizeAllowed, ValueError, wholeNumber } from '../../suites/options/values.ts';
import { nearPath, printJson, printMessage, printNote, printSentences } from '../terminal.ts';
import { defineCommand } from './command.ts';
import { files } from './completions.ts';
import { jsonOption, outFolder, rootOption } from './options.ts';

const longestLabel = 60;

function label(text: string): string {
  const name = text.trim();
  if (name !== '' && name.length <= longestLabel && !/[\p{Cc}@]/u.test(name)) return name;
  throw new ValueError('no name of a series');
}

const options = {
  format: {
    value: 'NAME',
    describe: 'Format, if it cannot be detected: nccl-tests, osu, ...',
    coerce: String,
  },
  label: {
    value: 'NAME',
    describe: 'Name of its series in tables and charts; of a bundle: label of the run',
    allowed: `1 to ${longestLabel} characters, no @ and no control characters`,
    coerce: label,
  },
  ranks: {
    value: 'N',
    describe: 'Number of ranks, if the output does not state it, or which of several to import',
    allowed: '1 to 1000000',
    coerce: wholeNumber(1, 1_000_000),
  },
  collective: {
    value: 'NAME',
    describe: 'Collective, if the output does not state it (nccl-tests before June 2025)',
    coerce: String,
  },
  size: {
    value: 'SIZE',
    describe: 'Size of one transfer, if the output does not state it (nvbandwidth)',
    allowed: sizeAllowed,
    coerce: parseByteCount,
  },
  out: { ...outFolder, describe: 'Folder of the run; new or empty' },
  ...rootOption,
  ...jsonOption,
};

/**
 * Returns the value of an option if it is an allowed word; null if the option was not given.
 * @param option name of the option, for the error
 * @param word value as typed; undefined = the option was not given
 * @param known allowed words
 * @throws Refusal if the word is not allowed; it suggests the most similar one
 */
function oneOf<T extends string>(option: string, word: string | undefined, known: readonly T[]): T | null {
  if (word === undefined) return null;
  const found = known.find((one) => one === word);
  if (found === undefined) throw refuse('unknown-value', { option, word, known });
  return found;
}

/**
 * Stores the run in a file that `collbench bundle` wrote, adds it to the index of runs, and prints where it is stored.
 * @throws Refusal if the user gave options that only other formats use, or if the bundle cannot be read; StoreError if the run
 * cannot be stored
 */
async function importBundle(file: string, values: OptionValues<typeof options>): Promise<void> {
  for (const option of ['format', 'ranks', 'collective', 'size'] as const) {
    if (values[option] !== undefined) throw refuse('bundle-option', { option });
  }
  const { readBundle } = await import('../../results/bundle/read.ts');
  const { enterIndex } = await import('../../results/store/run-index/open.ts');
  const { openRun } = await import('../../results/store/read.ts');
  const { root, out, label } = values;
  const { record, dir } = await readBundle(file, { root, out, label });
  const problem = await enterIndex(await openRun(dir));
  if (problem !== null) printNote(problem);
  const { bundleLines } = await import('../../reports/imported.ts');
  if (values.json) return printJson({ type: 'run', dir, ...record });
  printSentences(`${bundleLines(record, nearPath(dir)).map(sanitiseLine).join('\n')}\n`);
}

async function run(all: OptionValues<typeof options> & { file: string[] }): Promise<void> {
  const { size, root, out, json, ...said } = all;
  const { foreignRun, keepImported } = await import('../../results/import/keep.ts');
  const { formatNames } = await import('../../results/import/formats.ts');
  const { titleOf } = await import('../../orchestration/running/new-record.ts');
  const { runTools } = await import('../run-tools.ts');
  const { importedLines } = await import('../../reports/imported.ts');
  const { isBundle } = await import('../../results/bundle/packed.ts');
  // yargs-parser turns the argument "-" into an empty word.
  const [named = '', ...others] = all.file;
  const file = named === '' && process.argv.includes('-') ? '-' : named;
  if (file !== '-' && others.length === 0 && (await isBundle(file))) return importBundle(file, all);
  const foreign = await foreignRun(file, {
    format: oneOf('format', said.format, formatNames),
    label: said.label ?? null,
    hints: {
      ranks: said.ranks ?? null,
      collective: oneOf('collective', said.collective, collectiveNames),
      sizeBytes: size ?? null,
    },
    command: ['collbench', ...process.argv.slice(2)],
    others,
  });
  const { record, dir, problem } = await keepImported(foreign, {
    ...{ root, out, title: titleOf(foreign.run.plan), collbenchVersion: version() },
    summarise: runTools.summarise,
  });
  if (problem !== null) printNote(problem);
  if (json) printJson({ type: 'run', dir, ...record });
  else printSentences(`${importedLines(foreign, record, nearPath(dir)).map(sanitiseLine).join('\n')}\n`);
  if (record.failures.length > 0) printMessage(record.failures.map(failureText).join('').trimEnd());
  process.exitCode = record.exitCode ?? 0;
}

export const importForeign = defineCommand({
  command: 'import <file..>',
  describe: 'Store the results of another program as a run.',
  examples: [
    ['collbench import all_reduce.txt --label "NCCL 2.28"', 'what all_reduce_perf printed'],
    ['all_reduce_perf -b 8 -e 1G -f 2 -g 8 | collbench import -', 'directly from a pipe'],
    ['collbench import rank0.json rank1.json', 'traces of one job: waiting and transfer times separately'],
    ['collbench import rank0.et', 'an execution trace of Chakra: a job for collbench replay'],
    ['collbench import osu_allreduce.txt --ranks 16', 'OSU does not print the number of ranks'],
  ],
  argument: {
    help: 'Output of nccl-tests, rccl-tests, OSU, IMB, perftest (also of NVSHMEM and UCC), nvbandwidth, nixlbench, DeepEP, CollectiveX, NCCL Inspector, SuperBench or torch.profiler (a trace, or one per rank); an execution trace of PyTorch, Chakra or PARAM; a file of collbench bundle; - for stdin',
  },
  options,
  offer: files,
  handler: run,
});
