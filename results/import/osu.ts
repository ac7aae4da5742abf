import { lookUp } from '../collections.ts';
import { collectives, type OperationName, operationNames, type RecordedDtypeName } from '../schema/index.ts';
import { joinPresent } from '../text.ts';
import {
  collectiveOrNull,
  ImportError,
  type ImportedOutput,
  type ImportedRow,
  type ImportHints,
  plainRow,
  ranksOf,
  shortenText,
} from './imported-output.ts';
import { isMultiple, printedNumber, wholeNumberOf } from './printed-number.ts';
import type { ImportSource } from './source.ts';
import { abortWords, textLines } from './text-lines.ts';

interface OsuTest {
  operation: OperationName;
  /** The printed quantity: the time of one operation (us), or the bandwidth of many messages (MB/s, with 1e6 bytes). */
  prints: 'time' | 'rate';
  trial: ImportedRow['trial'];
  variant?: string;
}

const collective = (operation: OperationName, variant?: string): OsuTest => ({
  operation,
  prints: 'time',
  // OSU runs a barrier before each operation and times one operation.
  trial: 'isolated',
  ...(variant === undefined ? {} : { variant }),
});
const time = (operation: OperationName): OsuTest => ({ operation, prints: 'time', trial: 'isolated' });
const rate = (operation: OperationName): OsuTest => ({ operation, prints: 'rate', trial: 'pipelined' });

/** OSU's tests by title in lower case, without "OSU MPI", accelerator, "Test" and version. */
const tests: Record<string, OsuTest> = {
  'allreduce latency': collective('allreduce'),
  'allgather latency': collective('allgather'),
  'allgatherv latency': collective('allgather', 'allgatherv'),
  'all-to-all personalized exchange latency': collective('alltoall'),
  'all-to-allv personalized exchange latency': collective('alltoall', 'alltoallv'),
  'all-to-allw personalized exchange latency': collective('alltoall', 'alltoallw'),
  'broadcast latency': collective('broadcast'),
  'reduce latency': collective('reduce'),
  'reduce_scatter latency': collective('reducescatter'),
  'gather latency': collective('gather'),
  'gatherv latency': collective('gather', 'gatherv'),
  'scatter latency': collective('scatter'),
  'scatterv latency': collective('scatter', 'scatterv'),
  'barrier latency': collective('barrier'),
  latency: time('pingpong'),
  bandwidth: rate('send'),
  'bi-directional bandwidth': rate('exchange'),
  'multiple bandwidth / message rate': rate('send'),
  '_put latency': time('put'),
  '_put bandwidth': rate('put'),
  '_get latency': time('get'),
  '_get bandwidth': rate('get'),
};

const title = /^#\s*OSU (MPI|NCCL|RCCL)(.*?) Test(?: v(\S+)| \(Version (\S+)\))?\s*$/i;
/** Matches the title of any test of OSU, also of those that cannot be imported. */
export const osuTitle = /^#\s*OSU /i;
/** Matches a command line with the number of ranks that stands before the output in a log. */
const startedRanks =
  /(?:^|[\s/])(?:mpirun|mpiexec|mpirun_rsh|orterun|prun|prterun|srun|aprun)\s(?:[^#]{0,2000}?\s)?(?:-np?|--np?|--ntasks)[ =]?(\d{1,7})(?=\s)/;
export const isOsu = ({ text }: ImportSource): boolean =>
  text.split('\n', 400).some((line) => title.test(line));

const dtypes: Record<string, RecordedDtypeName> = {
  MPI_CHAR: 'int8',
  MPI_INT: 'int32',
  MPI_FLOAT: 'float32',
};

interface OsuSection {
  test: OsuTest;
  variant: string;
  dtype: RecordedDtypeName;
  /** Number of pairs that transfer data at once; null if not printed. */
  pairs: number | null;
  /** Number of ranks in the command line that precedes the output; null if the log has none. */
  startedRanks: number | null;
  /** Kinds of memory as printed: "H D" = sent from host memory and received into device memory; "" if not printed. */
  memory: string;
  /** Number of this section among equal tests of the file, counted from 1; null before its first row. */
  repetition: number | null;
  columns: string[];
  /** Size of the last row in bytes; -1 before the first one. */
  largestSize: number;
}

interface SectionRow {
  section: OsuSection;
  ranks: number;
  line: string;
}

/**
 * Reads one or several outputs of OSU's programs, measured over the same ranks. Unknown tests are left out with a notice.
 * @throws ImportError if no test is known, or if the number of ranks is not known, not unique or contradicts --ranks
 */
export function readOsu({ text }: Pick<ImportSource, 'text'>, hints: ImportHints): ImportedOutput {
  const { lines, isWhole, notices } = textLines(text);
  const found: SectionRow[] = [];
  const versions = new Set<string>();
  const unknown: string[] = [];
  const repetitions = new Map<string, number>();
  let engine: ImportedOutput['engine'] = 'mpi';
  let section: OsuSection | null = null;
  let started: number | null = null;
  let isAborted = !isWhole;
  let saysWrong = false;
  for (const line of lines) {
    const head = title.exec(line);
    if (head !== null || osuTitle.test(line)) {
      section = head === null ? null : sectionOf(head, started);
      started = null;
      if (section === null) unknown.push(shortenText((head?.[2] ?? line.replace(/^#\s*OSU/i, '')).trim()));
      const release = head?.[3] ?? head?.[4];
      if (release !== undefined) versions.add(release);
      const library = head?.[1]?.toUpperCase() ?? 'MPI';
      if (library !== 'MPI') engine = library === 'NCCL' ? 'nccl' : 'rccl';
    } else if (/DATA VALIDATION ERROR/.test(line)) {
      saysWrong = true;
      notices.push(shortenText(line.trim(), 200));
    } else if (abortWords.test(line)) {
      isAborted = true;
      notices.push(shortenText(line.trim(), 200));
    } else if (section !== null && line.startsWith('#')) {
      const changes = changesBy(line);
      if (changes !== null) section = changed(section, changes);
    } else if (startedRanks.test(line)) {
      started = wholeNumberOf(startedRanks.exec(line)?.[1]);
    } else if (section !== null && /^\s*\d/.test(line)) {
      if (!takeSize(section, line, notices)) continue;
      section.repetition ??= repetitionOf(section, repetitions);
      found.push({ section, ranks: ranksIn(section, hints), line });
    }
  }
  if (found.length === 0 && unknown.length > 0) {
    throw new ImportError(`OSU's test '${unknown[0]}' is none of those that can be imported`, [
      `  known: ${Object.keys(tests).join(', ')}`,
    ]);
  }
  notices.push(
    ...[...new Set(unknown)].map((name) => `rows of '${name}' are left out: a test that cannot be imported`),
  );
  const ranks = ranksOfAll(found, hints, notices);
  noteRepetitions(found, hints, notices);
  const rows = found.flatMap((one) =>
    one.ranks === ranks ? (rowOf(one.line, one.section, ranks, notices) ?? []) : [],
  );
  const version = [...versions].join(' and ');
  return {
    series: 'osu',
    program: `OSU Micro-Benchmarks${version === '' ? '' : ` ${shortenText(version, 40)}`}`,
    engine,
    ranks: ranks ?? 1,
    hosts: [],
    measuredAt: null,
    statistic: 'mean over iterations and ranks',
    method: {
      clock: 'MPI_Wtime',
      sync: rows.some((row) => row.trial === 'isolated') ? 'barrier' : 'none',
      batch: 0,
    },
    versions: version === '' ? {} : { osu: shortenText(version, 40) },
    environment: {},
    rows,
    saysWrong,
    complete: !isAborted && rows.length > 0,
    conversions: [
      'time: microseconds x 1000 = nanoseconds',
      'MB/s: 1,000,000 bytes per second; time of one message = its size / rate',
      'Bi-directional bandwidth: that of both directions together; time of one message each way = 2 x its size / rate',
      'size: that of one rank’s part in allgather, alltoall, gather and scatter, x ranks = payload',
      'reductions: OSU always sums',
    ],
    unknown: ['transport', 'algorithm', 'root', 'whether the program came to its end', 'hosts'],
    notices,
  };
}

/**
 * Returns the test that follows a title line of OSU; null if the test is unknown. Upper or lower case, accelerator and "persistent"
 * do not matter for finding the test.
 * @param head match of the title line
 * @param started number of ranks in the mpirun command before it; null if there is none
 */
function sectionOf(head: RegExpExecArray, started: number | null): OsuSection | null {
  const words = (head[2] ?? '').replace(/^-(?:CUDA|OPENACC|ROCM|MANAGED)/, '').trim();
  const isPersistent = / persistent\b/i.test(words);
  const test = lookUp(
    tests,
    words
      .replace(/ persistent\b/i, '')
      .replace(/-(?:CUDA|OPENACC|ROCM)/, '')
      .toLowerCase(),
  );
  if (test === undefined) return null;
  const variant = joinPresent([test.variant ?? '', isPersistent ? 'persistent' : ''], ' ');
  const nothing = { dtype: 'unknown', pairs: null, memory: '', ...noRowsYet } as const;
  return { ...nothing, test, variant, startedRanks: started, columns: [] };
}

const noRowsYet = { repetition: null, largestSize: -1 };

/**
 * Returns the section as it is for the rows after a comment line. The rows before it keep the section that they have: a second table
 * is of another data type, or of another program.
 */
const changed = (section: OsuSection, changes: Partial<OsuSection>): OsuSection => ({
  ...section,
  ...changes,
  ...(section.repetition === null ? {} : noRowsYet),
});

/** Returns the number (1, 2, ...) of this section among equal tests in the file, and counts it in `seen`. */
function repetitionOf(section: OsuSection, seen: Map<string, number>): number {
  const { test, variant, memory, pairs, dtype, startedRanks: started } = section;
  const key = [test.operation, test.prints, variant, memory, pairs, dtype, started].join(' ');
  const times = (seen.get(key) ?? 0) + 1;
  seen.set(key, times);
  return times;
}

/**
 * Returns the number of ranks whose rows are imported; null if there is no row.
 * @param notices receives a sentence for each other number of ranks, whose rows are left out
 * @throws ImportError if rows have different numbers of ranks and the user chose none of them, or if the command line before the
 * output contradicts the user's --ranks
 */
function ranksOfAll(found: readonly SectionRow[], hints: ImportHints, notices: string[]): number | null {
  const counts = [...new Set(found.map(({ ranks }) => ranks))].sort((a, b) => a - b);
  const [only, second] = counts;
  if (second === undefined) {
    const isOther = only !== undefined && hints.ranks !== null && hints.ranks !== only;
    if (isOther && found.some(({ section }) => isCollective(section)))
      throw new ImportError(`--ranks ${hints.ranks}: the command in front of the output has ${only} ranks`);
    return only ?? null;
  }
  if (hints.ranks === null || !counts.includes(hints.ranks)) {
    throw new ImportError(
      `the file has tests of ${counts.join(' and ')} ranks: collectives and pairs are runs of their own`,
      ['allowed: one of them, with --ranks'],
      { ranks: String(counts.at(-1)) },
    );
  }
  for (const other of counts.filter((one) => one !== hints.ranks))
    notices.push(
      `${found.filter(({ ranks }) => ranks === other).length} rows of tests over ${other} ranks are left out`,
    );
  return hints.ranks;
}

/**
 * Adds a notice for each collective that occurs several times without a command line before it: the number of ranks that the user
 * gave may not be right for each occurrence.
 */
function noteRepetitions(found: readonly SectionRow[], { ranks }: ImportHints, notices: string[]): void {
  const repeated = found.filter(
    ({ section }) => (section.repetition ?? 1) > 1 && isCollective(section) && section.startedRanks === null,
  );
  for (const title of new Set(repeated.map(({ section }) => section.test.operation)))
    notices.push(`the test of ${title} is there several times: --ranks ${ranks} is taken for each of them`);
}

/**
 * Returns whether a line can be a row of the section, and stores its size there if it can: OSU prints sizes in ascending order, so
 * a line with a size that is not larger than the one before is of another program, or is there twice.
 * @param notices receives a sentence if the line cannot be a row
 */
function takeSize(section: OsuSection, line: string, notices: string[]): boolean {
  const size = section.columns[0] === 'Size' ? wholeNumberOf(line.trim().split(/\s+/, 1)[0]) : null;
  if (size === null) return true;
  if (size <= section.largestSize) {
    notices.push(
      `a line is left out, its size is not larger than that of the row above it: ${shortenText(line.trim())}`,
    );
    return false;
  }
  section.largestSize = size;
  return true;
}

/**
 * Returns what a comment line says of the rows after it: data type, number of pairs, kinds of memory or names of columns. Null for
 * other comments.
 */
function changesBy(line: string): Partial<OsuSection> | null {
  const dtype = /^# Datatype: (\w+)/.exec(line)?.[1];
  const pairs = /\[ pairs: (\d+) \]/.exec(line)?.[1];
  const memory = /^# Send Buffer on \w+ \((\w+)\) and Receive Buffer on \w+ \((\w+)\)/.exec(line);
  if (memory !== null) return { memory: `${memory[1]} ${memory[2]}` };
  if (dtype !== undefined) return { dtype: dtypes[dtype] ?? 'unknown' };
  if (pairs !== undefined) return { pairs: wholeNumberOf(pairs) };
  if (!/\((?:us|MB\/s)\)|MB\/s/.test(line)) return null;
  const columns = line
    .replace(/^#/, '')
    .trim()
    .split(/\s{2,}|\t/);
  return { columns };
}

const isCollective = ({ test }: OsuSection): boolean =>
  collectiveOrNull(test.operation) !== null || test.operation === 'barrier';

function ranksIn(section: OsuSection, hints: ImportHints): number {
  const { pairs, startedRanks: started } = section;
  if (pairs !== null && pairs >= 1 && pairs <= 1e6) return 2 * pairs;
  if (!isCollective(section)) return 2;
  return started !== null && started >= 1 ? started : ranksOf('OSU', null, hints);
}

function rowOf(line: string, section: OsuSection, ranks: number, notices: string[]): ImportedRow | null {
  const { test, columns, dtype } = section;
  const words = line.trim().split(/\s+/);
  if (columns.length === 0 || words.length !== columns.length) {
    notices.push(
      `a line of ${words.length} words under ${columns.length} names is left out: ${shortenText(line.trim())}`,
    );
    return null;
  }
  const printed = Object.fromEntries(columns.map((name, i) => [name, words[i] ?? '']));
  const hasSize = test.operation !== 'barrier';
  const size = hasSize ? wholeNumberOf(columns[0] === 'Size' ? words[0] : '') : 0;
  const named = (pattern: RegExp) => words[columns.findIndex((name) => pattern.test(name))];
  const known = collectiveOrNull(test.operation);
  const parts = known === null || known === 'reducescatter' ? 1 : collectives[known].parts(ranks);
  const payloadBytes = (size ?? Number.NaN) * parts;
  if (!Number.isSafeInteger(payloadBytes)) {
    notices.push(`a line whose size is no whole number is left out: ${shortenText(line.trim())}`);
    return null;
  }
  const figure = test.prints === 'time' ? timed(named, printed) : rated(named, size ?? 0, section);
  const validation = named(/^Validation$/);
  return {
    ...plainRow,
    operation: operationNames.find((name) => name === test.operation) ?? test.operation,
    variant: joinPresent(
      [
        section.variant,
        section.memory,
        section.pairs === null ? '' : `${section.pairs} pairs`,
        (section.repetition ?? 1) === 1 ? '' : `run ${section.repetition}`,
      ],
      ' ',
    ),
    dtype,
    op: known !== null && collectives[known].reduces ? 'sum' : null,
    payloadBytes,
    count: countOf(size ?? 0, dtype, test.operation === 'reducescatter' ? ranks : 1),
    trial: test.trial,
    ...figure,
    // The number of wrong elements is not printed; 1 means at least one.
    wrong: validation === undefined ? null : validation === 'Pass' ? 0 : 1,
    printed,
  };
}

const elementBytes: Partial<Record<RecordedDtypeName, number>> = { int8: 1, int32: 4, float32: 4 };

const countOf = (bytes: number, dtype: RecordedDtypeName, parts: number): number =>
  Math.floor(bytes / (elementBytes[dtype] ?? 1) / parts);

type HeaderLookup = (pattern: RegExp) => string | undefined;

function timed(named: HeaderLookup, printed: Record<string, string>): Pick<ImportedRow, 'timeNs' | 'reason'> {
  const word = named(/^(?:Avg )?Latency ?\(us\)$/);
  const average = printedNumber(word);
  if (average === null || average.value <= 0) {
    return {
      timeNs: null,
      reason: `the time printed is ${shortenText(word ?? 'nothing', 40)}: no positive number`,
    };
  }
  const [least, most] = [printedNumber(named(/^Min Lat/)), printedNumber(named(/^Max Lat/))];
  if (least !== null && most !== null && !(least.value <= average.value && average.value <= most.value)) {
    return {
      timeNs: null,
      reason: `the mean is not between least and most: ${Object.values(printed).join(' ')}`,
    };
  }
  return { timeNs: average.value * 1000, reason: null };
}

function rated(
  named: HeaderLookup,
  size: number,
  { pairs, test }: OsuSection,
): Pick<ImportedRow, 'timeNs' | 'reason'> {
  const word = named(/MB\/s/);
  const megabytes = printedNumber(word);
  if (megabytes === null || megabytes.value <= 0 || size === 0) {
    return {
      timeNs: null,
      reason: `no time follows from ${shortenText(word ?? 'nothing', 40)} MB/s of ${size} bytes`,
    };
  }
  const messages = printedNumber(named(/^Messages\/s$/));
  if (messages !== null && !isMultiple(megabytes, { ...messages, half: messages.half }, size / 1e6)) {
    return {
      timeNs: null,
      reason: `${messages.value} messages of ${size} bytes per second are not ${word} MB/s`,
    };
  }
  // An exchange is one message in each direction, and the rate is the sum of both.
  const together = (pairs ?? 1) * (test.operation === 'exchange' ? 2 : 1);
  return { timeNs: (size * together * 1000) / megabytes.value, reason: null };
}
