// Options that several commands have, and the functions that carry them out.
import { lstat } from 'node:fs/promises';
import type { HostOptions } from '../../orchestration/preparing/host-options.ts';
import type { TerminalPlot } from '../../reports/terminal/plot.ts';
import { replaceWhole } from '../../results/files/whole.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import { defaultRoot } from '../../results/store/paths.ts';
import { shellWord } from '../../results/text.ts';
import type { DrainForm, DrainResult } from '../../results/verdicts/drain.ts';
import { choiceOption, defaultText, type OptionRow, switchOption } from '../../suites/options/option.ts';
import { duration, share, shareAllowed, wholeNumber } from '../../suites/options/values.ts';
import { type MeasuringCommandOptions, type OptionKey, optionRows } from '../options/index.ts';
import { outSynonyms } from '../options/output.ts';
import { printText, saysUtf8, shapeOfStdout } from '../terminal.ts';

/** Properties of an option whose value is the path of a file; `folderOption` is for the path of a folder. */
const fileOption = { value: 'FILE', coerce: String };
const folderOption = { value: 'DIR', coerce: String };
/** Properties of the option --out, if its value is a file (`outFile`) or a folder (`outFolder`). */
export const outFile = { ...fileOption, synonyms: outSynonyms };
export const outFolder = { ...folderOption, synonyms: outSynonyms };

/** Properties of an option whose value is a share above 0 and below 1, such as 5%. */
export const shareOption = { value: 'SHARE', allowed: shareAllowed, coerce: share };

/** Properties of an option whose value is a number of pairs of runs or launches. */
export const pairCountOption = {
  value: 'N',
  allowed: 'a whole number from 1 to 1000',
  coerce: wholeNumber(1, 1000),
};

/** Properties of the option --budget of the commands that measure pairs of launches. */
export const pairBudgetOption = {
  value: 'TIME',
  defaultDescription: 'as long as the pairs need',
  allowed: 'a time from 1s to 24h, such as 90s, 10m or 1h',
  coerce: duration,
};

export const baselinesOption = {
  baselines: { ...folderOption, describe: 'Folder of the baselines', default: 'collbench-baselines' },
};

export const rootOption = {
  root: {
    ...folderOption,
    synonyms: ['runs', 'runs-dir', 'dir', 'store'],
    describe: 'Where runs are kept',
    default: defaultRoot as string,
  },
};

/** Text " --root DIR" to append to a suggested command, so that it finds the same stored runs; "" if DIR is the default. */
export const rootWords = (root: string): string => (root === defaultRoot ? '' : ` --root ${shellWord(root)}`);

export const jsonOption = {
  json: { ...switchOption, synonyms: ['ndjson', 'jsonl'], describe: 'One JSON object per line' },
};

/**
 * The option --by of `history` and `site`. It says which runs form one data point: a single run, all runs of a day, or all runs of
 * a commit.
 */
export const pointOption = {
  by: {
    ...choiceOption(['run', 'day', 'commit']),
    value: 'WHAT',
    describe: 'One point per run, day or commit (of runs with --tag commit=SHA)',
    defaultDescription: 'day; run where all runs are of one or two days',
    allowed: 'run, day or commit',
  },
};

/** Options --chart and --ascii of the commands that can draw charts with characters on the terminal. */
export const chartOptions = {
  chart: { ...switchOption, synonyms: ['plot', 'graph'], describe: 'Also draw charts on the terminal' },
  ascii: {
    ...switchOption,
    describe: 'Charts of ASCII characters only',
    defaultDescription: 'where the locale is not UTF-8',
  },
};

export const pngOption = {
  png: { ...fileOption, synonyms: ['picture', 'image'], describe: 'Write the main chart as a PNG picture' },
};

/**
 * Draws plots on stdout, each below an empty line.
 * @param ascii true = always draw with ASCII characters; false = only if the locale is not UTF-8
 */
export async function printPlots(plots: readonly TerminalPlot[], ascii: boolean): Promise<void> {
  const { plotText } = await import('../../reports/terminal/plot.ts');
  const shape = { ...shapeOfStdout(80), ascii: ascii || !saysUtf8() };
  for (const plot of plots) printText(`\n${plotText(plot, shape)}`);
}

export const drainOptions = {
  drain: {
    ...fileOption,
    describe:
      'Write a line per node, for a scheduler: "NODE pass", "NODE fail REASON" or "NODE unknown REASON"',
  },
  drainAs: {
    ...choiceOption(['list', 'slurm', 'kubernetes'] as const satisfies readonly DrainForm[]),
    value: 'FORM',
    describe:
      'Form of the file of --drain: the list, or a script of commands for nodes that fail (scontrol, kubectl)',
    defaultDescription: 'list',
    example: '--drain-as slurm',
  },
};

/**
 * Returns a function that writes the file of --drain, which says which nodes a scheduler may use. The function replaces an older
 * file atomically. Null if the user did not give --drain.
 * @param command name of the command, which the file gives as part of each reason
 * @param hosts options that select the hosts. The scheduler's names of containers are looked up before anything is measured.
 * @throws Refusal if --drain-as is given without --drain, or containers cannot be listed. The returned function throws a Refusal if
 * the file cannot be written, or is a folder, pipe or device.
 */
export async function drainWriter(
  command: 'doctor' | 'pairs',
  { drain, drainAs }: { drain?: string | undefined; drainAs?: DrainForm | undefined },
  hosts: HostOptions,
): Promise<((found: DrainResult) => Promise<void>) | null> {
  if (drain === undefined) {
    if (drainAs === undefined) return null;
    const example = `${command} --drain drain.sh --drain-as ${drainAs}`;
    throw refuse('option-needs-option', { option: 'drain-as', needs: 'drain', example, keep: ['hosts'] });
  }
  const { schedulerNames } = await import('../../orchestration/preparing/scheduler-names.ts');
  const { drainText } = await import('../../results/verdicts/drain.ts');
  const nodeOf = await schedulerNames(hosts);
  return async (found) => {
    const where = `--drain ${drain}`;
    const there = await lstat(drain).catch(() => null);
    if (there !== null && !there.isFile() && !there.isSymbolicLink()) {
      throw refuse('file-unwritable', { where, why: 'it is a folder, a pipe or a device' });
    }
    await replaceWhole(drain, drainText(command, found, drainAs, nodeOf)).catch((error: Error) => {
      throw refuse('file-unwritable', { where, why: error.message });
    });
  };
}

/**
 * Option-table rows that another command shares with the measuring commands, in the order of `keys`. The rows have no default, so
 * that the command can tell which options the user gave.
 * @param shown help texts and default texts that replace those of the measuring commands
 */
export function sharedOptions<K extends OptionKey>(
  keys: readonly K[],
  shown: { readonly [P in K]?: Pick<Partial<OptionRow>, 'describe' | 'defaultDescription'> } = {},
) {
  const rows = keys.map((key) => {
    const { default: _, ...row } = optionRows[key];
    return [key, { ...row, defaultDescription: defaultText(optionRows[key]), ...shown[key] }];
  });
  return Object.fromEntries(rows) as { [P in K]: OptionRow<MeasuringCommandOptions[P]> };
}
