// Writes docs/options.md and the schema of suites from the option table, and docs/doctor.md from the table of checks: `npm run
// docs`.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { doctorDocument, optionsDocument } from '../reports/documents.ts';
import { packageRoot } from '../results/package.ts';
import { foreignFlags } from '../suites/options/foreign-flags.ts';
import { suiteJsonSchema } from '../suites/suite/index.ts';
import { compareFlags } from './options/compare.ts';
import { flags, groups, optionKeys } from './options/index.ts';
import { pairsFlags, pairsKeys } from './options/pairs.ts';
import { schemaFile, suiteReading } from './suite-options.ts';

const inDocs = (name: string) => path.join(packageRoot, 'docs', name);
const borrowed = pairsKeys.map((key) => `\`--${flags[key].name}\``).join(', ');

/** Generated documents: the function that makes the text, by path of the document. */
export const documents: ReadonlyMap<string, () => string> = new Map([
  [
    inDocs('options.md'),
    () =>
      optionsDocument({
        groups: groups.map((title) => ({
          title,
          flags: optionKeys.map((key) => flags[key]).filter(({ group }) => group === title),
        })),
        commands: [
          {
            name: 'pairs',
            lead: `It also takes these options of the collectives: ${borrowed}.`,
            flags: Object.values(pairsFlags),
          },
          { name: 'compare', lead: null, flags: Object.values(compareFlags) },
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
