import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { innerFolder } from '../files/folders.ts';
import { isTick, type MetricsHeader, type MetricsLine, metricsLine } from '../schema/index.ts';
import { StoreError, writeError } from './errors.ts';
import { LineFile } from './lines.ts';
import { files } from './paths.ts';
import { records } from './records.ts';
import type { HostMetrics } from './types.ts';

/** Highest number of characters of a host's name in the name of its metrics file; the header in the file has the full name. */
const longestName = 100;

/**
 * Writes the files with load readings (CPU, GPU, network) of all hosts in one attempt of a run. A host's file is created with its
 * first line. The class writes no headers: the caller appends a host's header before its readings. It does not close its files:
 * open() returns those that the caller must close.
 */
export class MetricsFiles {
  private readonly byHost = new Map<string, Promise<LineFile>>();
  private readonly taken = new Set<string>();
  private readonly dir: string;
  private readonly attempt: number;
  private readonly safe: () => string;

  constructor(dir: string, attempt: number, safe: () => string) {
    this.dir = dir;
    this.attempt = attempt;
    this.safe = safe;
  }

  /**
   * Appends lines to the metrics file of `host`, one JSON line each, in a single write(). The first line for a host must be its
   * header. If `lines` is empty, no file is created.
   * @throws StoreError full, unwritable, write
   */
  async append(host: string, lines: readonly MetricsLine[]): Promise<void> {
    if (lines.length === 0) return;
    const file = this.byHost.get(host) ?? this.create(host);
    this.byHost.set(host, file);
    await (await file).append(lines.map((line) => JSON.stringify(line)).join('\n'));
  }

  open(): Promise<LineFile>[] {
    return [...this.byHost.values()];
  }

  private async create(host: string): Promise<LineFile> {
    const path = join(this.dir, files.metrics, this.nameFor(host));
    try {
      await innerFolder(this.dir, files.metrics);
    } catch (error) {
      throw writeError(path, error, this.safe());
    }
    return LineFile.open(path, this.safe);
  }

  private nameFor(host: string): string {
    const plain =
      host
        .replace(/[^A-Za-z0-9._-]/g, '_')
        .replace(/^\.+/, '_')
        .slice(0, longestName) || 'host';
    const ending = this.attempt === 0 ? '.ndjson' : `.${this.attempt}.ndjson`;
    let name = plain;
    // Hosts "a:1" and "a_1" would get the same file name, so the second one gets a suffix.
    for (let n = 2; this.taken.has(name.toLowerCase()); n += 1) name = `${plain}~${n}`;
    this.taken.add(name.toLowerCase());
    return name + ending;
  }
}

/**
 * Opens the files with load readings (CPU, GPU, network) in run folder `dir`: one result per host and attempt, sorted by file name;
 * [] if there are none. Only headers are read now; `lines()` of a result reads the rest. A file that ends within its header is left
 * out.
 * @throws StoreError broken, newer
 */
export async function openMetrics(dir: string): Promise<HostMetrics[]> {
  const found: HostMetrics[] = [];
  for (const name of await namesIn(join(dir, files.metrics))) {
    const one = await openHost(join(dir, files.metrics, name), `${files.metrics}/${name}`);
    if (one !== null) found.push(one);
  }
  return found;
}

/**
 * Reads the header of one metrics file. Nothing stays open: each call of lines() opens the file again.
 * @param path path of the file
 * @param file its path relative to the run folder
 * @returns null if the file does not exist or ends within its header
 * @throws StoreError broken: the first line is not a header
 */
async function openHost(path: string, file: string): Promise<HostMetrics | null> {
  for await (const first of records(path, file, metricsLine, [])) {
    if (!isHeader(first)) {
      throw new StoreError('broken', path, `${path}, line 1: a header is due where a reading stands`);
    }
    const warnings: string[] = [];
    return { file, header: first, lines: () => linesOf(path, file, first, warnings), warnings };
  }
  return null;
}

async function* linesOf(
  path: string,
  file: string,
  header: MetricsHeader,
  warnings: string[],
): AsyncGenerator<Exclude<MetricsLine, MetricsHeader>> {
  warnings.length = 0;
  let number = 0;
  // The header was checked when the file was opened.
  const isSure = (raw: unknown): raw is MetricsLine => isTick(raw) || (number === 0 && isHeader(raw));
  for await (const line of records<MetricsLine>(path, file, metricsLine, warnings, isSure)) {
    number += 1;
    if (isHeader(line)) {
      if (number > 1) throw new StoreError('broken', path, `${path} has a second header`);
      continue;
    }
    if ('values' in line && line.values.length !== header.channels.length) {
      const text = `${path}, line ${number}: ${line.values.length} values for ${header.channels.length} channels`;
      throw new StoreError('broken', path, text);
    }
    yield line;
  }
}

const isHeader = (line: unknown): line is MetricsHeader =>
  typeof line === 'object' && line !== null && 'kind' in line && line.kind === 'metrics';

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith('.ndjson')).sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}
