// Writes docs/options.md and the schema of suites from the option table, and docs/doctor.md from the table of checks: `npm run
// docs`.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { doctorDocument, optionsDocument } from '../reports/documents.ts';
import { packageRoot } from '../results/package.ts';
import { foreignFlags } from '../suites/options/foreign-flags.ts';
import { defaultText, letterOf, type OptionRows, optionName } from '../suites/options/option.ts';
import { suiteJsonSchema } from '../suites/suite/schema.ts';
import { compareOptions } from './commands/compare.ts';
import { pairsKeys, pairsOptions } from './commands/pairs.ts';
import { optionKeys, optionRows } from './options/index.ts';
import { schemaFile, suiteReading } from './suite-options.ts';

const inDocs = (name: string) => path.join(packageRoot, 'docs', name);
const borrowed = pairsKeys.map((key) => `\`--${optionName(key)}\``).join(', ');

const documented = (rows: OptionRows) =>
  Object.entries(rows).map(([key, row]) => ({
    ...row,
    name: optionName(key),
    short: letterOf(row),
    shown: defaultText(row) ?? '',
  }));

/** Files that `npm run docs` writes, by path; the function returns the text of the file. */
export const documents: ReadonlyMap<string, () => string> = new Map([
  [
    inDocs('options.md'),
    () =>
      optionsDocument({
        groups: [...new Set(optionKeys.map((key) => optionRows[key].group ?? ''))].map((title) => ({
          title,
          options: documented(optionRows).filter(({ group }) => group === title),
        })),
        commands: [
          {
            name: 'pairs',
            lead: `It also takes these options of the collectives: ${borrowed}.`,
            options: documented(pairsOptions),
          },
          { name: 'compare', lead: null, options: documented(compareOptions) },
        ],
        letters: foreignFlags,
      }),
  ],
  [inDocs('doctor.md'), doctorDocument],
  [schemaFile, () => suiteJsonSchema(suiteReading)],
]);

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const [file, text] of documents) writeFileSync(file, text());
}
