// The shape of suite files. Values are checked by the option table, which bin passes in.
import { z } from 'zod';

/** An option that an entry of a suite may set; the table is in `bin/options`. */
export interface SuiteOption {
  /** Long name of the option, for example "in-place". */
  name: string;
  help: string;
  allowed: string;
  /** The problem with a value, in the same words as on the command line; null if the value is valid. */
  check(text: string): string | null;
}

export interface SuiteSchema {
  collectives: readonly string[];
  options: readonly SuiteOption[];
  /**
   * True if two options exclude each other (for example sizes and min). Of two such options in different layers, the one of the
   * later layer is kept.
   */
  areRivals(one: string, other: string): boolean;
}

export const entryName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$/;
/** Maximum number of runs of a suite: its entries after the matrices are expanded. */
export const maxSuiteEntries = 500;

/** Allowed keys: `suiteKeys` at the top of a suite file, `entryKeys` in an entry besides option names. */
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

/** Schema of suite files. It checks suites and, as JSON Schema, helps editors. */
export function suiteSchema({ collectives, options }: SuiteSchema) {
  const names = collectives as [string, ...string[]];
  const optionValues = Object.fromEntries(
    options.map(({ name, help, allowed }) => [
      name,
      value.optional().describe(`${help} Allowed: ${allowed}.`),
    ]),
  );
  const axes = Object.fromEntries(options.map(({ name, help }) => [name, axis.optional().describe(help)]));
  const excluded = Object.fromEntries(
    options.map(({ name, help }) => [name, z.union([scalar, axis]).optional().describe(help)]),
  );
  const collective = z.enum(names).describe('What is measured.');
  const environment = z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .describe(
      'Variables of all processes: NCCL_*, NVSHMEM_*, UCX_*, FI_*, OFI_*, OMPI_*, SOFTNTB_*, COLLBENCH_*.',
    );
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
