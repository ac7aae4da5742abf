import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { version } from '../orchestration/build.ts';
import { titleOf } from '../orchestration/running/new-record.ts';
import { summarise } from '../reports/summary.ts';
import { formatCount, plural } from '../reports/wording.ts';
import { enterIndex } from '../results/history/index.ts';
import {
  type FormatName,
  formats,
  ImportError,
  type ImportedRun,
  readForeign,
  runOf,
  type Told,
} from '../results/import/index.ts';
import type { RunRecord } from '../results/schema/index.ts';
import { createRun, newRunId, openRun } from '../results/store/index.ts';
import { harmless } from '../results/text.ts';
import { bytesText } from '../results/units.ts';
import { type ExitCode, exitCodeOf } from '../results/verdicts/exit-code.ts';
import { failureText } from '../results/verdicts/failure-text.ts';
import { CommandError } from './exit.ts';

export interface ImportOptions {
  /** A path, or `-` for stdin. */
  file: string;
  format: FormatName | null;
  label: string | null;
  told: Told;
  root: string;
  out: string | undefined;
  json: boolean;
  /** As typed, for the record. */
  command: string[];
}

/** All of it is held in memory while it is read. */
const mostBytes = 64 * 2 ** 20;

/**
 * Makes a run of what another program printed or wrote.
 * @returns as for a measured run: 0 whole and right, 2 not whole, 3 wrong data
 * @throws CommandError the file cannot be read or imported; StoreError the run cannot be written
 */
export async function importFile(options: ImportOptions): Promise<ExitCode> {
  const content = await contentOf(options.file);
  const { label, told, file } = options;
  const name = file === '-' ? 'stdin' : path.basename(file);
  let format: FormatName;
  let run: ImportedRun;
  let record: RunRecord;
  try {
    const read = readForeign(content.toString('utf8'), told, options.format);
    format = read.format;
    const sha256 = createHash('sha256').update(content).digest('hex');
    const source = { name, bytes: content.length, sha256 };
    run = runOf(read.found, { command: options.command, format, file: source, label });
    record = recordOf(run, read.found.versions, read.found.environment);
  } catch (error) {
    if (error instanceof ImportError) throw new CommandError(`${file}: ${error.message}`, error.lines);
    throw error;
  }
  const writer = await createRun({
    root: options.root,
    ...(options.out === undefined ? {} : { out: options.out }),
    record: { ...record, state: 'running', endedAt: null, exitCode: null },
  });
  try {
    await writer.replaceCells(run.cells);
    await writer.update(record);
  } finally {
    await writer.close();
  }
  const missing = await enterIndex(await openRun(writer.dir));
  if (missing !== null) process.stderr.write(`collbench: ${harmless(missing)}\n`);
  if (options.json) process.stdout.write(`${JSON.stringify({ type: 'run', dir: writer.dir, ...record })}\n`);
  else tell(format, run, record, writer.dir);
  for (const failure of record.failures) process.stderr.write(failureText(failure));
  return record.exitCode as ExitCode;
}

function recordOf(
  { plan, cells, failures }: ImportedRun,
  versions: Record<string, string>,
  environment: Record<string, string>,
): RunRecord {
  const now = new Date().toISOString();
  const record: RunRecord = {
    schemaVersion: 1,
    id: newRunId(),
    title: titleOf(plan),
    startedAt: now,
    endedAt: now,
    state: failures.length === 0 ? 'complete' : 'failed',
    exitCode: exitCodeOf(failures, cells),
    plan,
    inventory: {},
    environment,
    versions: { ...versions, 'collbench (import)': version() },
    launches: [],
    failures,
    summary: null,
  };
  return { ...record, summary: summarise({ dir: '', record, cells, warnings: [] }) };
}

function tell(format: FormatName, { plan, cells }: ImportedRun, record: RunRecord, dir: string): void {
  const { imported } = plan;
  if (imported === undefined) return;
  const ok = cells.filter(({ status }) => status === 'ok').length;
  const from = `${formats[format].title.split(':')[0]}, ${bytesText(imported.file.bytes)}`;
  const shown = imported.notices.slice(0, 10);
  const more = imported.notices.length - shown.length;
  const near = path.relative(process.cwd(), dir);
  const lines = [
    `${record.title}`,
    `  ${plural(ok, 'cell')} of ${imported.program} (${from}), ${plural(plan.ranks, 'rank')}`,
    `  a time is the ${imported.statistic}; no interval`,
    ...imported.conversions.map((text) => `  converted: ${text}`),
    `  not told: ${imported.unknown.join(', ')}`,
    ...shown.map((text) => `  notice: ${text}`),
    ...(more > 0 ? [`  and ${formatCount(more)} more notices in run.json`] : []),
    `run ${record.id}: ${near.startsWith('..') ? dir : near}`,
    `Next: collbench report ${near.startsWith('..') || near === '' ? dir : near}`,
  ];
  process.stdout.write(`${harmless(lines.join('\n'))}\n`);
}

/** @throws CommandError */
async function contentOf(file: string): Promise<Buffer> {
  try {
    return file === '-' ? await pieces(process.stdin) : await fromFile(file);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    const why = { ENOENT: 'there is no such file', EISDIR: 'is a folder', EACCES: 'may not be read' }[
      code ?? ''
    ];
    throw new CommandError(`${file}: ${why ?? message}`, ['  allowed: a file, or - for stdin']);
  }
}

async function fromFile(file: string): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    if ((await handle.stat()).isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
    return await pieces(handle.createReadStream({ autoClose: false }));
  } finally {
    await handle.close();
  }
}

/** Never holds more than the limit, however long the stream is. @throws CommandError it is longer */
async function pieces(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of stream) {
    bytes += part.length;
    if (bytes > mostBytes) {
      throw new CommandError(`more than ${mostBytes / 2 ** 20} MiB: not imported`, [
        '  allowed: up to 64 MiB; cut it at line ends (split -C 60M FILE), each part becomes a run',
      ]);
    }
    parts.push(part);
  }
  return Buffer.concat(parts);
}
