import { collectiveNames } from '../../results/schema/plan.ts';
import { collectives, isCollective } from '../../suites/collectives.ts';
import { CommandError, type ExitCode } from '../exit.ts';
import { parseSmall, type SmallFlag } from '../small-options.ts';

/** A word after `collbench`. What it does is imported only when it is asked for. */
export interface Command {
  name: string;
  summary: string;
  /** After the name: "RUN [--csv]". */
  usage: string;
  /** Whole command lines, each with what it is good for. */
  examples: readonly (readonly [line: string, why: string])[];
  /** Own flags; collectives have the option table instead. */
  flags: Readonly<Record<string, SmallFlag>>;
  start(words: readonly string[]): Promise<ExitCode>;
}

const rootFlag: SmallFlag = {
  type: 'string',
  value: 'DIR',
  help: 'Where runs are kept; default collbench-runs.',
};
const jsonFlag: SmallFlag = { type: 'boolean', help: 'One JSON object per line.' };

function oneRun(command: string, positionals: readonly string[]): string {
  const [run, ...others] = positionals;
  if (run !== undefined && others.length === 0) return run;
  throw new CommandError(
    `${command} needs one run${run === undefined ? '' : `, got ${positionals.length}`}`,
    ['  allowed: the id of a run or its folder', 'Next: collbench runs'],
  );
}

const measuring: Command[] = collectiveNames.map((name) => ({
  name,
  summary: `Measure ${name}: ${collectives[name].summary}.`,
  usage: '[options]',
  examples: [
    [`collbench ${name}`, 'two ranks over TCP, 8 B to 64 MiB'],
    [`collbench ${name} --min 8 --max 1G --transport socket,sisci`, 'two transports, measured in turns'],
    [`collbench ${name} -b 8 -e 1G -f 2 -n 20`, 'as nccl-tests is called'],
    [`collbench ${name} --sizes 8,4K,1M --dtype float16,float32 --ranks 4`, 'chosen sizes and types'],
    [`collbench ${name} --max 16M --transport sisci --link pcie-gen3-x8`, 'behaves like a PCIe NTB link'],
    [`collbench ${name} --max 1M --json > cells.ndjson`, 'for scripts'],
  ],
  flags: {},
  start: async (words) => (await import('./run.ts')).run(name, words),
}));

const others: Command[] = [
  {
    name: 'transports',
    summary: 'List what can run here, and why the rest cannot.',
    usage: '[--explain] [--json]',
    examples: [['collbench transports --explain', 'with what would make the missing ones run']],
    flags: {
      explain: { type: 'boolean', help: 'What each is, and what would make a missing one run.' },
      json: jsonFlag,
    },
    start: async (words) => {
      const { values } = parseSmall('transports', words, 0);
      const { transports } = await import('./transports.ts');
      return transports({ explain: values.explain === true, json: values.json === true });
    },
  },
  {
    name: 'runs',
    summary: 'List the stored runs.',
    usage: '[--root DIR] [--json]',
    examples: [['collbench runs', 'id, time, state, cells and title of each']],
    flags: { root: rootFlag, json: jsonFlag },
    start: async (words) => {
      const { values } = parseSmall('runs', words, 0);
      const { runs } = await import('./runs.ts');
      return runs({ root: values.root as string | undefined, json: values.json === true });
    },
  },
  {
    name: 'show',
    summary: 'Show a stored run as the terminal showed it.',
    usage: 'RUN [--root DIR] [--json]',
    examples: [
      ['collbench show 7f3a2c', 'by id'],
      ['collbench show results/monday', 'by folder'],
    ],
    flags: { root: rootFlag, json: jsonFlag },
    start: async (words) => {
      const { values, positionals } = parseSmall('show', words, 1);
      const { show } = await import('./show.ts');
      const run = oneRun('show', positionals);
      return show({ run, root: values.root as string | undefined, json: values.json === true });
    },
  },
  {
    name: 'export',
    summary: 'Give a stored run to other programs.',
    usage: 'RUN [--csv | --json] [--out FILE] [--root DIR]',
    examples: [['collbench export 7f3a2c --csv > monday.csv', 'one row per cell and kind of trial']],
    flags: {
      csv: {
        type: 'boolean',
        help: 'Comma separated values, one row per cell and kind of trial (the default).',
      },
      json: jsonFlag,
      out: { type: 'string', value: 'FILE', help: 'File instead of stdout.' },
      root: rootFlag,
    },
    start: async (words) => {
      const { values, positionals } = parseSmall('export', words, 1);
      const { exportRun } = await import('./export.ts');
      const run = oneRun('export', positionals);
      const { root, out } = values as { root?: string; out?: string };
      if (values.csv === true && values.json === true) {
        throw new CommandError('export: --csv and --json are two formats', ['  allowed: one of them']);
      }
      return exportRun({ run, root, out, json: values.json === true });
    },
  },
  {
    name: 'report',
    summary: 'Write report.html and figures/ of one or several runs.',
    usage: 'RUN [RUN...] [--out DIR] [--root DIR]',
    examples: [
      ['collbench report 7f3a2c', 'anew, into the folder of the run'],
      ['collbench report monday tuesday --out compared', 'several runs in one report'],
    ],
    flags: {
      out: { type: 'string', value: 'DIR', help: 'Folder to write into; of several runs: collbench-report.' },
      root: rootFlag,
    },
    start: async (words) => {
      const { values, positionals } = parseSmall('report', words, Number.POSITIVE_INFINITY);
      if (positionals.length === 0) oneRun('report', positionals);
      const { report } = await import('./report.ts');
      const { root, out } = values as { root?: string; out?: string };
      return report({ runs: positionals, root, out });
    },
  },
  {
    name: 'completion',
    summary: 'Print the completion script of a shell.',
    usage: 'bash|zsh',
    examples: [['source <(collbench completion bash)', 'in ~/.bashrc']],
    flags: {},
    start: async (words) => {
      const { positionals } = parseSmall('completion', words, 1);
      return (await import('./completion.ts')).completion(positionals[0]);
    },
  },
  {
    name: 'help',
    summary: 'Explain a command or a topic.',
    usage: '[COMMAND|TOPIC]',
    examples: [
      ['collbench help options', 'every option with an example'],
      ['collbench help method', 'what the figures mean'],
    ],
    flags: {},
    start: async (words) => (await import('./help.ts')).help(words),
  },
];

export const commands: readonly Command[] = [...measuring, ...others];
export const findCommand = (name: string): Command | undefined =>
  commands.find((command) => command.name === name);
export const isMeasuring = isCollective;
