import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeFolder } from '../files/folders.ts';
import { parseJson } from '../files/json.ts';
import { readPlainText, type UnreadableFile } from '../files/plain.ts';
import { type Baseline, baseline } from '../schema/index.ts';
import { StoreError, writeError } from '../store/errors.ts';
import { check } from '../store/records.ts';
import { replaceFile } from '../store/write.ts';

/** Default folder of baselines (stored results for later comparisons), relative to the working directory. */
export const defaultBaselines = 'collbench-baselines';
const pattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$/;
/**
 * Highest size of a baseline file that is read, in bytes: three times the size with 500 suite entries of 50 configurations each.
 */
const maxBaselineBytes = 256 * 2 ** 20;

/**
 * Returns the path of the file of the baseline with this name.
 * @param folder folder of the baselines
 * @throws StoreError bad-name if the name is not valid
 */
function baselineFile(folder: string, name: string): string {
  if (pattern.test(name)) return join(resolve(folder), `${name}.json`);
  const text = `'${name}' is not a valid name of a baseline: use letters, digits, dot, dash and underscore, at most 60.`;
  throw new StoreError('bad-name', name, text);
}

/**
 * Writes the baseline atomically; creates its folder if necessary, and replaces an existing file.
 * @param folder folder of the baselines; the file there is named after the baseline
 * @returns absolute path of the file
 * @throws StoreError if the baseline's name is not valid, or if the file cannot be written
 */
export async function writeBaseline(folder: string, value: Baseline): Promise<string> {
  const path = baselineFile(folder, value.name);
  try {
    await makeFolder(resolve(folder));
  } catch (error) {
    throw writeError(resolve(folder), error, 'Nothing was changed.');
  }
  await replaceFile(path, `${JSON.stringify(value)}\n`, 'The baseline is unchanged.');
  return path;
}

/**
 * Reads the baseline with this name.
 * @param folder folder of the baselines
 * @returns null if it does not exist
 * @throws StoreError if the name is not valid, or if the file cannot be read, is broken or has a newer version
 */
export async function readBaseline(folder: string, name: string): Promise<Baseline | null> {
  const path = baselineFile(folder, name);
  const next = { words: ['baseline', 'list'], keep: ['baselines'] };
  const broken = (what: string) => new StoreError('broken', path, `${path} ${what}`, { next });
  let text: string;
  try {
    text = await readPlainText(path, maxBaselineBytes);
  } catch (error) {
    if ((error as UnreadableFile).code === 'ENOENT') return null;
    throw broken(`cannot be read: ${(error as Error).message}`);
  }
  let raw: unknown;
  try {
    raw = parseJson(text);
  } catch (error) {
    throw broken(`is not JSON: ${(error as Error).message}`);
  }
  try {
    return check(path, baseline, raw);
  } catch (error) {
    throw error instanceof StoreError ? new StoreError(error.code, path, error.message, { next }) : error;
  }
}

/**
 * Returns the names of all baselines, sorted alphabetically; none if the folder does not exist or cannot be read. The content of
 * the files is not checked.
 */
export async function listBaselines(folder: string): Promise<string[]> {
  const names = await readdir(resolve(folder)).catch(() => []);
  return names
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .map((name) => name.slice(0, -'.json'.length))
    .sort();
}
