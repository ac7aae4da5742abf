// Writes docs/options.md and the schema of suites from the option table, docs/doctor.md from the table of checks: `npm run docs`.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../orchestration/build.ts';
import { checks, clusterChecks } from '../results/doctor/index.ts';
import { suiteJsonSchema } from '../suites/suite/index.ts';
import { foreignFlags } from './nccl-tests.ts';
import { compareFlags } from './options/compare.ts';
import { type Flag, flags, groups, optionKeys } from './options/index.ts';
import { pairsFlags, pairsKeys } from './options/pairs.ts';
import { reading, schemaFile } from './suite-options.ts';

export const optionsFile = path.join(packageRoot, 'docs', 'options.md');
export { schemaFile };
export const doctorFile = path.join(packageRoot, 'docs', 'doctor.md');

/** Text in a table cell; a bar would end it. */
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

function rows(group: string): string[] {
  return optionKeys
    .filter((key) => flags[key].group === group)
    .map((key) => {
      const flag: Flag<unknown> = flags[key];
      const short = flag.short === undefined ? '' : `\`-${flag.short}\``;
      const name = `\`--${flag.name}${flag.value === undefined ? '' : ` ${flag.value}`}\``;
      const help = cell(flag.help);
      return `| ${name} | ${short} | ${help} | ${cell(flag.shown)} | ${cell(flag.allowed)} | \`${flag.example}\` |`;
    });
}

type OwnFlag = Pick<Flag<unknown>, 'name' | 'help' | 'shown' | 'allowed' | 'example'> & { value?: string };

function ownRow({ name, value, help, shown, allowed, example }: OwnFlag): string {
  const rest = [help, shown, allowed].map(cell).join(' | ');
  return `| \`--${name}${value === undefined ? '' : ` ${value}`}\` | ${rest} | \`${example}\` |`;
}

/** docs/options.md as it should be. */
export function optionsDocument(): string {
  return [
    '# Options of the collectives',
    '',
    'Made from `bin/options.ts` by `npm run docs`; a test keeps the two alike. The short letters mean what they mean in',
    'nccl-tests. In a config file (`--config`) the long names are the keys.',
    ...groups.flatMap((group) => [
      '',
      `## ${group}`,
      '',
      '| option | short | what it does | default | allowed | example |',
      '|---|---|---|---|---|---|',
      ...rows(group),
    ]),
    '',
    '## collbench pairs',
    '',
    `Beside its own it has these of the collectives, with the same meaning: ${pairsKeys.map((key) => `\`--${flags[key].name}\``).join(', ')}.`,
    '',
    '| option | what it does | default | allowed | example |',
    '|---|---|---|---|---|',
    ...Object.values(pairsFlags).map(ownRow),
    '',
    '## collbench compare',
    '',
    '| option | what it does | default | allowed | example |',
    '|---|---|---|---|---|',
    ...Object.values(compareFlags).map(ownRow),
    '',
    '## Letters of nccl-tests that do not apply',
    '',
    '| letter | there | here |',
    '|---|---|---|',
    ...Object.entries(foreignFlags).map(
      ([letter, { means, instead }]) => `| \`-${letter}\` | ${means} | ${instead} |`,
    ),
    '',
  ].join('\n');
}

/** suites/library/schema.json as it should be: what editors know of suites. */
export const schemaDocument = (): string => suiteJsonSchema(reading);

/** docs/doctor.md as it should be. */
export function doctorDocument(): string {
  const table = (
    rowsOf: readonly { id: string; title: string; transports: 'all' | readonly string[]; why: string }[],
  ) => [
    '| check | looks at | matters to | why |',
    '|---|---|---|---|',
    ...rowsOf.map(({ id, title, transports, why }) => {
      const of = transports === 'all' ? 'all' : transports.join(', ');
      return `| \`${id}\` | ${cell(title)} | ${of} | ${cell(why)} |`;
    }),
  ];
  return [
    '# Checks of collbench doctor',
    '',
    'Made from the tables of `results/doctor` by `npm run docs`; a test keeps them alike. A check that has nothing to look at',
    '(no GPU, no adapter, one host only) is passed over, and counted. With `--transport` only checks that matter to it are made.',
    '',
    '| severity | | exit code |',
    '|---|---|---|',
    '| ok | as it should be | 0 |',
    '| note | worth knowing; figures are not spoilt | 0 |',
    '| unknown | could not be seen, so it may be anything | 5 |',
    '| warning | a run works, and its figures may be worse, or unlike the next | 5 |',
    '| error | a run will not start, will hang, or give wrong data | 2 |',
    '',
    'Codes mean what they mean elsewhere: 2 something does not run, 5 no verdict. The gravest finding decides. A script that',
    'takes warnings in its stride asks for `--json` and looks at `worst`.',
    '',
    '## Of each machine',
    '',
    ...table(checks),
    '',
    '## Of several machines together',
    '',
    ...table(clusterChecks),
    '',
  ].join('\n');
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  writeFileSync(optionsFile, optionsDocument());
  writeFileSync(doctorFile, doctorDocument());
  writeFileSync(schemaFile, schemaDocument());
}
