// Reads a suite file and all files that it includes, checks and merges them.
import { createHash } from 'node:crypto';
import path from 'node:path';
import { SuiteError } from './error.ts';
import { includedFile, readBounded } from './file.ts';
import { merge } from './merge.ts';
import { type PartTree, partOf } from './part.ts';
import type { SuiteSchema } from './schema.ts';
import type { ResolvedSuite, SuiteFile } from './types.ts';
import { readYaml } from './yaml.ts';

const maxFiles = 16;
const deepestInclude = 4;

/** Option table, command names and the folder of shipped suites; reading a suite file needs them. */
export interface SuiteReading extends SuiteSchema {
  /** Folder of the suites shipped with collbench. An include of `library:NAME` names a file in this folder. */
  library: string;
}

/**
 * Reads a suite file and the files that it includes, and merges them. At most `maxFiles` files, `deepestInclude` of them in
 * a row.
 * @param file path of the suite
 * @param shown name of the file in messages
 * @throws SuiteError if a file cannot be read or is invalid, or includes itself
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
