// The shape of suite files. Values are checked by the option table, which bin passes in.
import { z } from 'zod';
import { recordedPrefixes } from '../../results/store/environment.ts';
import type { OptionRow, OptionRows } from '../options/option.ts';

export interface SuiteSchema {
  collectives: readonly string[];
  /** Options that an entry may set, keyed by their long names without "--". */
  options: OptionRows;
}

export const entryName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$/;
/** Maximum number of runs of a suite, counted after the matrices of its entries are expanded. */
export const maxSuiteEntries = 500;

/** Keys allowed at the top of a suite file. `entryKeys` below are the keys allowed in an entry, besides option names. */
export const suiteKeys = [
  'title',
  'include',
  'options',
  'environment',
  'anchor',
  'detect',
  'entries',
  'override',
  'drop',
] as const;
export const entryKeys = ['collective', 'environment', 'optional', 'unless', 'matrix', 'exclude'] as const;

const scalar = z.union([z.string(), z.number(), z.boolean()]);
const value = z.union([scalar, z.array(scalar)]);
const axis = z.array(value).min(1).describe('Each value makes an entry of its own.');

/** Schema (zod) of suite files for these commands and options. It checks suite files; its JSON Schema form helps editors. */
export function suiteSchema({ collectives, options }: SuiteSchema) {
  const names = collectives as [string, ...string[]];
  const ofEach = <T>(make: (row: OptionRow) => T): Record<string, T> =>
    Object.fromEntries(Object.entries(options).map(([name, row]) => [name, make(row)]));
  const optionValues = ofEach(({ describe, allowed }) =>
    value.optional().describe(`${describe} Allowed: ${allowed}.`),
  );
  const axes = ofEach(({ describe }) => axis.optional().describe(describe));
  const excluded = ofEach(({ describe }) => z.union([scalar, axis]).optional().describe(describe));
  const collective = z.enum(names).describe('What is measured.');
  const environment = z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .describe(`Variables of all processes: ${recordedPrefixes.map((prefix) => `${prefix}*`).join(', ')}.`);
  const settings = {
    ...optionValues,
    environment: environment.optional(),
    optional: z
      .enum(['true', 'false'])
      .or(z.boolean())
      .optional()
      .describe('true: no failure where the machine cannot run it.'),
    unless: z
      .union([z.string(), z.array(z.string()).max(16)])
      .optional()
      .describe('Entries that make this one needless: it is left out where one of them can run.'),
    matrix: z
      .strictObject({ collective: z.array(collective).min(1).optional(), ...axes })
      .optional()
      .describe('Every combination of these values is an entry, a run of its own.'),
    exclude: z
      .array(z.strictObject({ collective: value.optional(), ...excluded }))
      .optional()
      .describe('Combinations of the matrix that are left out.'),
  };
  return z.strictObject({
    title: z.string().max(120).optional().describe('For lists and reports.'),
    include: z
      .union([z.string(), z.array(z.string()).max(16)])
      .optional()
      .describe('Other suites: files below the folder of this one, or library:NAME.'),
    options: z.strictObject(optionValues).optional().describe('Options of all entries.'),
    environment: environment.optional(),
    anchor: z
      .strictObject({ ...optionValues, environment: environment.optional() })
      .optional()
      .describe(
        'Reference build of the gate, interleaved with the candidate: the same entries with these options.',
      ),
    detect: scalar.optional().describe('Smallest change that the gate must detect: 5%.'),
    entries: z
      .record(
        z.string(),
        z.strictObject({ collective: z.union([collective, z.array(collective).min(1)]), ...settings }),
      )
      .optional()
      .describe('What is measured, by name.'),
    override: z
      .record(
        z.string(),
        z.strictObject({
          collective: z.union([collective, z.array(collective).min(1)]).optional(),
          ...settings,
        }),
      )
      .optional()
      .describe('Changes of included entries.'),
    drop: z.array(z.string()).optional().describe('Included entries that are left out.'),
  });
}

/** The schema of suite files as JSON Schema for editors: the content of `suites/library/schema.json`. */
export function suiteJsonSchema(vocabulary: SuiteSchema): string {
  const { $schema, ...body } = z.toJSONSchema(suiteSchema(vocabulary), {
    target: 'draft-2020-12',
    io: 'input',
    reused: 'ref',
  });
  const document = { $schema, title: 'A suite of collbench', description: 'See docs/suites.md.', ...body };
  return `${JSON.stringify(document, null, 1)}\n`;
}
