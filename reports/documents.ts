// Pages of docs/ that are generated from tables: options and checks.
import { checks, clusterChecks } from '../results/doctor/index.ts';

export interface DocumentedOption {
  name: string;
  /** Letter of the option, without its dash. */
  short?: string | undefined;
  /** Placeholder for the option's value in help texts; absent if the option takes no value. */
  value?: string;
  describe: string;
  /** The default value. */
  shown: string;
  allowed?: string;
  example?: string;
}

/** Escapes text for a cell of a Markdown table, where a bar would end the cell. */
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
const code = (text: string) => `\`${text}\``;

/** Returns a Markdown table as lines. @param rows texts of the cells by row, already escaped */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(heads), `|${heads.map(() => '---|').join('')}`, ...rows.map(line)];
}

const option = ({ name, value }: DocumentedOption) =>
  code(`--${name}${value === undefined ? '' : ` ${value}`}`);
const said = ({ describe, shown, allowed = '' }: DocumentedOption) => [describe, shown, allowed].map(cell);

export interface OptionTables {
  groups: readonly { title: string; options: readonly DocumentedOption[] }[];
  /** Commands and the options that only they have. `lead`: introduction before their options; null = none. */
  commands: readonly { name: string; lead: string | null; options: readonly DocumentedOption[] }[];
  /** Short options (letters) of nccl-tests that collbench does not support, with their meaning and a replacement. */
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
      ...table(
        ['option', 'short', ...heads],
        options.map((flag) => [
          option(flag),
          flag.short === undefined ? '' : code(`-${flag.short}`),
          ...said(flag),
          code(flag.example ?? ''),
        ]),
      ),
    ]),
    ...commands.flatMap(({ name, lead, options }) => [
      '',
      `## collbench ${name}`,
      '',
      ...(lead === null ? [] : [lead, '']),
      ...table(
        ['option', ...heads],
        options.map((flag) => [option(flag), ...said(flag), code(flag.example ?? '')]),
      ),
    ]),
    '',
    '## Letters of nccl-tests that do not apply',
    '',
    ...table(
      ['letter', 'there', 'here'],
      Object.entries(letters).map(([letter, { means, instead }]) => [code(`-${letter}`), means, instead]),
    ),
    '',
  ].join('\n');
}

type DocumentedCheck = { id: string; title: string; transports: 'all' | readonly string[]; why: string };

const checkTable = (rows: readonly DocumentedCheck[]) =>
  table(
    ['check', 'looks at', 'matters to', 'why'],
    rows.map(({ id, title, transports, why }) => [
      code(id),
      cell(title),
      transports === 'all' ? 'all' : transports.join(', '),
      cell(why),
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
    '| severity | | exit code |',
    '|---|---|---|',
    '| ok | as it should be | 0 |',
    '| note | worth knowing; results are not affected | 0 |',
    '| unknown | could not be read | 5 |',
    '| warning | a run works, but its results may be unreliable | 5 |',
    '| error | a run will not start, will hang, or give wrong data | 2 |',
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
