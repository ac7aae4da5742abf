import type { OptionChange } from '../refusals/wording.ts';
import {
  type CollectiveName,
  collectiveNames,
  type Job,
  type OperationName,
  type OpName,
  type RecordedDtypeName,
} from '../schema/index.ts';

/**
 * One measured time that another program printed for one operation and size, for example a row of nccl-tests. `op` (reduction) and
 * `root` are null if the operation has none or the program does not print it.
 */
export interface ImportedRow {
  operation: OperationName;
  /**
   * Text that distinguishes rows of the same operation, added to the series name: "PingPing", "GPU 0 to 1"; "" if it is not needed.
   */
  variant: string;
  dtype: RecordedDtypeName;
  op: OpName | null;
  root: number | null;
  inPlace: boolean;
  /** Payload in bytes as in the bandwidth formulas (S), whatever the program's own size column means. */
  payloadBytes: number;
  /** Number of elements of the vector, or of one rank's part. It is the number of bytes if the data type is not known. */
  count: number;
  trial: 'isolated' | 'pipelined';
  /** Time of one operation, ns, > 0; null if the row has no usable time, `reason` then says why. */
  timeNs: number | null;
  reason: string | null;
  /**
   * Shortest time of an operation, ns; null or absent if not printed. The longest time (`maxNs`) and the percentiles (`p95Ns`,
   * `p99Ns`) have the same form.
   */
  minNs?: number | null;
  maxNs?: number | null;
  p95Ns?: number | null;
  p99Ns?: number | null;
  /** Number of operations that were timed one by one to get `timeNs`; 0 or absent if not known. */
  samples?: number;
  /**
   * Number of wrong elements on all ranks together; 1 if the program only prints that there are some. Null if it did not check or
   * does not print the result.
   */
  wrong: number | null;
  /** Columns of the row as printed, by name. */
  printed: Record<string, string>;
}

/**
 * Everything that was read from an output of another program, such as nccl-tests, in one form for all programs. `measuredAt`: date
 * and time as printed, null if not printed. `versions`: version of each library by name. `conversions`: how printed values were
 * converted. `notices`: what was left out or is doubtful. Each element of these two lists is a sentence or phrase for readers.
 */
export interface ImportedOutput {
  /** Name of the imported series in tables and charts, "nccl-tests"; a row's `variant` is added to it. */
  series: string;
  /** Name and version of the program and its library: "nccl-tests 2.19.6, NCCL 2.28.9". */
  program: string;
  /** Name of the library that ran the operations: "nccl", "mpi", "gloo", "cuda-copies" ... */
  engine: string;
  ranks: number;
  /** Host names; empty if the output does not contain them. */
  hosts: string[];
  measuredAt: string | null;
  /** Method by which the program summarised its times: "mean over iterations and ranks". */
  statistic: string;
  method: { clock: string; sync: 'barrier' | 'none' | 'unknown'; batch: number };
  versions: Record<string, string>;
  /** Environment variables in the output, as far as they may be stored (results/store/environment.ts). */
  environment: Record<string, string>;
  rows: ImportedRow[];
  /** True if the program reports wrong data, even if no single row does. */
  saysWrong: boolean;
  /** True if the output shows that the program measured everything that was requested. */
  complete: boolean;
  conversions: string[];
  /** Further results that the output states besides its table of times, one sentence each; absent if none. */
  says?: string[];
  /** One step of the traced program as a job (communication calls) for `collbench replay`; absent if the output has none. */
  job?: Omit<Job, 'name' | 'source'> & { source?: string };
  /**
   * Names of facts that this output lacks, such as "transport". runOf() adds the facts that no other program's output contains,
   * such as evidence of the transport.
   */
  unknown: string[];
  notices: string[];
}

/** Fields of a row for programs that print no reduction, no root, no in-place form, and no wrong elements. */
export const plainRow = { op: null, root: null, inPlace: false, wrong: null } as const;

/**
 * Returns `timeNs` and `reason` of a row: the time, or null with the reason why the printed values cannot be used.
 * @param reason null = the time can be used
 */
export const timeUnless = (
  reason: string | null,
  timeNs: number,
): Pick<ImportedRow, 'timeNs' | 'reason'> => ({
  timeNs: reason === null ? timeNs : null,
  reason,
});

/** Empty values for fields of `ImportedOutput` that most programs do not print; `saysWrong` is false. */
export const notPrinted = { hosts: [], measuredAt: null, versions: {}, environment: {}, saysWrong: false };

/** Facts that the user stated by options, for outputs that do not contain them; null = not stated. */
export interface ImportHints {
  ranks: number | null;
  collective: CollectiveName | null;
  /** Bytes of one transfer (--size), if the output does not contain them; null = not given. */
  sizeBytes: number | null;
}

/** Thrown if the output of another program cannot be imported; the message says what was expected. */
export class ImportError extends Error {
  /** Further lines of the message: the allowed values, or the cause. */
  readonly lines: readonly string[];
  /**
   * Options (name and value) with which the same command would import the content; value null = without this option. Null if no
   * such change is known.
   */
  readonly change: OptionChange['change'] | null;
  constructor(message: string, lines: readonly string[] = [], change: OptionChange['change'] | null = null) {
    super(message);
    this.name = 'ImportError';
    this.lines = lines;
    this.change = change;
  }
}

/**
 * Returns the text for messages; a longer one is cut to `length` characters and gets "..." at its end. The default shows any column
 * name in full, and enough of other text to recognise it.
 */
export const shortenText = (text: string, length = 80): string =>
  text.length <= length ? text : `${text.slice(0, length)}...`;

/**
 * Returns the number of ranks, from the output (`found`; null = not printed) or from --ranks (`hints`).
 * @param program name of the program that wrote the output, for messages
 * @throws ImportError if neither has the number, or if they differ
 */
export function ranksOf(program: string, found: number | null, hints: ImportHints): number {
  if (found !== null && hints.ranks !== null && hints.ranks !== found) {
    throw new ImportError(`--ranks ${hints.ranks}: the output says ${found} ranks`, [], { ranks: null });
  }
  const ranks = found ?? hints.ranks;
  if (ranks === null) {
    throw new ImportError(`${program} does not print how many ranks there were`, [
      '  they decide what a size means and which share of it a link carries',
      'allowed: the same command with --ranks N',
    ]);
  }
  return ranks;
}

/** Returns the operation as a collective; null if it is none, such as a message or a copy. */
export const collectiveOrNull = (operation: OperationName): CollectiveName | null =>
  collectiveNames.find((name) => name === operation) ?? null;
