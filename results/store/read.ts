import { join, resolve } from 'node:path';
import { deriveCells } from '../derive/groups.ts';
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
import { StoreError } from './errors.ts';
import { exists, foldersOf, idOf, listRuns, readError, secondOf } from './list.ts';
import { openMetrics } from './metrics.ts';
import { defaultRoot, files, maxRecordBytes } from './paths.ts';
import { check, records } from './records.ts';
import type { LoadedRun } from './types.ts';

/**
 * Opens a run by its folder, its id, or the start of either below `root`; `last` is the newest there, `last~1` the one before.
 * Torn last lines are left out and told in `warnings`; cells whose blocks are there but whose own line is missing are
 * derived from the blocks.
 * @throws StoreError not-found (with the nearest runs), newer (schema), broken
 */
export async function openRun(pathOrId: string, root: string = defaultRoot): Promise<LoadedRun> {
  const dir = await findRun(pathOrId, root);
  const record = await readRecord(dir);
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
    cells,
    warnings,
    blocks: (which) => (which === 'all' ? readBlocks(dir, []) : blocksInUse(dir, record)),
    metrics: () => openMetrics(dir),
    topologies: async () => (await import('./topologies.ts')).readTopologies(dir),
  };
}

/** Runs that one message names. */
const maxNamed = 5;

/** Folder of a run. @throws StoreError not-found, with the nearest */
export async function findRun(pathOrId: string, root: string = defaultRoot): Promise<string> {
  if (pathOrId === '')
    throw new StoreError('bad-name', root, 'a run is named by its folder or its id; the name is empty');
  for (const dir of [resolve(pathOrId), resolve(root, pathOrId)]) {
    if (await exists(join(dir, files.record))) return dir;
  }
  const names: string[] = [];
  for (const name of await foldersOf(root))
    if (await exists(join(root, name, files.record))) names.push(name);
  const [isLast, back = '0'] = /^last(?:~(\d{1,6}))?$/.exec(pathOrId) ?? [];
  if (isLast !== undefined) return resolve(root, await newest(names, Number(back), root));
  const matches = names.filter((name) => name.startsWith(pathOrId) || idOf(name).startsWith(pathOrId));
  const exact = matches.filter((name) => idOf(name) === pathOrId);
  const [only, second] = exact.length > 0 ? exact : matches;
  if (only !== undefined && second === undefined) return resolve(root, only);
  if (only !== undefined) {
    const text = `'${pathOrId}' could be any of: ${matches.slice(0, maxNamed).join(', ')}. Give more of the name.`;
    throw new StoreError('not-found', pathOrId, text);
  }
  const listed = await listRuns(root);
  const labelled = listed.filter(({ label }) => label === pathOrId);
  const [one, another] = labelled;
  if (one !== undefined && another === undefined) return one.dir;
  if (one !== undefined) {
    const ids = labelled.map(({ id }) => id).join(', ');
    throw new StoreError(
      'not-found',
      pathOrId,
      `'${pathOrId}' is the label of several runs: ${ids}. Give an id.`,
    );
  }
  const suite = listed.find((entry) => entry.suite?.id.startsWith(pathOrId))?.suite ?? null;
  if (suite !== null) {
    const ids = listed.filter((entry) => entry.suite?.id === suite.id).map(({ id }) => id);
    const text = `'${pathOrId}' is suite ${suite.name} with ${ids.length} ${ids.length === 1 ? 'run' : 'runs'}, and here one run is needed: ${ids.slice(0, maxNamed).join(', ')}${ids.length > maxNamed ? ', ...' : ''}. The folder of the suite, or its id, works with collbench report, export and baseline.`;
    throw new StoreError('not-found', pathOrId, text);
  }
  if (await exists(resolve(pathOrId))) {
    const text = `${pathOrId} is not a run: it has no ${files.record}.`;
    throw new StoreError('not-found', pathOrId, text);
  }
  const near = nearest(pathOrId, names);
  const hint =
    names.length === 0
      ? `There are no runs in ${resolve(root)}.`
      : `Nearest: ${near.join(', ')}. \`collbench runs\` lists all ${names.length}.`;
  throw new StoreError('not-found', pathOrId, `there is no run '${pathOrId}' in ${resolve(root)}. ${hint}`);
}

/** Names begin with the second of the start; of those of one second the records say more. @param back 0 = the last one */
async function newest(names: readonly string[], back: number, root: string): Promise<string> {
  const sorted = [...names].sort((a, b) => b.localeCompare(a));
  const at = sorted[back];
  if (at !== undefined) {
    const same = sorted.filter((name) => secondOf(name) === secondOf(at));
    if (same.length === 1) return at;
    const starts = await Promise.all(
      same.map(async (name) => ({ name, startedAt: (await readRecord(join(root, name))).startedAt })),
    );
    starts.sort((a, b) => b.startedAt.localeCompare(a.startedAt));
    return starts[back - sorted.indexOf(same[0] as string)]?.name ?? at;
  }
  const there = names.length === 1 ? 'is 1 run' : `are ${names.length} runs`;
  const text = `there ${there} in ${resolve(root)}, so that no run lies ${back} before the last. \`collbench runs\` lists them.`;
  throw new StoreError('not-found', root, text);
}

async function readRecord(dir: string): Promise<RunRecord> {
  const path = join(dir, files.record);
  let raw: unknown;
  try {
    raw = parseJson(await readPlainText(path, maxRecordBytes));
  } catch (error) {
    throw readError(path, error);
  }
  return check(path, runRecord, raw);
}

/** Key of a cell in a run. */
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
 * What a resumed run measured anew replaces what an earlier start had begun of that cell; what was measured again because it was
 * disturbed does so only where the run says so.
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

/** Second measurements that replaced nothing, "attempt point transport". */
const unusedRetries = ({ retries = [] }: RunRecord): Set<string> =>
  new Set(
    retries.flatMap(({ attempt, cells }) =>
      cells.flatMap(({ point, transport, outcome }) =>
        outcome === 'replaced' ? [] : [`${attempt} ${point} ${transport}`],
      ),
    ),
  );

const attemptOf = ({ attempt }: BlockRecord): number => attempt ?? 0;

/** Adds cells that have blocks and no line of their own, and puts all in the order of the plan. */
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
  // Blocks are large; they are read only when a cell is missing that they could give.
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
        warnings.push(`${cell.id} was not finished; its figures come from the ${used} measured blocks.`);
      }
    }
  }
  return cells;
}

/** Cells of pairs are few blocks each: one that has no line was not ended, and is not made of what is there of it. */
function inOrderOfSets(cells: ReadonlyMap<string, CellRecord>): CellRecord[] {
  const index = ({ group }: CellRecord): number => group?.index ?? 0;
  return [...cells.values()].sort((a, b) => index(a) - index(b));
}

/** The three names whose id or whole is nearest by edit distance. */
function nearest(wanted: string, names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, far: Math.min(distance(wanted, idOf(name)), distance(wanted, name)) }))
    .sort((a, b) => a.far - b.far)
    .slice(0, 3)
    .map(({ name }) => name);
}

/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const swap = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
