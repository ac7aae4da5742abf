// The ordered list that a bisection searches: files of a folder, revisions of a repository, or the settings in which
// two files differ.
import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { readPlainText, writtenByHand } from '../../results/files/plain.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import type { BisectedItem, BisectionRecord } from '../../results/schema/index.ts';
import { isSecret, recordedPrefixes } from '../../results/store/environment.ts';
import {
  differencesOf,
  differenceText,
  readSettings,
  type SettingDifference,
  type SettingValues,
} from '../../suites/bisect/settings.ts';

/** Placeholder for the item in the measured command and in the build command. */
export const itemWord = '{item}';

export interface BisectedList extends Pick<BisectionRecord, 'kind' | 'items'> {
  /** Settings of the good end, and their differences to the bad end; null if the items are files or revisions. */
  settings: { good: SettingValues; differences: readonly SettingDifference[] } | null;
}

type BisectedEnds = Pick<BisectionRecord, 'good' | 'bad' | 'build' | 'folder' | 'command'>;

/**
 * Returns the items from the good to the bad end, both included: revisions, if there is a build command; files of a folder, if the
 * measured command contains {item}; otherwise the settings in which two files differ. In the last case the first item is the good
 * file without a change, and each further item adds one difference.
 * @throws Refusal for example if an end does not exist, the ends do not differ, or a build command lacks {item}
 */
export async function bisectedList(ends: BisectedEnds): Promise<BisectedList> {
  const hasItem = ends.command.some((word) => word.includes(itemWord));
  if (ends.build !== null) {
    if (!hasItem || !ends.build.includes(itemWord))
      throw refuse('bisect-build-without-item', {
        build: ends.build,
        isInBuild: ends.build.includes(itemWord),
      });
    return { kind: 'commits', items: await revisionsOf(ends), settings: null };
  }
  if (hasItem) return { kind: 'files', items: await filesOf(ends), settings: null };
  return settingsOf(ends);
}

async function kindOf(option: 'good' | 'bad', file: string, folder: string): Promise<'file' | 'folder'> {
  const found = await stat(path.resolve(folder, file)).catch(() => null);
  if (found === null) throw refuse('bisect-end-missing', { option, file });
  return found.isDirectory() ? 'folder' : 'file';
}

/**
 * Returns a name with every number, or version such as 2.10.1, replaced by "#". The results are equal for names that differ only in
 * numbers or versions.
 */
const shapeOf = (name: string): string => name.replaceAll(/\d+/g, '#').replaceAll(/#(?:\.#)+/g, '#');

/**
 * Returns the files of one folder from the good to the bad end, or its subfolders if the ends are folders. Numbers in names are
 * ordered by value: 2.9 before 2.10. Hidden files between the ends are left out, unless both ends are hidden. If the names of the
 * ends differ only in numbers, files whose names differ in more are left out, too.
 * @throws Refusal if an end does not exist, or the ends lie in different folders, are a file and a folder, or do not differ
 */
async function filesOf({ good, bad, folder }: BisectedEnds): Promise<BisectedItem[]> {
  const kinds = [await kindOf('good', good, folder), await kindOf('bad', bad, folder)];
  const [from, to] = [path.resolve(folder, good), path.resolve(folder, bad)];
  const parent = path.dirname(from);
  if (parent !== path.dirname(to) || kinds[0] !== kinds[1]) throw refuse('bisect-two-folders', { good, bad });
  const shape = shapeOf(path.basename(from));
  const isAlike = shape === shapeOf(path.basename(to));
  const entries = await readdir(parent, { withFileTypes: true });
  const ends = [path.basename(from), path.basename(to)];
  const isHidden = (name: string): boolean => name.startsWith('.');
  const skipsHidden = !ends.every(isHidden);
  const names: string[] = [];
  for (const { name } of entries) {
    const isLeftOut = (skipsHidden && isHidden(name)) || (isAlike && shapeOf(name) !== shape);
    if (isLeftOut && !ends.includes(name)) continue;
    const found = await stat(path.join(parent, name)).catch(() => null);
    if (ends.includes(name) || (found !== null && found.isDirectory() === (kinds[0] === 'folder')))
      names.push(name);
  }
  names.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }) || (a < b ? -1 : 1));
  const [first, last] = ends.map((name) => names.indexOf(name)) as [number, number];
  const between = names.slice(Math.min(first, last), Math.max(first, last) + 1);
  if (between.length < 2) throw refuse('bisect-one-item', { good, bad });
  const ordered = first <= last ? between : between.reverse();
  return ordered.map((name) => ({ name, value: path.join(parent, name) }));
}

/**
 * Returns the revisions from the good to the bad end along first parents, both included. `value` is the full hash, `name` the
 * short hash with the subject of the commit.
 * @throws Refusal if git fails, or there are fewer than two
 */
async function revisionsOf({ good, bad, folder }: BisectedEnds): Promise<BisectedItem[]> {
  const git = async (...words: string[]): Promise<string> => {
    try {
      const { stdout } = await promisify(execFile)('git', words, { cwd: folder, maxBuffer: 1 << 26 });
      return stdout;
    } catch (error) {
      const { stderr = '', message } = error as Error & { stderr?: string };
      throw refuse('bisect-no-revisions', {
        good,
        bad,
        folder,
        why: (stderr || message).trim().split('\n')[0] ?? '',
      });
    }
  };
  const lines = async (...words: string[]): Promise<BisectedItem[]> =>
    (await git('log', '--first-parent', '--reverse', '--format=%H%x09%h %s', ...words))
      .split('\n')
      .filter(Boolean)
      .map((line) => {
        const [value = '', name = ''] = line.split('\t');
        return { name, value };
      });
  const items = [
    ...(await lines('--max-count=1', '--end-of-options', good)),
    ...(await lines('--end-of-options', `${good}..${bad}`)),
  ];
  if (items.length < 2) throw refuse('bisect-one-item', { good, bad });
  return items;
}

const mayBeShown = ({ name, isVariable, good, bad }: SettingDifference): boolean => {
  const isRecorded = !isVariable || recordedPrefixes.some((prefix) => name.startsWith(prefix));
  return isRecorded && [good, bad].every((value) => value === null || !isSecret(name, value));
};

async function settingsOf({ good, bad, folder, command }: BisectedEnds): Promise<BisectedList> {
  const read = async (option: 'good' | 'bad', file: string): Promise<SettingValues> => {
    if ((await kindOf(option, file, folder)) === 'folder') throw refuse('bisect-without-item', { file });
    const where = path.resolve(folder, file);
    const text = await readPlainText(where, writtenByHand).catch((error: Error) => error);
    const found =
      typeof text === 'string' ? readSettings(text, /\.ya?ml$/i.test(file)) : { problem: text.message };
    if ('problem' in found)
      throw refuse('bisect-not-settings', { option, file, problem: found.problem as string });
    return found;
  };
  const [before, after] = [await read('good', good), await read('bad', bad)];
  const differences = differencesOf(before, after);
  if (differences.length === 0) throw refuse('bisect-one-item', { good, bad });
  const [typed] =
    [...before, ...after].find(
      ([name, { isVariable }]) =>
        !isVariable && command.some((word) => word === `--${name}` || word.startsWith(`--${name}=`)),
    ) ?? [];
  if (typed !== undefined) throw refuse('bisect-setting-typed', { name: typed, good, bad });
  return {
    kind: 'settings',
    items: [
      { name: good, value: null },
      ...differences.map((one) => ({ name: differenceText(one, mayBeShown(one)), value: null })),
    ],
    settings: { good: before, differences },
  };
}
