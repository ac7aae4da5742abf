// Loads a run from its folder: its record and cells at once, blocks and metrics only when they are used.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pointText } from '../axis-text.ts';
import { deriveCells } from '../derive/cells/groups.ts';
import { parseJson } from '../files/json.ts';
import { readPlainText } from '../files/plain.ts';
import {
  attemptsOf,
  type BlockRecord,
  blockRecord,
  type CellRecord,
  cellRecord,
  isBlock,
  type RunRecord,
  runRecord,
} from '../schema/index.ts';
import { plural } from '../units.ts';
import { StoreError } from './errors.ts';
import { openMetrics } from './metrics.ts';
import { files, maxRecordBytes } from './paths.ts';
import { check, records } from './records.ts';
import type { LoadedRun, RecordStamp } from './types.ts';

/** The content of run.json, with the file's size and modification time. */
export interface StampedRecord {
  record: RunRecord;
  stamp: RecordStamp;
}

/**
 * Loads the results of the run in folder `dir`, whose run.json was already read. Raw samples are read only when they are used,
 * unless a result is missing and must be computed from them. Missing files count as empty ones.
 * @throws StoreError newer, broken
 */
export async function loadRun(dir: string, { record, stamp }: StampedRecord): Promise<LoadedRun> {
  const warnings: string[] = [];
  const found = await readCells(dir, warnings);
  const cells =
    record.plan.pairs === undefined ? await complete(dir, record, found, warnings) : inOrderOfSets(found);
  if (record.state === 'running') {
    warnings.push('The run has no end: it is still being written, or was killed. This shows what it has.');
  }
  return {
    dir,
    record,
    stamp,
    cells,
    warnings,
    blocks: (which) => (which === 'all' ? readBlocks(dir, []) : blocksInUse(dir, record)),
    metrics: () => openMetrics(dir),
    topologies: async () => (await import('./topologies.ts')).readTopologies(dir),
  };
}

/**
 * Reads run.json in run folder `dir` and checks it against the schema.
 * @throws StoreError newer: a later schema; broken: the file does not exist, cannot be read, or violates the schema
 */
export async function readRecord(dir: string): Promise<StampedRecord> {
  const path = join(dir, files.record);
  let raw: unknown;
  let stamp: RecordStamp;
  try {
    // The stamp is read first. If the record is replaced after this call, its index line has an old stamp and counts as outdated.
    const { size, mtimeMs } = await stat(path);
    stamp = { bytes: size, mtimeMs };
    raw = parseJson(await readPlainText(path, maxRecordBytes));
  } catch (error) {
    throw readError(path, error);
  }
  return { record: check(path, runRecord, raw), stamp };
}

function readError(path: string, error: unknown): StoreError {
  const what = error instanceof Error ? error.message : String(error);
  return new StoreError('broken', path, `${path} cannot be read: ${what}`, { cause: error });
}

/** Returns the map key of a result: index of the point in the plan, name of the transport, index of the group of ranks. */
const place = (point: number, transport: string, group?: number): string =>
  `${point} ${transport} ${group ?? ''}`;

async function readCells(dir: string, warnings: string[]): Promise<Map<string, CellRecord>> {
  const cells = new Map<string, CellRecord>();
  for await (const cell of records(join(dir, files.cells), files.cells, cellRecord, warnings)) {
    cells.set(place(cell.point, cell.transport, cell.group?.index), cell);
  }
  return cells;
}

function readBlocks(dir: string, warnings: string[]): AsyncGenerator<BlockRecord> {
  return records(join(dir, files.blocks), files.blocks, blockRecord, warnings, isBlock);
}

/**
 * Yields the blocks (samples of one configuration in one launch) from which the present results were computed. Of each
 * configuration only the last attempt is used; a retry is used only if the record says that it replaced the first result.
 */
async function* blocksInUse(dir: string, record: RunRecord): AsyncGenerator<BlockRecord> {
  if (attemptsOf(record) === 0) {
    yield* readBlocks(dir, []);
    return;
  }
  const last = new Map<string, number>();
  const key = ({ point, transport }: BlockRecord): string => `${point} ${transport}`;
  const unused = unusedRetries(record);
  for await (const block of readBlocks(dir, [])) {
    if (unused.has(`${attemptOf(block)} ${key(block)}`)) continue;
    last.set(key(block), Math.max(last.get(key(block)) ?? 0, attemptOf(block)));
  }
  for await (const block of readBlocks(dir, [])) {
    if (attemptOf(block) === last.get(key(block))) yield block;
  }
}

/**
 * Returns keys "ATTEMPT POINT TRANSPORT" (both as indices in the plan) of repeated measurements whose samples are not used, because
 * they did not replace the first result: they were disturbed, too, or not completed.
 */
const unusedRetries = ({ retries = [] }: RunRecord): Set<string> =>
  new Set(
    retries.flatMap(({ attempt, cells }) =>
      cells.flatMap(({ point, transport, outcome }) =>
        outcome === 'replaced' ? [] : [`${attempt} ${point} ${transport}`],
      ),
    ),
  );

const attemptOf = ({ attempt }: BlockRecord): number => attempt ?? 0;

/**
 * Returns all results in the order of the plan: the stored ones (`there`) and computed ones. A result is computed if the
 * configuration has samples in blocks.ndjson but no line in cells.ndjson, because the run ended too early. Computed results have
 * the flag `interrupted`, and a text added to `warnings` names the first of them.
 */
async function complete(
  dir: string,
  record: RunRecord,
  there: Map<string, CellRecord>,
  warnings: string[],
): Promise<CellRecord[]> {
  const { plan } = record;
  const groups = plan.groups?.members.map((_, index) => index) ?? [undefined];
  const isThere = (point: number, name: string): boolean =>
    groups.every((group) => there.has(place(point, name, group)));
  const orphans = new Map<string, BlockRecord[]>();
  // Blocks are large, so they are read only if a cell is missing that could be derived from them.
  if (there.size < plan.points.length * plan.transports.length * groups.length) {
    for await (const block of readBlocks(dir, warnings)) {
      const name = plan.transports[block.transport]?.name ?? '';
      if (isThere(block.point, name)) continue;
      const key = place(block.point, name);
      const earlier = orphans.get(key)?.filter((one) => attemptOf(one) === attemptOf(block)) ?? [];
      orphans.set(key, [...earlier, block]);
    }
  }
  const cells: CellRecord[] = [];
  const unfinished: string[] = [];
  for (const point of plan.points.keys()) {
    for (const [transport, { name }] of plan.transports.entries()) {
      const blocks = orphans.get(place(point, name));
      const derived =
        blocks === undefined ? [] : deriveCells(plan, point, transport, blocks, ['interrupted']);
      for (const [index, group] of groups.entries()) {
        const cell = there.get(place(point, name, group)) ?? derived[index];
        if (cell === undefined) continue;
        cells.push(cell);
        if (cell !== derived[index]) continue;
        const used = blocks?.filter((block) => block.group?.index === group).length ?? 0;
        const member = group === undefined ? '' : `, ${plan.groups?.members[group]?.name}`;
        unfinished.push(
          `${pointText(cell, plan.workloads)} over ${name}${member} (${plural(used, 'block')})`,
        );
      }
    }
  }
  if (unfinished.length > 0) warnings.push(unfinishedWarning(unfinished));
  return cells;
}

/** Highest number of unfinished configurations that a warning lists by name. */
const maxUnfinished = 3;

function unfinishedWarning(names: readonly string[]): string {
  const more = names.length - maxUnfinished;
  const rest = more > 0 ? ` and ${more} more` : '';
  const [verb, whose] = names.length === 1 ? ['was', 'its'] : ['were', 'their'];
  return `${plural(names.length, 'configuration')} ${verb} not finished; ${whose} figures come from the measured blocks: ${names.slice(0, maxUnfinished).join(', ')}${rest}.`;
}

/**
 * Sorts the results of `collbench pairs` by the set of ranks that measured them. A measurement without a line in cells.ndjson was
 * not finished; its few samples are not used.
 */
function inOrderOfSets(cells: ReadonlyMap<string, CellRecord>): CellRecord[] {
  const index = ({ group }: CellRecord): number => group?.index ?? 0;
  return [...cells.values()].sort((a, b) => index(a) - index(b));
}
