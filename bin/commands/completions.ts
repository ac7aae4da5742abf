// Completion of the arguments of commands.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { openPlain } from '../../results/files/plain.ts';
import { packageRoot } from '../../results/package.ts';
import { defaultRoot, files as runFiles } from '../../results/store/paths.ts';
import type { CompletionCandidate, Completions } from './command.ts';

/**
 * The last value of an option among the words typed so far, from "--option VALUE" or else "--option=VALUE". Undefined if the option
 * was not typed, or has no value yet.
 * @param option long name of the option, without the leading `--`
 * @param before all words typed so far
 */
function typedValue(option: string, before: readonly string[]): string | undefined {
  const at = before.lastIndexOf(`--${option}`);
  return at >= 0
    ? before[at + 1]
    : before.findLast((word) => word.startsWith(`--${option}=`))?.replace(/^[^=]*=/, '');
}

/**
 * Maximum number of run folders that are read to find labels. More folders would take too long, because the user waits for the
 * completion.
 */
const maxLabels = 100;
/** Number of bytes read from the end of run.json, enough to contain the label. Only the events of the run follow the label. */
const labelBytes = 65_536;

/**
 * Labels (names given by --label) of the newest `maxLabels` runs, each with its run id as explanation. Runs without a label
 * are left out.
 * @param root folder that contains the run folders
 * @param names names of the run folders, newest first
 */
async function labelsOf(root: string, names: readonly string[]): Promise<CompletionCandidate[]> {
  const found = await Promise.all(
    names.slice(0, maxLabels).map(async (name): Promise<CompletionCandidate[]> => {
      const end = await endOf(path.join(root, name, runFiles.record));
      const [, label] = /^ {2}"label": "([\p{L}\p{N} ._+-]+)"/mu.exec(end) ?? [];
      return label === undefined ? [] : [{ word: label, about: `run ${name.split('-').at(-1)}` }];
    }),
  );
  return found.flat();
}

/** The last `labelBytes` bytes of a regular file as text; "" if the file cannot be read. */
async function endOf(file: string): Promise<string> {
  const handle = await openPlain(file).catch(() => null);
  if (handle === null) return '';
  try {
    const end = Buffer.alloc(labelBytes);
    const from = Math.max(0, (await handle.stat()).size - labelBytes);
    const { bytesRead } = await handle.read(end, 0, labelBytes, from);
    return end.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/**
 * Names of stored runs for shell completion: "last", then labels, then ids of runs, suites, explanations, bisections and
 * crosschecks; each list is newest first. Empty if there are no runs.
 * @param before all words typed so far; a --root among them is used
 */
export async function runIds(
  _said: readonly string[],
  before: readonly string[],
): Promise<CompletionCandidate[]> {
  const root = typedValue('root', before) ?? defaultRoot;
  const names = await readdir(root).catch(() => []);
  const labels = await labelsOf(root, names.toSorted().toReversed());
  const ids = names
    .toSorted()
    .toReversed()
    .flatMap((name) => {
      const [, at, what, id] =
        /^(\d{4}-\d\d-\d\dT[^-]*(?:-\d\d-\d\d)?Z?)-(.*)-([0-9a-f]{6,})$/.exec(name) ?? [];
      return id === undefined ? [] : [{ word: id, about: `${what} ${at}` }];
    });
  return ids.length === 0 ? [] : [{ word: 'last', about: 'the newest' }, ...labels, ...ids];
}

/**
 * Makes a shell-completion function that offers these words for the first argument of a command, and none for further arguments.
 */
export const offerFirst =
  (words: readonly string[]) =>
  async (typed: readonly string[]): Promise<Completions> =>
    typed.length === 0 ? words.map((word) => ({ word })) : [];

export const offerUnused =
  (words: readonly string[]) =>
  async (typed: readonly string[]): Promise<Completions> =>
    words.filter((word) => !typed.includes(word)).map((word) => ({ word }));

export const files = async (): Promise<Completions> => 'files';

/**
 * Completions: the names of the files in a folder that end in `ending`, without this ending. Empty if the folder does not exist.
 */
export async function namesIn(folder: string, ending: string): Promise<CompletionCandidate[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => name.endsWith(ending))
    .map((name) => ({ word: name.slice(0, -ending.length) }));
}

export async function baselineNames(before: readonly string[]): Promise<CompletionCandidate[]> {
  const { defaultBaselines } = await import('../../results/baseline/store.ts');
  return namesIn(typedValue('baselines', before) ?? defaultBaselines, '.json');
}

export const shipped = (): Promise<CompletionCandidate[]> =>
  namesIn(path.join(packageRoot, 'suites/library'), '.yaml');

/** Completions: suite files in the current folder as "./NAME.yaml". The "./" distinguishes them from shipped suites. */
export const suiteFiles = async (): Promise<CompletionCandidate[]> =>
  (await namesIn('.', '.yaml')).map(({ word }) => ({ word: `./${word}.yaml` }));
