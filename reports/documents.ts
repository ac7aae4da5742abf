// Text of the two pages in docs/ that are generated from tables: options, and checks of `collbench doctor`.
import { checks, clusterChecks } from '../results/doctor/checks/index.ts';
import { escapeTableCell } from '../results/markup-text.ts';
import { markdownTable } from './document/markdown.ts';

/** One command-line option as a row of a table in docs/options.md. */
export interface DocumentedOption {
  /** Long name of the option, without the leading `--`: "dtype". */
  name: string;
  /** Short name of the option: a letter, without the dash; absent if the option has none. */
  short?: string | undefined;
  /** Placeholder for the option's value in help texts; absent if the option takes no value. */
  value?: string;
  /** Sentence that says what the option does. */
  describe: string;
  /** Default value of the option as the documentation shows it; '' if it has none. */
  shown: string;
  /** Text about the values that the option accepts; absent if there is nothing to say. */
  allowed?: string;
  /** Example of the option with a value: "--dtype float16". */
  example?: string;
}

const code = (text: string) => `\`${text}\``;

const option = ({ name, value }: DocumentedOption) =>
  code(`--${name}${value === undefined ? '' : ` ${value}`}`);
const optionTexts = ({ describe, shown, allowed = '' }: DocumentedOption) =>
  [describe, shown, allowed].map(escapeTableCell);

export interface OptionTables {
  groups: readonly { title: string; options: readonly DocumentedOption[] }[];
  /**
   * Options that belong to a single command (`name`), by command. `lead`: text between the command's heading and its options; null
   * = none.
   */
  commands: readonly { name: string; lead: string | null; options: readonly DocumentedOption[] }[];
  /**
   * Short options of nccl-tests that collbench does not support, by letter: meaning in nccl-tests (`means`) and replacement
   * (`instead`).
   */
  letters: Readonly<Record<string, { means: string; instead: string }>>;
}

/** Returns the Markdown text of docs/options.md, which is generated from the option tables. */
export function optionsDocument({ groups, commands, letters }: OptionTables): string {
  const heads = ['what it does', 'default', 'allowed', 'example'];
  return [
    '# Options of the collectives',
    '',
    'Made by `npm run docs` from the tables in `suites/options/`, `orchestration/preparing/` and `bin/options/`; a test',
    'keeps them alike. The short letters mean what they mean in nccl-tests. In a config file (`--config`) the long names are the keys.',
    ...groups.flatMap(({ title, options }) => [
      '',
      `## ${title}`,
      '',
      ...markdownTable(
        ['option', 'short', ...heads],
        options.map((flag) => [
          option(flag),
          flag.short === undefined ? '' : code(`-${flag.short}`),
          ...optionTexts(flag),
          code(flag.example ?? ''),
        ]),
      ),
    ]),
    ...commands.flatMap(({ name, lead, options }) => [
      '',
      `## collbench ${name}`,
      '',
      ...(lead === null ? [] : [lead, '']),
      ...markdownTable(
        ['option', ...heads],
        options.map((flag) => [option(flag), ...optionTexts(flag), code(flag.example ?? '')]),
      ),
    ]),
    '',
    '## Letters of nccl-tests that do not apply',
    '',
    ...markdownTable(
      ['letter', 'there', 'here'],
      Object.entries(letters).map(([letter, { means, instead }]) => [code(`-${letter}`), means, instead]),
    ),
    '',
  ].join('\n');
}

type DocumentedCheck = { id: string; title: string; transports: 'all' | readonly string[]; why: string };

const checkTable = (rows: readonly DocumentedCheck[]) =>
  markdownTable(
    ['check', 'looks at', 'matters to', 'why'],
    rows.map(({ id, title, transports, why }) => [
      code(id),
      escapeTableCell(title),
      transports === 'all' ? 'all' : transports.join(', '),
      escapeTableCell(why),
    ]),
  );

/** Returns the Markdown text of docs/doctor.md, which is generated from the tables of checks. */
export const doctorDocument = (): string =>
  [
    '# Checks of collbench doctor',
    '',
    'Made from the tables of `results/doctor` by `npm run docs`; a test keeps them alike. A check that does not apply',
    '(no GPU, no adapter, one host only) is skipped and counted. With `--transport` only checks that matter to it run.',
    '',
    ...markdownTable(
      ['severity', 'meaning', 'exit code'],
      [
        ['ok', 'as it should be', '0'],
        ['note', 'worth knowing; results are not affected', '0'],
        ['unknown', 'could not be read', '5'],
        ['warning', 'a run works, but its results may be unreliable', '5'],
        ['error', 'a run will not start, will hang, or give wrong data', '2'],
      ],
    ),
    '',
    'Codes are the same as everywhere: 2 something does not run, 5 no verdict. The worst finding decides. A script that',
    'ignores warnings uses `--json` and reads `worst`.',
    '',
    '## Each machine',
    '',
    ...checkTable(checks),
    '',
    '## Several machines together',
    '',
    ...checkTable(clusterChecks),
    '',
  ].join('\n');
