import { lookUp } from '../collections.ts';
import {
  type CollectiveName,
  collectives,
  type DtypeName,
  dtypeBytes,
  dtypeNames,
  type OpName,
  opNames,
  payloadOf,
  shareOfLink,
} from '../schema/index.ts';
import { joinWords } from '../units.ts';
import {
  ImportError,
  type ImportedOutput,
  type ImportedRow,
  type ImportHints,
  ranksOf,
  shortenText,
  timeUnless,
} from './imported-output.ts';
import type { NcclTestsHalf, NcclTestsResult, NcclTestsRow } from './nccl-tests-result.ts';
import { isMultiple, type PrintedNumber, printedNumber, ratesAgree } from './printed-number.ts';

const programs: Record<string, CollectiveName> = {
  all_reduce_perf: 'allreduce',
  all_gather_perf: 'allgather',
  reduce_scatter_perf: 'reducescatter',
  alltoall_perf: 'alltoall',
  alltoallv_perf: 'alltoallv',
  broadcast_perf: 'broadcast',
  reduce_perf: 'reduce',
  gather_perf: 'gather',
  scatter_perf: 'scatter',
  sendrecv_perf: 'sendrecv',
  hypercube_perf: 'hypercube',
};

/**
 * Returns the collective of a program of nccl-tests; undefined for other names. Builds can add a suffix (NAME_SUFFIX of its makefile)
 * to all names: "all_reduce_perf_mpi".
 */
const collectiveNamed = (program: string): CollectiveName | undefined =>
  lookUp(programs, program.replace(/(?<=_perf)\w*$/, ''));

/**
 * Collective and number of ranks to which a row of nccl-tests or rccl-tests belongs; they determine which bandwidths the row must
 * have.
 */
export interface RowSubject {
  collective: CollectiveName;
  ranks: number;
}

/**
 * Returns the collective of an output, as the output or the user (--collective) names it.
 * @throws ImportError if neither names it, or if they name different ones
 */
function collectiveOf(result: NcclTestsResult, hints: ImportHints): CollectiveName {
  const found = result.program === null ? undefined : collectiveNamed(result.program);
  if (found !== undefined && hints.collective !== null && hints.collective !== found) {
    throw new ImportError(`--collective ${hints.collective}: the output is of ${result.program}`, [], {
      collective: null,
    });
  }
  const collective = found ?? hints.collective;
  if (collective === null) {
    const why =
      result.program === null
        ? 'the output does not name its collective (nccl-tests before June 2025, or its first lines are missing)'
        : `the output is of ${result.program.slice(0, 60)}, which is none of: ${Object.keys(programs).join(', ')}`;
    const fitting = fittingCollectives(result, hints);
    const [first] = fitting;
    if (first === undefined) {
      const ranks = result.ranks === null && hints.ranks === null ? ' --ranks N' : '';
      throw new ImportError(why, [`allowed: the same command with --collective NAME${ranks}`]);
    }
    throw new ImportError(why, [`allowed: what was measured; its rows fit ${joinWords(fitting, 'or')}`], {
      collective: first,
    });
  }
  return collective;
}

/**
 * Returns the collectives that are likely for an nccl-tests output: those under which the highest number of rows gets a time,
 * because columns and formulas agree. Empty if no row gets one.
 */
function fittingCollectives(result: NcclTestsResult, hints: ImportHints): CollectiveName[] {
  const usable = Object.values(programs).map((collective) => {
    if (!result.rows.every((row) => hasColumnsOf(collective, row))) return 0;
    try {
      const { rows } = fromNcclTests(result, { ...hints, collective });
      return rows.filter(({ timeNs }) => timeNs !== null).length;
    } catch (error) {
      if (error instanceof ImportError) return 0;
      throw error;
    }
  });
  const most = Math.max(...usable);
  return Object.values(programs).filter((_, i) => most > 0 && usable[i] === most);
}

/** Collectives that have no in-place form: nccl-tests times one, but prints "N/A" instead of its number of wrong elements. */
const uncheckedInPlace: readonly CollectiveName[] = ['alltoall', 'alltoallv', 'sendrecv'];
/** Collectives for which releases print a column for the reduction and leave it empty. */
const blankOps: readonly CollectiveName[] = ['alltoall', 'hypercube'];

/**
 * True if a row has the columns that nccl-tests prints for a collective: a reduction if it reduces (sendrecv prints one, too), a
 * root if it has one, and, if the out-of-place half has a number of wrong elements, such a number in place (none for
 * `uncheckedInPlace`).
 */
function hasColumnsOf(collective: CollectiveName, row: NcclTestsRow): boolean {
  const { op, isOpBlank = false, root, outOfPlace, inPlace } = row;
  const { reduces, rooted } = collectives[collective];
  if (collective !== 'sendrecv' && reduces !== (op !== null)) return false;
  if (rooted !== (root !== null) || (isOpBlank && !blankOps.includes(collective))) return false;
  const countsWrong = '#wrong' in outOfPlace.printed && outOfPlace.wrong !== null && inPlace !== null;
  return !countsWrong || (inPlace.wrong === null) === uncheckedInPlace.includes(collective);
}

/**
 * Rejects an output of nccl-tests without table rows.
 * @throws ImportError with the error that nccl-tests printed, if there is one
 */
function refuseEmpty({ rows, problems }: NcclTestsResult): void {
  if (rows.length > 0) return;
  const said = problems.find((problem) => /fail|error|invalid|timeout|NCCL reported/i.test(problem));
  throw new ImportError(
    `nothing can be imported: ${shortenText(said ?? problems[0] ?? 'there are no rows', 300)}`,
  );
}

/**
 * Converts the parsed output of an nccl-tests program to the form of all imports.
 * @throws ImportError if it has no rows, or if collective or number of ranks are unknown or contradict the printed values
 */
export function fromNcclTests(result: NcclTestsResult, hints: ImportHints): ImportedOutput {
  refuseEmpty(result);
  const collective = collectiveOf(result, hints);
  const ranks = ranksOf('this part of an output of nccl-tests', result.ranks, hints);
  const notices = [...result.problems];
  if (result.groups > 1)
    notices.push(`${result.groups} groups of ${ranks} ranks measured at the same time, each by itself`);
  const rows = result.rows.flatMap((row) => rowsOf(row, { collective, ranks }, result, notices));
  requireFittingHints(rows, hints);
  refuseOtherParts(result.rows, { collective, ranks }, hints);
  const { version, ncclVersion, library } = result;
  const series = `${library}-tests`;
  const versions = {
    ...(version === null ? {} : { [series]: version }),
    ...(ncclVersion === null ? {} : { [library]: ncclVersion }),
  };
  const named = ncclVersion === null ? '' : `, ${library.toUpperCase()} ${ncclVersion}`;
  return {
    series,
    program: `${series}${version === null ? '' : ` ${version}`}${named}`,
    engine: library,
    ranks,
    hosts: result.hasAllDevices
      ? [...new Set(result.devices.map(({ host }) => host).filter((host) => host !== ''))]
      : [],
    measuredAt: result.startedAt,
    statistic: 'mean over iterations and, unless -a said otherwise, over ranks',
    method: { clock: 'host clock of each process', sync: 'none', batch: result.iterations ?? 0 },
    versions,
    environment: result.environment,
    rows,
    saysWrong: result.problems.some((problem) => problem.startsWith('wrong data')),
    complete: result.complete,
    conversions: [
      result.timeUnitNs === 1000
        ? 'time: microseconds x 1000 = nanoseconds'
        : 'time: milliseconds with three decimals (nccl-tests until 2018) x 1,000,000 = nanoseconds',
      'bandwidths: computed from size and time, and compared with those printed',
    ],
    unknown: ['transport', 'algorithm', 'warm-up'],
    notices,
  };
}

const notTheShare = 'times the share of a link';

/**
 * Checks that --ranks and --collective, if given, agree with the printed ratio of bus bandwidth to algorithm bandwidth. Nothing is
 * checked if both are null.
 * @param rows imported rows; the `reason` of a row says that its bandwidths have another ratio
 * @throws ImportError if they do not agree
 */
export function requireFittingHints(rows: readonly ImportedRow[], { ranks, collective }: ImportHints): void {
  const first = rows.find(({ reason }) => reason?.includes(notTheShare));
  if (first === undefined || (ranks === null && collective === null)) return;
  const said = [
    ...(ranks === null ? [] : [`--ranks ${ranks}`]),
    ...(collective === null ? [] : [`--collective ${collective}`]),
  ];
  throw new ImportError(`${said.join(' and ')} cannot be: ${first.reason}`);
}

/**
 * Checks the collective that the user named (--collective) against the printed sizes and numbers of elements. They show whether a
 * size is that of one rank's part or of the parts of all ranks. Nothing is checked without --collective.
 * @throws ImportError if collective and sizes contradict each other
 */
function refuseOtherParts(
  rows: readonly NcclTestsRow[],
  subject: RowSubject,
  { collective }: ImportHints,
): void {
  if (collective === null) return;
  const other = rows.find((row) => {
    const dtype = dtypeNames.find((name) => name === row.dtype);
    if (dtype === undefined || row.count === 0 || fitsCount(row, subject, dtype)) return false;
    const bytes = row.count * dtypeBytes[dtype];
    return row.sizeBytes === bytes || row.sizeBytes === bytes * subject.ranks;
  });
  if (other !== undefined)
    throw new ImportError(
      `--collective ${collective} cannot be: over ${subject.ranks} ranks ${other.count} elements of ${other.dtype} would not be ${other.sizeBytes} bytes`,
    );
}

function rowsOf(
  row: NcclTestsRow,
  subject: RowSubject,
  { isInPlaceOnly, timeUnitNs, groups }: NcclTestsResult,
  notices: string[],
): ImportedRow[] {
  const { collective, ranks } = subject;
  const dtype = dtypeNames.find((name) => name === row.dtype);
  const where = `the row of ${row.sizeBytes} bytes`;
  if (dtype === undefined) {
    notices.push(`${where} is left out: data type ${row.dtype.slice(0, 40)} is not known`);
    return [];
  }
  const op = opNamed(row.op, collective);
  if (op === undefined) {
    notices.push(
      row.op === null
        ? `${where} is left out: it has no reduction, and ${collective} has one`
        : `${where} is left out: reduction ${row.op.slice(0, 40)} is not known`,
    );
    return [];
  }
  if (!fitsCount(row, subject, dtype)) {
    notices.push(
      `${where} is left out: ${row.count} elements of ${dtype} on ${ranks} ranks are not ${row.sizeBytes} bytes`,
    );
    return [];
  }
  const payloadBytes =
    collective === 'alltoallv' ? row.sizeBytes : payloadOf(collective, dtype, row.count, ranks);
  const halves = [
    { half: row.outOfPlace, inPlace: isInPlaceOnly },
    { half: row.inPlace, inPlace: true },
  ];
  return halves.flatMap(({ half, inPlace }): ImportedRow[] => {
    if (half === null) return [];
    const reason = contradictionIn(half, payloadBytes, subject, timeUnitNs);
    return [
      {
        operation: collective,
        variant: groups === 1 ? '' : `${groups} groups`,
        dtype,
        op,
        root: collectives[collective].rooted ? row.root : null,
        inPlace,
        payloadBytes,
        count: row.count,
        trial: 'pipelined',
        ...timeUnless(reason, half.timeNs),
        wrong: half.wrong,
        printed: { size: String(row.sizeBytes), count: String(row.count), ...half.printed },
      },
    ];
  });
}

/**
 * Returns the reduction for a name that nccl-tests prints ("mulsum" is premulsum). Null for collectives that do not reduce,
 * whatever is printed. Undefined for unknown names, and if none is printed although the collective reduces.
 */
export function opNamed(printed: string | null, collective: CollectiveName): OpName | null | undefined {
  if (!collectives[collective].reduces) return null;
  return opNames.find((name) => name === (printed === 'mulsum' ? 'premulsum' : printed));
}

/**
 * True if the printed size in bytes is that of the printed number of elements; false, for example, if the log lost a digit. For
 * alltoallv, whose parts are uneven, it is true if both are whole numbers.
 */
function fitsCount(row: NcclTestsRow, { collective, ranks }: RowSubject, dtype: DtypeName): boolean {
  const { sizeBytes, count } = row;
  if (!Number.isSafeInteger(sizeBytes) || !Number.isSafeInteger(count) || sizeBytes < 0 || count < 0)
    return false;
  // The parts of alltoallv are uneven, and the size is the largest sum of any rank, so the count does not show it.
  if (collective === 'alltoallv') return true;
  if (collective === 'hypercube') return sizeBytes === count * dtypeBytes[dtype] * ranks;
  return sizeBytes === payloadOf(collective, dtype, count, ranks);
}

/**
 * Returns why the time of the in-place or out-of-place half of a row cannot be used: printed time, bandwidths and number of wrong
 * elements contradict each other, or the time is only that of the CPU's calls (-C 1). Null if it can be used.
 * @param bytes payload in bytes
 * @param unitNs nanoseconds in one unit of the printed time
 */
function contradictionIn(
  half: NcclTestsHalf,
  bytes: number,
  { collective, ranks }: RowSubject,
  unitNs: number,
): string | null {
  const { printed } = half;
  if (printed.cputime !== undefined || printed.cpu_time !== undefined) {
    return 'the time printed is that of the calls on the CPU (-C 1), not of the operation';
  }
  return contradiction(
    bytes,
    { time: printed.time, algbw: printed.algbw ?? printed.alg_bw, busbw: printed.busbw ?? printed.bus_bw },
    { collective, ranks },
    half.wrong,
    unitNs,
  );
}

/**
 * True if the bandwidths (GB/s) are those that releases until June 2020 printed for allgather and reducescatter: algbw and busbw
 * were both the rate of the bytes that one rank exchanges with the others.
 * @param bytes payload in bytes
 * @param unitNs nanoseconds in one unit of `time`
 */
function isOldRate(
  bytes: number,
  time: PrintedNumber,
  algbw: PrintedNumber,
  busbw: PrintedNumber,
  { collective, ranks }: RowSubject,
  unitNs: number,
): boolean {
  if (collective !== 'allgather' && collective !== 'reducescatter') return false;
  return algbw.value === busbw.value && ratesAgree((bytes / ranks) * (ranks - 1), time, unitNs, algbw, 1e9);
}

/**
 * Returns a sentence if time, bandwidths and size of a row contradict each other, or if the time or the number of wrong elements is
 * not a valid number; null otherwise. Without a printed algorithm bandwidth, none is checked; without a bus bandwidth, only the
 * algorithm bandwidth is.
 * @param bytes payload in bytes
 * @param words columns as printed; bandwidths in GB/s
 * @param wrong number of wrong elements; null = not checked
 * @param unitNs nanoseconds in one unit of the printed time
 */
export function contradiction(
  bytes: number,
  words: { time: string | undefined; algbw: string | undefined; busbw: string | undefined },
  { collective, ranks }: RowSubject,
  wrong: number | null,
  unitNs = 1000,
): string | null {
  const [time, algbw, busbw] = [words.time, words.algbw, words.busbw].map(printedNumber);
  if (time === null || time === undefined || time.value <= 0) {
    return `the time printed is ${(words.time ?? 'nothing').slice(0, 40)}: no positive number`;
  }
  if (wrong !== null && !(Number.isSafeInteger(wrong) && wrong >= 0)) {
    return 'the number of wrong elements is no whole number';
  }
  if (algbw === null || algbw === undefined) return null;
  if (
    busbw !== null &&
    busbw !== undefined &&
    isOldRate(bytes, time, algbw, busbw, { collective, ranks }, unitNs)
  )
    return null;
  if (collective !== 'alltoallv' && !ratesAgree(bytes, time, unitNs, algbw, 1e9)) {
    return `${bytes} bytes in ${words.time} ${unitNs === 1000 ? 'µs' : 'ms'} are not ${words.algbw} GB/s: the row was changed, or columns are missing`;
  }
  if (busbw === null || busbw === undefined || ranks === 1) return null;
  if (isMultiple(busbw, algbw, shareOfLink(collective, ranks))) return null;
  return `${words.busbw} GB/s bus bandwidth is not ${words.algbw} GB/s ${notTheShare} in ${collective} over ${ranks} ranks`;
}
