import { inGroup, type OptionValues, switchOption } from '../../suites/options/option.ts';
import { text, ValueError } from '../../suites/options/values.ts';

/** Names that users try for the option --out, because other programs use them. The command line suggests --out instead. */
export const outSynonyms = ['output', 'outdir', 'out-dir', 'output-dir', 'output-folder'];

export const outputOptionRows = inGroup('Output', {
  out: {
    synonyms: outSynonyms,
    value: 'DIR',
    default: null,
    defaultDescription: 'collbench-runs/<time>-<what>-<id>',
    allowed: 'a folder that does not exist yet or is empty',
    describe: 'Folder of this run.',
    example: '--out results/monday',
    coerce: text,
  },
  label: {
    synonyms: ['name', 'title'],
    value: 'NAME',
    default: null,
    allowed: 'up to 60 letters, digits, spaces and ._+-, not like an id',
    describe: 'A name for this run, usable instead of its id.',
    example: '--label before-the-upgrade',
    coerce: labelValue,
  },
  tag: {
    value: 'LIST',
    default: {},
    defaultDescription: 'none',
    allowed: 'a comma list of NAME=VALUE; may be repeated',
    describe: 'Tags for runs --filter.',
    example: '--tag driver=570 --tag rack=7',
    coerce: tagValues,
  },
  note: {
    synonyms: ['comment', 'message', 'description'],
    value: 'TEXT',
    default: null,
    allowed: 'any text of one line',
    describe: 'A note stored with the run.',
    example: '--note calibrated',
    coerce: text,
  },
  why: {
    ...switchOption,
    describe:
      'Then find out why it is not faster, as collbench explain does. Collectives and messages of the engines cpu and nccl.',
    example: '--why',
  },
  verbose: {
    synonyms: ['details', 'debug'],
    ...switchOption,
    alias: 'v',
    describe:
      'Print all sentences under the table. Without it five lines; the report and show have the rest.',
    example: '--verbose',
  },
  json: {
    ...switchOption,
    describe:
      'JSON lines on stdout instead of the table: one object per configuration at the end, then a summary.',
    example: '--json',
  },
  jsonLive: {
    ...switchOption,
    describe: 'Like --json, plus each configuration as soon as it is measured, marked provisional.',
    example: '--json-live',
  },
  jsonFile: {
    synonyms: ['json-out', 'json-output'],
    alias: ['J', 'output_file'],
    value: 'FILE',
    default: null,
    allowed: 'a file that can be written',
    describe: 'Write the JSON lines to a file, in addition to the table.',
    example: '--json-file cells.ndjson',
    coerce: text,
  },
  planOnly: {
    synonyms: ['dry-run', 'plan'],
    ...switchOption,
    describe:
      'Print what would be measured, where and for how long; measure nothing. With --json: the complete plan.',
    example: '--plan-only',
  },
  explain: {
    ...switchOption,
    describe: 'Explain what each transport would set and load here; measure nothing.',
    example: '--engine nccl --transport socket,sisci --explain',
  },
  config: {
    value: 'FILE',
    default: null,
    allowed: 'a YAML file whose keys are the long names of these options',
    describe: 'Read options from FILE. Command-line options take precedence.',
    example: '--config nightly.yaml',
    coerce: text,
  },
});

/** Values of the options about output: folder, label, tags, notes, JSON output, and printing the plan instead of measuring. */
export type OutputOptions = OptionValues<typeof outputOptionRows>;

// Labels and tags of runs.

const mark = /^[\p{L}\p{N}][\p{L}\p{N} ._+-]{0,59}$/u;
/** Texts that are not allowed as labels, because commands would take them for the id of a run or for the newest run. */
const taken = /^(?:[0-9a-f]{6}|last(?:~\d+)?)$/;

function labelValue(text: string): string {
  if (taken.test(text)) throw new ValueError('it looks like the id of a run');
  if (!mark.test(text)) throw new ValueError('not a label');
  return text;
}

/**
 * Parses the value of --tag, a list such as "driver=570,rack=7", to values by name. If a name is repeated, its last value is used.
 * @throws ValueError if an item is not NAME=VALUE
 */
function tagValues(text: string): Record<string, string> {
  const pairs = text.split(',').map((pair): [string, string] => {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
    if (!/^[A-Za-z][\w.-]{0,39}$/.test(name) || !mark.test(value))
      throw new ValueError(`${pair} is not NAME=VALUE`);
    return [name, value];
  });
  return Object.fromEntries(pairs);
}
