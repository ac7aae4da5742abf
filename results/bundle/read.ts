import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { isFields } from '../collections.ts';
import { parseJson } from '../files/json.ts';
import { openPlain, UnreadableFile } from '../files/plain.ts';
import { refuse } from '../refusals/refusal.ts';
import { blockRecord, cellRecord, type RunRecord, runRecord } from '../schema/index.ts';
import { StoreError } from '../store/errors.ts';
import { listRuns } from '../store/list.ts';
import { check } from '../store/records.ts';
import { removeRun } from '../store/remove.ts';
import type { RunWriter } from '../store/types.ts';
import { createRun, newRunId } from '../store/write.ts';
import { bundleKind, bundleVersion } from './write.ts';

const maxPackedBytes = 512 * 2 ** 20;
/**
 * Highest unpacked size of a bundle in bytes. A limit is needed, because a small packed file of zeros may unpack to a thousand
 * times its size.
 */
const maxBytes = 4 * 2 ** 30;
/** Highest length of one unpacked line in bytes. Lines with samples of thousands of ranks are shorter. */
const maxLine = 256 * 2 ** 20;
const maxCells = 200_000;

export interface BundleLocation {
  root: string;
  out: string | undefined;
  label: string | undefined;
}

/**
 * Creates a run from a bundle (a run packed into one file). The run keeps its id if the id is valid and no other run has it; the
 * record states that the run came from a bundle. The index of runs is not changed. If an error occurs, no files are left.
 * @param place folder of all runs (`root`), folder for the run instead of one with a generated name (`out`), and name of the run
 * (`label`); undefined = not given by the user
 * @returns the record as stored, and the path of the run's folder
 * @throws Refusal if the file cannot be read, is no bundle, damaged, too large or of another bundle version; StoreError newer,
 * exists, unwritable, full, write, or not-found if the folder of all runs cannot be listed
 */
export async function readBundle(
  file: string,
  place: BundleLocation,
): Promise<{ record: RunRecord; dir: string }> {
  const bad = (why: string) => refuse('no-bundle', { file, why });
  let writer: RunWriter | null = null;
  let isWhole = false;
  try {
    const handle = await openPlain(file, maxPackedBytes);
    const lines = linesOf(handle.createReadStream(), bad);
    const first = await lines.next();
    const head = first.done === true ? null : fieldsOf(first.value, bad);
    if (head?.type !== bundleKind)
      throw bad('it is packed, and no bundle of collbench; unpack other files first');
    if (head.version !== bundleVersion)
      throw bad(`version ${JSON.stringify(head.version)}, this collbench reads ${bundleVersion}`);
    const record = await importedRecord(check(file, runRecord, head.record), place);
    const { root, out } = place;
    writer = await createRun({
      root,
      ...(out === undefined ? {} : { out }),
      record: { ...record, state: 'running', endedAt: null, exitCode: null },
    });
    await keep(lines, writer, bad);
    await writer.update(record);
    isWhole = true;
    return { record, dir: writer.dir };
  } catch (error) {
    if (error instanceof UnreadableFile) throw refuse('import-unreadable', { file, why: error.message });
    if (error instanceof StoreError && error.code === 'broken')
      throw bad(error.message.replace(`${file} `, ''));
    throw error;
  } finally {
    await writer?.close();
    if (writer !== null && !isWhole) await removeRun(writer.dir).catch(() => undefined);
  }
}

/**
 * Returns the record of a bundle in the form in which this machine stores it: without logs and suite, with the label that the user
 * gave (otherwise that of the bundle), and with `title` and `bundle`, which say that the run was imported. The id is kept if it is
 * valid and no run in `root` has it; otherwise a new one is made.
 */
async function importedRecord(record: RunRecord, { root, label }: BundleLocation): Promise<RunRecord> {
  const { logs: _, suite: __, ...rest } = record;
  const isFree =
    /^[0-9a-f]{6,12}$/.test(record.id) && !(await listRuns(root)).some(({ id }) => id === record.id);
  return {
    ...rest,
    id: isFree ? record.id : newRunId(),
    ...(label === undefined ? {} : { label }),
    title: `${record.title} (imported bundle)`,
    bundle: { id: record.id, importedAt: new Date().toISOString() },
  };
}

async function keep(
  lines: AsyncGenerator<string>,
  writer: RunWriter,
  bad: (why: string) => Error,
): Promise<void> {
  const counts = { cells: 0, blocks: 0 };
  let isEnded = false;
  for await (const text of lines) {
    if (isEnded) throw bad('there is more behind its end');
    const line = fieldsOf(text, bad);
    if (line.type === 'cell') {
      counts.cells += 1;
      if (counts.cells > maxCells) throw bad(`more than ${maxCells} configurations`);
      await writer.appendCell(check('a configuration', cellRecord, line.cell));
    } else if (line.type === 'block') {
      counts.blocks += 1;
      await writer.appendBlock(check('a block of samples', blockRecord, line.block));
    } else if (line.type === 'end') {
      isEnded = line.cells === counts.cells && line.blocks === counts.blocks;
      if (!isEnded) throw bad('parts of it are missing');
    } else throw bad('a line of it is of no kind that a bundle has');
  }
  if (!isEnded) throw bad('its end is missing: it was not copied whole');
}

function fieldsOf(text: string, bad: (why: string) => Error): Record<string, unknown> {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw bad(`it cannot be read: ${(error as Error).message}`);
  }
  if (!isFields(value)) throw bad('a line of it is no record');
  return value;
}

/**
 * Yields the lines of the unpacked file, without line breaks; at most one line is in memory.
 * @param bad makes the error to throw from a reason
 * @throws the error from `bad` if the file is damaged, unpacks to more than `maxBytes`, has a line longer than `maxLine`, or does
 * not end with a line break
 */
async function* linesOf(packed: Readable, bad: (why: string) => Error): AsyncGenerator<string> {
  const unpacked = packed.pipe(createGunzip());
  packed.on('error', (error) => unpacked.destroy(error));
  let [bytes, held] = [0, 0];
  let parts: Buffer[] = [];
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw bad(`it unpacks to more than ${maxBytes / 2 ** 30} GiB`);
      let from = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
        yield Buffer.concat([...parts, chunk.subarray(from, end)]).toString('utf8');
        [parts, held, from] = [[], 0, end + 1];
      }
      const rest = chunk.subarray(from);
      held += rest.length;
      if (held > maxLine) throw bad(`a line of it is longer than ${maxLine / 2 ** 20} MiB`);
      if (rest.length > 0) parts.push(rest);
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw code.startsWith('Z_') || code === 'ERR_BUFFER_TOO_LARGE' ? bad('it is damaged') : error;
  } finally {
    packed.destroy();
    unpacked.destroy();
  }
  if (held > 0) throw bad('its end is missing: it was not copied whole');
}
