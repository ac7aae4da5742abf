import { type FormatName, formatNames, formats, type ImportFormat, tablesOf } from './formats.ts';
import {
  ImportError,
  type ImportedOutput,
  type ImportedRow,
  type ImportHints,
  shortenText,
} from './imported-output.ts';
import { type ImportSource, sourceOf } from './source.ts';
import { isKineto, rankTrace } from './traces/kineto.ts';
import { waitingOf, waitTimeSentences } from './traces/ranks.ts';

/** Highest number of imported rows, because each one becomes a configuration of a run. */
const maxRows = 20_000;
/** Highest number of ranks of an imported run, more than any machine has. A larger number in a file is a damaged one. */
const maxRanks = 2 ** 20;

/**
 * Reads an output of another program.
 * @param hints facts that the user stated by options
 * @param format null = detect from the content
 * @returns the format, as named or detected, and the output that was read (`found`)
 * @throws ImportError if the content has no known format or matches several, is empty, binary, not of the named format, has no
 * usable row or job, or has more than `maxRows` rows or `maxRanks` ranks
 */
export function readForeign(
  content: string | Uint8Array,
  hints: ImportHints,
  format: FormatName | null = null,
): { format: FormatName; found: ImportedOutput } {
  const source = sourceOf(content);
  const { text } = source;
  const isText = source.records.length === 0 || text !== '';
  if (isText && text.trim() === '') throw new ImportError('the content is empty');
  if (text.includes('\0'))
    throw new ImportError('the content is no text: it has bytes of value 0', [
      '  a packed file? unpack it first',
    ]);
  const name = format ?? detect(source);
  const read = named(readPrograms(withoutOthers(source, name), hints, formats[name]));
  const found = { ...read, rows: read.rows.map(withUsableTime) };
  requireWhole(found.method.batch, 'operations for each printed time');
  const usable = found.rows.filter((row) => row.timeNs !== null).length;
  if (usable === 0 && (found.job === undefined || found.rows.length > 0)) {
    const [first] = found.rows;
    const why =
      first?.reason ?? found.notices[0] ?? `there is no row of ${formats[name].title.split(':')[0]} in it`;
    throw new ImportError(`nothing can be imported: ${shortenText(why, 300)}`);
  }
  if (found.rows.length > maxRows) {
    throw new ImportError(`${found.rows.length} rows; at most ${maxRows} can be imported as one run`, [
      '  cut the file into several',
    ]);
  }
  if (found.ranks > maxRanks) {
    throw new ImportError(`${found.ranks} ranks; at most ${maxRanks} can be imported`, [
      '  is the number of ranks in the file right?',
    ]);
  }
  return { format: name, found };
}

/** @throws ImportError if the value is no whole number that a run can store */
function requireWhole(value: number, what: string): void {
  if (!Number.isSafeInteger(value))
    throw new ImportError(`${value} ${what}`, [
      `  allowed: whole numbers up to ${Number.MAX_SAFE_INTEGER}; is the file damaged?`,
    ]);
}

/**
 * Returns the row, without its time if that is not above zero and finite: a printed rate may be "inf" or have too many digits.
 * @throws ImportError if its size or another of its counts is no whole number that a run can store
 */
function withUsableTime(row: ImportedRow): ImportedRow {
  const { operation, payloadBytes, count, wrong, samples, timeNs } = row;
  const of = `of a row of ${operation}`;
  requireWhole(payloadBytes, `bytes ${of}`);
  requireWhole(count, `elements ${of}`);
  requireWhole(wrong ?? 0, `wrong elements ${of}`);
  requireWhole(samples ?? 0, `samples ${of}`);
  if (timeNs === null || (timeNs > 0 && Number.isFinite(timeNs))) return row;
  return { ...row, timeNs: null, reason: `its time of ${timeNs} ns is not usable` };
}

/** Returns a log without the tables of formats other than `name`; a sentence says which ones it has. Other content is unchanged. */
function withoutOthers(source: ImportSource, name: FormatName): ImportSource {
  const others = formatNames.filter((other) => other !== name && formats[other].recognises(source));
  const { programs, text } = source;
  if (programs === undefined || others.length === 0) return source;
  const notice = `tables of ${others.join(' and ')} are left out: import them by a command of their own, with --format`;
  return {
    ...source,
    text: tablesOf(text, name, others),
    programs: programs.map((program, i) => ({
      ...program,
      text: tablesOf(program.text, name, others),
      notices: i === 0 ? [...program.notices, notice] : program.notices,
    })),
  };
}

/** Output of one of several benchmark programs that wrote into the same log. */
interface ProgramOutput {
  /** Tag or position in the log that distinguishes this output from the others. */
  name: string;
  found: ImportedOutput;
}

/**
 * Reads all programs of a log as one run. Programs with the same operation are distinguished by their tag or position. A program
 * that cannot be read is left out with a notice, and the output then counts as not complete.
 * @throws ImportError if no program can be read, or if they have different numbers of ranks
 */
function readPrograms(source: ImportSource, hints: ImportHints, format: ImportFormat): ImportedOutput {
  const { programs = [] } = source;
  const parts = programs.flatMap(({ tag, text, notices }) =>
    (format.split?.(text) ?? [text]).map((part, i, all) => ({
      name: all.length === 1 && tag !== '' ? tag : `${tag} program ${i + 1}`.trim(),
      text: part,
      notices: i === 0 ? notices : [],
    })),
  );
  const [first, second] = parts;
  if (first === undefined || second === undefined) {
    const found = format.read(source, hints);
    return { ...found, notices: [...(first?.notices ?? []), ...found.notices] };
  }
  const read: ProgramOutput[] = [];
  const failed: { name: string; error: ImportError }[] = [];
  for (const { name, text, notices } of parts) {
    try {
      const found = format.read({ ...source, text }, hints);
      read.push({ name, found: { ...found, notices: [...notices, ...found.notices] } });
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      failed.push({ name, error });
    }
  }
  const [{ found: whole } = { found: null }] = read;
  if (whole === null) throw failed[0]?.error;
  const counts = [...new Set(read.map(({ found }) => found.ranks))];
  if (counts.length > 1)
    throw new ImportError(
      `the log has programs of ${counts.join(' and ')} ranks: each number is a run of its own`,
      [
        ...read.map(({ name, found }) => `  ${name}: ${found.program}, ${found.ranks} ranks`),
        'allowed: one output per file',
      ],
    );
  return {
    ...whole,
    program: [...new Set(read.map(({ found }) => found.program))].join(' and '),
    hosts: read.every(({ found }) => found.hosts.length > 0)
      ? [...new Set(read.flatMap(({ found }) => found.hosts))]
      : [],
    rows: read.flatMap((one) => apart(one, read)),
    saysWrong: read.some(({ found }) => found.saysWrong),
    complete: failed.length === 0 && read.every(({ found }) => found.complete),
    notices: [
      ...read.flatMap(({ name, found }) => found.notices.map((text) => `${name}: ${text}`)),
      ...failed.map(({ name, error }) => `${name} is left out: ${error.message}`),
    ],
  };
}

/** Returns the rows of one program. Its name is added to each row whose operation another program of the log measured, too. */
function apart({ name, found }: ProgramOutput, all: readonly ProgramOutput[]): ImportedRow[] {
  const others = all.filter((one) => one.found !== found);
  return found.rows.map((row) =>
    others.some((one) => one.found.rows.some(({ operation }) => operation === row.operation))
      ? { ...row, variant: `${row.variant} ${name}`.trim() }
      : row,
  );
}

/**
 * Reads the traces (torch.profiler) of several ranks of one job, one file each; a single file may have any format. All rows
 * come from the first trace alone; the other traces only add sentences on how long ranks waited for each other (with more than four
 * ranks, only for those that waited least and most).
 * @param contents content of each file
 * @param hints facts that the user stated by options
 * @param format null = detect from the content
 * @throws ImportError if the files are not traces of one job
 */
export function readRanks(
  contents: readonly (string | Uint8Array)[],
  hints: ImportHints,
  format: FormatName | null = null,
): { format: FormatName; found: ImportedOutput } {
  const [first = '', ...others] = contents;
  const read = readForeign(first, hints, format);
  if (others.length === 0) return read;
  const sources = contents.map(sourceOf);
  if (read.format !== 'kineto' || !sources.every(isKineto))
    throw new ImportError('several files are imported together only as traces of the ranks of one job', [
      'allowed: one command for each file',
    ]);
  const traces = sources.map((source) => rankTrace(source, hints));
  const waiting = waitTimeSentences(waitingOf(traces), traces[0]?.steps !== null);
  return { ...read, found: { ...read.found, says: [...(read.found.says ?? []), ...waiting] } };
}

/**
 * Returns the format of the content.
 * @throws ImportError if no format or more than one recognises the content
 */
function detect(source: ImportSource): FormatName {
  const fitting = formatNames.filter((name) => formats[name].recognises(source));
  const [only, second] = fitting;
  if (only === undefined) {
    throw new ImportError('the content is of no program that can be imported', [
      ...formatNames.map((name) => `  ${name}: no ${formats[name].lookedFor.replace(/^an? /, '')}`),
      '  where it is one of these: --format NAME',
    ]);
  }
  if (second !== undefined) {
    throw new ImportError(
      `the content looks like ${fitting.join(' and like ')}`,
      [
        ...fitting.map((name) => `  ${name}: has ${formats[name].lookedFor}`),
        'allowed: one output per file, or --format',
      ],
      { format: only },
    );
  }
  return only;
}

/**
 * Replaces control characters and "@", which names of series must not contain, in the names of imported output: program, hosts and
 * variants of rows. Long hosts and variants are shortened.
 */
function named(found: ImportedOutput): ImportedOutput {
  const clean = (text: string) =>
    text
      .replace(/\p{Cc}/gu, ' ')
      .replaceAll('@', ' at ')
      .trim();
  return {
    ...found,
    program: clean(found.program),
    hosts: found.hosts.map((host) => shortenText(clean(host), 100)),
    rows: found.rows.map((row) => ({ ...row, variant: shortenText(clean(row.variant), 120) })),
  };
}
