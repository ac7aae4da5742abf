// Reads a suite file and all files that it includes, checks and merges them.
import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { readPlain, UnreadableFile } from '../../results/files/plain.ts';
import { SuiteError, UnreadableSuite } from './error.ts';
import { merge } from './merge.ts';
import { type PartTree, partOf } from './part.ts';
import type { SuiteSchema } from './schema.ts';
import type { ResolvedSuite, SuiteFile } from './types.ts';
import { maxSuiteBytes, readYaml } from './yaml.ts';

const maxFiles = 16;
const deepestInclude = 4;

/** Data needed to read suite files: option table, command names and the folder of shipped suites. */
export interface SuiteReading extends SuiteSchema {
  /** Folder of the suites shipped with collbench. An include of `library:NAME` names a file in this folder. */
  library: string;
}

/**
 * Reads a suite file and the files that it includes, and merges them. At most `maxFiles` files are read, and includes are nested at
 * most `deepestInclude` files deep.
 * @param file path of the suite
 * @param shown name of the file in messages
 * @throws SuiteError if a file cannot be read or is invalid, or includes itself, or if there are too many files
 */
export async function readSuite(file: string, shown: string, reading: SuiteReading): Promise<ResolvedSuite> {
  const files: SuiteFile[] = [];
  const part = await readPart(path.resolve(file), shown, [], files, reading);
  const name = path.basename(file).replace(/\.ya?ml$/i, '');
  return merge(part, name, files, shown);
}

async function readPart(
  file: string,
  shown: string,
  above: readonly string[],
  files: SuiteFile[],
  reading: SuiteReading,
): Promise<PartTree> {
  const source = await readBounded(file, shown);
  files.push({ name: shown, sha256: createHash('sha256').update(source).digest('hex') });
  if (files.length > maxFiles) {
    throw new SuiteError(shown, 'too many files', [`  allowed: ${maxFiles} in one suite`]);
  }
  const part = partOf(shown, readYaml(shown, source), reading);
  const included: PartTree[] = [];
  for (const { text, at } of part.include) {
    const isShipped = text.startsWith('library:');
    const folder = isShipped ? reading.library : path.dirname(file);
    const name = isShipped ? `${text.slice('library:'.length)}.yaml` : text;
    const next = await includedFile(folder, name, at);
    if ([...above, file].includes(next)) throw new SuiteError(at, `include '${text}': it includes itself`);
    if (above.length + 1 >= deepestInclude) {
      throw new SuiteError(at, `include '${text}': too deep`, [
        `  allowed: ${deepestInclude} files in a row`,
      ]);
    }
    const label = isShipped ? text : path.join(path.dirname(shown), text);
    included.push(await readPart(next, label, [...above, file], files, reading));
  }
  return { included, part };
}

/**
 * Returns the text of a regular file of at most `maxSuiteBytes`; links, devices and pipes are rejected.
 * @param name name of the file in messages
 * @throws SuiteError if the file cannot be read, is too large, or is not UTF-8
 */
async function readBounded(file: string, name: string): Promise<string> {
  try {
    const bytes = await readPlain(file, maxSuiteBytes, { links: false });
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof UnreadableFile) throw unreadable(name, error);
    throw new SuiteError(name, 'not text in UTF-8');
  }
}

function unreadable(name: string, { code, message }: UnreadableFile): SuiteError {
  if (code !== 'too-large') return new UnreadableSuite(name, message);
  return new SuiteError(name, 'too large for a suite', [`  allowed: up to ${maxSuiteBytes} bytes`]);
}

const allowed = ['  allowed: a file of the same folder or below it (common.yaml), or library:NAME'];

/**
 * Path of the file `name`, which an `include` line names, in `folder`.
 * @param folder the only folder in which the file is searched: for `library:NAME` that of the shipped suites, otherwise that of the
 * including file
 * @param at position of the include, for errors
 * @throws SuiteError if the file does not exist or is outside the folder: an absolute path, "..", or reached through a link
 */
async function includedFile(
  folder: string,
  name: string,
  at: ConstructorParameters<typeof SuiteError>[0],
): Promise<string> {
  const isOutside = path.isAbsolute(name) || name.split(/[/\\]/).includes('..') || /[\p{Cc}\\]/u.test(name);
  if (isOutside || name === '') throw new SuiteError(at, `include '${name}': not below the suite`, allowed);
  const file = path.join(folder, name);
  const real = await realpath(file).catch(() => null);
  if (real === null) throw new SuiteError(at, `include '${name}': there is no such file`, allowed);
  if (real !== path.join(await realpath(folder), name)) {
    throw new SuiteError(at, `include '${name}': reached over a link`, allowed);
  }
  return real;
}
