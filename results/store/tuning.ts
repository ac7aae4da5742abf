// Finds tuning tables: a file that the user names, or this machine's file in the user's configuration folder.
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { homedir, hostname } from 'node:os';
import path from 'node:path';
import { readPlainTextSync, writtenByHand } from '../files/plain.ts';
import { refuse } from '../refusals/refusal.ts';
import { type TuningTable, tuningTable } from '../schema/index.ts';
import { replaceFile } from './write.ts';

/**
 * Returns the default path of this machine's tuning table (fastest algorithm per message size, from `collbench tune`): in
 * $XDG_CONFIG_HOME if that is an absolute path, else in ~/.config. The file need not exist. Its name contains the host name,
 * because machines with different hardware may share a home folder.
 */
export function usualTuningFile(): string {
  const { XDG_CONFIG_HOME: named = '' } = process.env;
  const folder = path.isAbsolute(named) ? named : path.join(homedir(), '.config');
  return path.join(folder, 'collbench', 'tuning', `${hostname().replaceAll('/', '_')}.json`);
}

/**
 * Reads a tuning table (fastest algorithm of the cpu engine per message size).
 * @throws Refusal if `file` does not exist, cannot be read, or is not a tuning table
 */
export function readTuning(file: string): TuningTable {
  let why: string;
  try {
    const read = tuningTable.safeParse(JSON.parse(readPlainTextSync(file, writtenByHand)));
    if (read.success) return read.data;
    const [issue] = read.error.issues;
    why = `${issue?.path.join('.')}: ${issue?.message}`;
  } catch (error) {
    why = error instanceof SyntaxError ? 'it is no JSON' : error instanceof Error ? error.message : '';
  }
  throw refuse('tuning-unreadable', { file, why });
}

/**
 * Returns the tuning table that `collbench tune` stored for this machine; null if there is none.
 * @throws Refusal if it cannot be read
 */
export function usualTuning(): TuningTable | null {
  const file = usualTuningFile();
  return existsSync(file) ? readTuning(file) : null;
}

export async function writeTuning(file: string, table: TuningTable): Promise<void> {
  try {
    await mkdir(path.dirname(path.resolve(file)), { recursive: true });
    await replaceFile(file, `${JSON.stringify(table, null, 2)}\n`, 'The runs are kept.');
  } catch (error) {
    throw refuse('file-unwritable', {
      where: `--table ${file}`,
      why: error instanceof Error ? error.message : String(error),
    });
  }
}
