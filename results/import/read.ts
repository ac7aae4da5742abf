import { type FormatName, formatNames, formats } from './formats.ts';
import { brief, type Found, ImportError, type Told } from './found.ts';
import { type Source, sourceOf } from './source.ts';
import { isKineto, rankTrace } from './traces/kineto.ts';
import { waitingOf, waitingSays } from './traces/ranks.ts';

/** More rows are no sweep: each becomes a cell of a run. */
const mostRows = 20_000;

/**
 * What a file of another program tells. The format is found by what the content looks like.
 * @param format null = found by itself
 * @throws ImportError no format fits, several do, or the content is not of the one named
 */
export function readForeign(
  content: string | Uint8Array,
  told: Told,
  format: FormatName | null = null,
): { format: FormatName; found: Found } {
  const source = sourceOf(content);
  const { text } = source;
  const isText = source.records.length === 0 || text !== '';
  if (isText && text.trim() === '') throw new ImportError('the content is empty');
  if (text.includes('\0'))
    throw new ImportError('the content is no text: it has bytes of value 0', [
      '  a packed file? unpack it first',
    ]);
  const name = format ?? detect(source);
  const found = named(formats[name].read(source, told));
  const usable = found.rows.filter((row) => row.timeNs !== null).length;
  if (usable === 0 && (found.job === undefined || found.rows.length > 0)) {
    const [first] = found.rows;
    const why =
      first?.reason ?? found.notices[0] ?? `there is no row of ${formats[name].title.split(':')[0]} in it`;
    throw new ImportError(`nothing can be imported: ${brief(why, 300)}`);
  }
  if (found.rows.length > mostRows) {
    throw new ImportError(`${found.rows.length} rows; at most ${mostRows} can be imported as one run`, [
      '  cut the file into several',
    ]);
  }
  return { format: name, found };
}

/**
 * Traces of the ranks of one job: the first one's figures, with waiting apart from moving.
 * @throws ImportError they are no traces, or not of one job
 */
export function readRanks(
  contents: readonly (string | Uint8Array)[],
  told: Told,
  format: FormatName | null = null,
): { format: FormatName; found: Found } {
  const [first = '', ...others] = contents;
  const read = readForeign(first, told, format);
  if (others.length === 0) return read;
  const sources = contents.map(sourceOf);
  if (read.format !== 'kineto' || !sources.every(isKineto))
    throw new ImportError('several files are imported together only as traces of the ranks of one job', [
      'Next: the same command for each file',
    ]);
  const traces = sources.map((source) => rankTrace(source, told));
  const waiting = waitingSays(waitingOf(traces), traces[0]?.steps !== null);
  return { ...read, found: { ...read.found, says: [...(read.found.says ?? []), ...waiting] } };
}

/** @throws ImportError */
function detect(source: Source): FormatName {
  const fitting = formatNames.filter((name) => formats[name].recognises(source));
  const [only, second] = fitting;
  if (only === undefined) {
    throw new ImportError('the content is of no program that can be imported', [
      ...formatNames.map((name) => `  ${name}: no ${formats[name].lookedFor.replace(/^an? /, '')}`),
      '  where it is one of these: --format NAME',
    ]);
  }
  if (second !== undefined) {
    throw new ImportError(`the content looks like ${fitting.join(' and like ')}`, [
      ...fitting.map((name) => `  ${name}: has ${formats[name].lookedFor}`),
      `Next: the same command with --format ${only}, or one output per file`,
    ]);
  }
  return only;
}

/** Names come from the file: control characters do not belong in them, and `@` begins what a series fixes. */
function named(found: Found): Found {
  const clean = (text: string) =>
    text
      .replace(/\p{Cc}/gu, ' ')
      .replaceAll('@', ' at ')
      .trim();
  return {
    ...found,
    program: clean(found.program),
    hosts: found.hosts.map((host) => brief(clean(host), 100)),
    rows: found.rows.map((row) => ({ ...row, variant: brief(clean(row.variant), 120) })),
  };
}
