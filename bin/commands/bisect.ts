import { existsSync } from 'node:fs';
import type { BisectedList } from '../../orchestration/bisect/items.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import type { BisectionRecord } from '../../results/schema/index.ts';
import type { LoadedFinding } from '../../results/store/findings.ts';
import type { RecordWriter } from '../../results/store/folder.ts';
import { newRunId } from '../../results/store/write.ts';
import { type ExitCode, exitCode } from '../../results/verdicts/exit-code.ts';
import type { OptionValues } from '../../suites/options/option.ts';
import { duration, wholeNumber } from '../../suites/options/values.ts';
import { findCommand, shownCommandNames } from '../../suites/workloads/index.ts';
import type { ParsedLine } from '../line/read.ts';
import { ProgressLine, printNote } from '../terminal.ts';
import { defineCommand } from './command.ts';
import { offerFirst } from './completions.ts';
import { jsonOption, outFolder, rootOption, shareOption } from './options.ts';

const itemWord = '{item}';

const options = {
  good: {
    value: 'WHAT',
    describe: 'End of the list with the usual time: a file or folder, a file of settings, or a revision',
    coerce: String,
  },
  bad: { value: 'WHAT', describe: 'End of the list with the other time', coerce: String },
  build: {
    value: 'COMMAND',
    describe: `Shell command that builds a revision; ${itemWord} is its hash. --good and --bad are then revisions`,
    coerce: String,
  },
  margin: {
    ...shareOption,
    describe: 'Smallest change to look for',
    default: 0.05,
    defaultDescription: '5%',
  },
  pairs: {
    value: 'N',
    describe: 'Pairs of launches per comparison; one without verdict gets as many again',
    default: 40,
    allowed: '4 to 1000',
    coerce: wholeNumber(4, 1000),
  },
  budget: {
    value: 'TIME',
    describe: 'Time limit; collbench resume continues',
    default: 3600,
    defaultDescription: '1h',
    allowed: 'a time from 1s to 24h, such as 90s or 10m',
    coerce: duration,
  },
  out: { ...outFolder, describe: 'Folder of the bisection; new or empty' },
  ...rootOption,
  ...jsonOption,
};

/** Probability, 0 to 1, at which an item counts as the one that caused the change. */
const confidence = 0.95;

/**
 * Options of the measured command that the user may not give: bisect sets them itself, or they say where and how results are
 * written.
 */
const ownOptions = [
  '--launches',
  '--out',
  '--root',
  '--json',
  '--json-live',
  '--json-file',
  '--plan-only',
  '--explain',
  '--why',
];

/**
 * Words of the measured command: the words after "--" exactly as typed; without "--" the words `typed`, which the parser found as
 * arguments of `collbench bisect`.
 */
function measuredCommand(typed: readonly string[], { words }: ParsedLine): string[] {
  const end = words.indexOf('--');
  return [...(end < 0 ? typed : words.slice(end + 1))];
}

function requireComplete(
  good: string | undefined,
  bad: string | undefined,
  command: readonly string[],
): void {
  const missing = [
    ...(good === undefined ? ['--good'] : []),
    ...(bad === undefined ? ['--bad'] : []),
    ...(command.length === 0 ? ['the command after --'] : []),
  ];
  if (missing.length > 0) throw refuse('bisect-incomplete', { missing });
  const [word = ''] = command;
  if (findCommand(word) === undefined) throw refuse('bisect-command', { word, known: shownCommandNames });
  const option = ownOptions.find((name) => command.some((one) => one === name || one.startsWith(`${name}=`)));
  if (option !== undefined) throw refuse('bisect-own-option', { option });
}

async function start(
  {
    good = '',
    bad = '',
    build,
    margin,
    pairs,
    budget,
    root,
    out,
    json,
    command: typed,
  }: OptionValues<typeof options> & { command: string[] },
  line: ParsedLine,
): Promise<void> {
  const command = measuredCommand(typed, line);
  requireComplete(good || undefined, bad || undefined, command);
  const { bisectedList } = await import('../../orchestration/bisect/items.ts');
  const { createFinding } = await import('../../results/store/findings.ts');
  const { readOptions } = await import('../line/read-options.ts');
  const ends = { good, bad, build: build ?? null, folder: process.cwd(), command };
  const list = await bisectedList(ends);
  const [name = '', ...words] = command;
  // A wrong option is rejected here, before anything is written.
  readOptions(
    name,
    words.map((word) => word.replaceAll(itemWord, list.items[0]?.value ?? '')),
  );
  const record: BisectionRecord = {
    ...{ schemaVersion: 1, id: newRunId(), startedAt: new Date().toISOString(), command, kind: list.kind },
    ...{ good, bad, build: build ?? null, folder: ends.folder, items: list.items },
    ...{ margin, confidence, maxPairs: pairs, budgetS: budget, probes: [], stages: [] },
    ...{ ended: null, launches: 0, wrongLaunches: 0, seconds: 0 },
  };
  const writer = await createFinding(
    'bisection',
    record,
    record.command[0] ?? '',
    out === undefined ? { root } : { out },
  );
  process.exitCode = await carryOut(record, list, writer, json);
}

/**
 * Continues a stored bisection and prints its result; of a complete one nothing more is measured. The working directory becomes the
 * folder in which the bisection began.
 * @param json true = print the result as a JSON object
 * @returns exit code of the command: 0 = the change was found, 3 = wrong data, 5 = nothing found or not known, 130 = interrupted
 * @throws Refusal if the folder in which the bisection began is gone, or the list of items differs from the stored list; StoreError
 * in-use if another process measures the bisection
 */
export async function resumeBisection(
  { dir, record }: LoadedFinding<'bisection'>,
  json: boolean,
): Promise<ExitCode> {
  const { bisectedList } = await import('../../orchestration/bisect/items.ts');
  const { reopenFinding } = await import('../../results/store/findings.ts');
  // Paths of the command and of the build are relative to the folder in which the bisection began.
  if (!existsSync(record.folder)) throw refuse('bisect-folder-missing', record);
  process.chdir(record.folder);
  const list = await bisectedList(record);
  const namesOf = ({ items }: Pick<BisectionRecord, 'items'>): string =>
    items.map(({ name }) => name).join('\n');
  if (namesOf(list) !== namesOf(record)) throw refuse('bisect-list-changed', record);
  return carryOut(record, list, reopenFinding({ kind: 'bisection', dir, record }), json);
}

async function carryOut(
  record: BisectionRecord,
  list: BisectedList,
  writer: RecordWriter<BisectionRecord>,
  json: boolean,
): Promise<ExitCode> {
  const { bisect } = await import('../../orchestration/bisect/bisect.ts');
  const { InterruptHandler } = await import('../../orchestration/running/interrupt.ts');
  const { lockRun } = await import('../../results/store/lock.ts');
  const { runTools } = await import('../run-tools.ts');
  const { printFinding, writeFindingPage } = await import('../finding.ts');
  const { readOptions } = await import('../line/read-options.ts');
  const { bisectionLimits, bisectionLine } = await import('../../reports/bisection/document.ts');
  const progress = new ProgressLine();
  const interrupt = new InterruptHandler();
  const finding = { kind: 'bisection', dir: writer.dir, record } as const;
  // Two processes that continue the same bisection would overwrite each other's verdicts.
  const lock = await lockRun(writer.dir, 'What was measured before is safe.');
  if (record.ended !== null || record.stages.length === 0) printNote(bisectionLimits(record));
  // A launch fails because of the item that it measures, and the bisection reports the failure together with the item.
  const run = { ...runTools, finish: () => Promise.resolve() };
  try {
    await bisect(
      { list, budgetS: record.budgetS, signal: interrupt.signal },
      record,
      { readOptions, run, root: writer.dir, note: (text) => progress.note(text) },
      {
        progress: ({ question, furtherPairs }) =>
          progress.show(() => bisectionLine(record, question, furtherPairs)),
      },
      writer.update,
    );
  } finally {
    interrupt.release();
    progress.clear();
    await lock.release();
    await writeFindingPage(finding);
  }
  await printFinding(finding, json);
  if (record.wrongLaunches > 0) return exitCode.wrongData;
  if (record.ended === 'interrupted') return exitCode.interrupted;
  const isFound = record.stages.some(({ end, partnerOf }) => end === 'found' && partnerOf === null);
  return isFound && record.ended === null ? exitCode.ok : exitCode.noVerdict;
}

export const bisect = defineCommand({
  command: 'bisect [command..]',
  describe: 'Find the build or setting with which an operation became slower or faster.',
  argument: {
    help: `A measuring command; ${itemWord} in it stands for the file or revision that is measured`,
  },
  examples: [
    [
      'collbench bisect --good net/01.so --bad net/64.so -- allreduce --transport plugin:{item}',
      'files of a folder, here builds of a net plugin',
    ],
    [
      'collbench bisect --good nccl/2.20 --bad nccl/2.28 -- allreduce --engine nccl --nccl {item}',
      'releases of NCCL, each in a folder',
    ],
    [
      "collbench bisect --good v1 --bad v2 --build 'make {item}' -- put --transport plugin:{item}.so",
      'revisions of a repository',
    ],
    [
      'collbench bisect --good good.env --bad bad.env -- allreduce --sizes 64K',
      'which of many environment variables, or options in two YAML files',
    ],
  ],
  options,
  offer: offerFirst(shownCommandNames),
  epilogue:
    'Each item is measured in pairs with the good end, in random order, until their difference is sure; the next item is the one that tells most. An item counts as found at a probability of 95 %, and is then compared with the one before it. Exit codes: 0 found; 2 an end cannot be measured; 3 wrong data; 5 nothing to find, or not known; 130 interrupted',
  handler: start,
});
