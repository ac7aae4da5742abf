import type { ConformanceRow } from '../../orchestration/host-checks/conformance.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import { exitCode } from '../../results/verdicts/exit-code.ts';
import type { OptionValues } from '../../suites/options/option.ts';
import { ValueError } from '../../suites/options/values.ts';
import { printJson, printSentences, printText, shapeOfStdout } from '../terminal.ts';
import { defineCommand } from './command.ts';
import { offerFirst } from './completions.ts';
import { jsonOption } from './options.ts';

const interfaces = ['mlx5', 'sisci'];

/**
 * Checks a list of one or two adapter numbers, "0" or "0,1", and returns it unchanged.
 * @throws ValueError if the text is not such a list
 */
function adapterPair(text: string): string {
  if (!/^\d{1,4}(,\d{1,4})?$/.test(text)) throw new ValueError(text);
  return text;
}

const options = {
  library: {
    describe: 'Library to test, or the folder with its files; system: the installed library',
    defaultDescription: 'the emulation',
    value: 'FILE',
    choices: ['system'],
    coerce: String,
  },
  adapters: {
    describe: 'sisci: adapters that export and import segments; one number: both',
    defaultDescription: '0',
    value: 'E,I',
    allowed: '0, or 0,1',
    coerce: adapterPair,
  },
  ...jsonOption,
};

/**
 * Prints the result of each conformance test of a library as soon as the test ends; but without --json, tests that were skipped
 * because another one failed are only summed up in the lines at the end. Sets `process.exitCode`: 0 if `isGood`, otherwise 2.
 * @param library name of the library, for the lines at the end
 * @param json true = print each result as a JSON object
 * @returns all results, and lines to print at the end; `isGood` = at least one test passed and none failed
 */
export async function printTests(tests: AsyncIterable<ConformanceRow>, library: string, json: boolean) {
  const told = await import('../../reports/terminal/conformance.ts');
  const width = Math.max(60, Math.min(shapeOfStdout(80).columns, 160));
  const rows: ConformanceRow[] = [];
  for await (const row of tests) {
    rows.push(row);
    if (json) printJson(row);
    else if (!told.isLeftOut(row)) printText(`${told.conformanceLine(row, width)}\n`);
  }
  const end = [...told.leftOutLines(rows, width), told.conformanceSummary(rows, library)];
  const isGood =
    rows.every((row) => row.outcome !== 'failed') && rows.some((row) => row.outcome === 'passed');
  process.exitCode = isGood ? exitCode.ok : exitCode.notRun;
  return { rows, end, isGood };
}

async function run({
  interface: which = '',
  library,
  adapters,
  json,
}: OptionValues<typeof options> & { interface?: string }): Promise<void> {
  const { conformance, emulationOf, isInterface } = await import(
    '../../orchestration/host-checks/conformance.ts'
  );
  if (!isInterface(which)) throw refuse('conformance-interface', { which, interfaces });
  if (adapters !== undefined && which !== 'sisci') throw refuse('adapters-of-sisci', { which });
  const path = library === undefined ? emulationOf(which) : library === 'system' ? '' : library;
  const { end } = await printTests(conformance(which, path, adapters), path || 'the installed library', json);
  if (!json) printSentences(`${end.join('\n')}\n`);
}

export const conformance = defineCommand({
  command: 'conformance [interface]',
  describe: 'Test whether a library conforms to its interface.',
  argument: { help: 'mlx5: libibverbs and libmlx5; sisci: libsisci' },
  examples: [
    ['collbench conformance mlx5', 'softmlx5, the emulation'],
    ['collbench conformance mlx5 --library system', 'the installed library with its ConnectX'],
    ['collbench conformance mlx5 --library ~/rdma-core/build/lib', 'a library of your own'],
    ['collbench conformance sisci', 'softntb, the emulation'],
    ['collbench conformance sisci --library system', 'the installed libsisci with its Dolphin adapter'],
    ['collbench conformance sisci --library system --adapters 0,1', 'two adapters of this machine'],
  ],
  options,
  epilogue:
    'Each test runs in a process of its own, so a crash or a hang is one failed test. What a card does not have is skipped, with the reason. For sisci both sides run here: the adapter connects to its own node, or to a second one (--adapters). Exit codes: 0 all passed or skipped; 2 a test failed, or none could run.',
  offer: offerFirst(interfaces),
  handler: run,
});
