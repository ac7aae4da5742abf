// crosscheck.json: all figures of all rounds, and what they were taken with.
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { version } from '../../orchestration/build.ts';
import type { AgreementVerdict } from '../../results/derive/index.ts';
import type { Failure } from '../../results/schema/index.ts';
import { defaultRoot, newRunId, recordedEnvironment } from '../../results/store/index.ts';
import type { ExitCode } from '../../results/verdicts/exit-code.ts';
import { CommandError } from '../exit.ts';
import type { CrosscheckOptions } from './options.ts';
import type { OurEngine } from './ours.ts';
import type { CollectiveResult } from './rounds.ts';

export interface CrosscheckRecord {
  schemaVersion: 1;
  kind: 'crosscheck';
  id: string;
  startedAt: string;
  endedAt: string | null;
  state: 'running' | 'complete' | 'failed' | 'interrupted';
  exitCode: ExitCode | null;
  /** Null: something failed before there was one. */
  verdict: AgreementVerdict | null;
  collbench: string;
  options: CrosscheckOptions;
  gpus: readonly number[];
  medium: OurEngine['medium'];
  library: OurEngine['library'];
  /** NCCL variables of both sides: the allow-listed ones of the user, and those our engine sets. */
  environment: Record<string, string>;
  collectives: CollectiveResult[];
  failures: Failure[];
}

export function newCrosscheckRecord(options: CrosscheckOptions, ours: OurEngine): CrosscheckRecord {
  return {
    schemaVersion: 1,
    kind: 'crosscheck',
    id: newRunId(),
    startedAt: new Date().toISOString(),
    endedAt: null,
    state: 'running',
    exitCode: null,
    verdict: null,
    collbench: version(),
    options,
    gpus: ours.gpus,
    medium: ours.medium,
    library: ours.library,
    environment: { ...recordedEnvironment(process.env), ...ours.environment },
    collectives: [],
    failures: [],
  };
}

/**
 * The folder of a crosscheck: `<root>/<UTC time>-crosscheck-<id>` or `--out`, with nccl-tests/ for what it printed.
 * @throws CommandError where it is there and not empty, or cannot be made
 */
export function makeFolder(record: CrosscheckRecord): string {
  const time = record.startedAt.replace(/\.\d+/, '').replaceAll(':', '-');
  const dir = path.resolve(record.options.out ?? path.join(defaultRoot, `${time}-crosscheck-${record.id}`));
  try {
    mkdirSync(dir, { recursive: true });
    const there = readdirSync(dir);
    if (there.length > 0) {
      throw new CommandError(`--out ${dir}: there already and not empty (${there[0]})`, [
        '  allowed: a new or empty folder',
      ]);
    }
    mkdirSync(path.join(dir, 'nccl-tests'));
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${dir}: ${(error as Error).message}`, [
      '  allowed: a folder that can be written',
    ]);
  }
  return dir;
}

/** By write and rename: a reader sees the old file or the new one. */
export function writeRecord(dir: string, record: CrosscheckRecord): void {
  const file = path.join(dir, 'crosscheck.json');
  writeFileSync(`${file}.tmp`, `${JSON.stringify(record, null, 2)}\n`);
  renameSync(`${file}.tmp`, file);
}
