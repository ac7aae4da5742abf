// Writes docs/options.md from the option table: `npm run docs`.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from './native.ts';
import { foreignFlags } from './nccl-tests.ts';
import { type Flag, flags, groups, optionKeys } from './options/index.ts';

export const optionsFile = path.join(packageRoot, 'docs', 'options.md');

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

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  writeFileSync(optionsFile, optionsDocument());
}
