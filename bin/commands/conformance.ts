import { refuse } from '../../results/refusals/refusal.ts';
import { exitCode } from '../../results/verdicts/exit-code.ts';
import { ValueError } from '../../suites/options/flag.ts';
import type { ParsedLine } from '../line/read.ts';
import { printJson, printText } from '../terminal.ts';
import type { CommandDefinition } from './command.ts';
import { offerFirst } from './completions.ts';
import { jsonFlag, optionTable } from './options/own-options.ts';
import { text } from './parsed-values.ts';

const interfaces = ['mlx5', 'sisci'];

/**
 * Checks a list of one or two adapter numbers: "0" or "0,1". Returns it as text.
 * @throws ValueError if the text is no such list
 */
function adapterPair(text: string): string {
  if (!/^\d{1,4}(,\d{1,4})?$/.test(text)) throw new ValueError(text);
  return text;
}

const table = optionTable({
  library: {
    help: 'Library to test, or the folder with its files; system: the installed library',
    shown: 'the emulation',
    value: 'FILE',
    words: ['system'],
    parse: String,
  },
  adapters: {
    help: 'sisci: adapters that export and import segments; one number: both',
    shown: '0',
    value: 'E,I',
    allowed: '0, or 0,1',
    parse: adapterPair,
  },
  ...jsonFlag,
});

async function run({ found }: ParsedLine): Promise<void> {
  const { conformance, emulationOf, isInterface } = await import(
    '../../orchestration/host-checks/conformance.ts'
  );
  const which = text(found, 'interface') ?? '';
  if (!isInterface(which)) throw refuse('conformance-interface', { which, interfaces });
  const { library, adapters, json } = table.read(found);
  if (adapters !== undefined && which !== 'sisci') throw refuse('adapters-of-sisci', { which });
  const path = library === undefined ? emulationOf(which) : library === 'system' ? '' : library;
  const told = await import('../../reports/terminal/conformance.ts');
  const width = Math.max(60, Math.min(process.stdout.columns || 80, 160));
  const rows = [];
  for await (const row of conformance(which, path, adapters)) {
    rows.push(row);
    if (json) printJson(row);
    else if (!told.isLeftOut(row)) printText(`${told.conformanceLine(row, width)}\n`);
  }
  const summary = told.conformanceSummary(rows, path || 'the installed library');
  if (!json) printText(`${[...told.leftOutLines(rows, width), summary].join('\n')}\n`);
  const isGood =
    rows.every((row) => row.outcome !== 'failed') && rows.some((row) => row.outcome === 'passed');
  process.exitCode = isGood ? exitCode.ok : exitCode.notRun;
}

export const conformance: CommandDefinition = {
  name: 'conformance',
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
  flags: table.flags,
  epilogue:
    'Each test runs in a process of its own, so a crash or a hang is one failed test. What a card does not have is skipped, with the reason. For sisci both sides run here: the adapter connects to its own node, or to a second one (--adapters). Exit codes: 0 all passed or skipped; 2 a test failed, or none could run.',
  offer: offerFirst(interfaces),
  handler: run,
};
