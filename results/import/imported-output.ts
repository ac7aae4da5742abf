import type { OptionChange } from '../refusals/wording.ts';
import type { CollectiveName, Job, OperationName, OpName, RecordedDtypeName } from '../schema/index.ts';

/** One figure of another program: one point, measured in one way. */
export interface ImportedRow {
  operation: OperationName;
  /** Text that distinguishes series at the same point, for the series name: "PingPing", "GPU 0 to 1"; "" if not needed. */
  variant: string;
  dtype: RecordedDtypeName;
  op: OpName | null;
  root: number | null;
  inPlace: boolean;
  /** Payload size S of the bandwidth formulas, whatever the program's own size column counts. */
  payloadBytes: number;
  /** Elements of the vector, or of one rank's part; bytes if the data type is unknown. */
  count: number;
  trial: 'isolated' | 'pipelined';
  /** Time of one operation, ns, > 0; null if there is none, and `reason` says why. */
  timeNs: number | null;
  reason: string | null;
  /** Minimum over operations, ns; null or absent if the program does not print it. The same holds for the next three. */
  minNs?: number | null;
  maxNs?: number | null;
  p95Ns?: number | null;
  p99Ns?: number | null;
  /** Number of operations behind the figure, if each was timed on its own; 0 if unknown. */
  samples?: number;
  /** Sum of wrong elements on all ranks; null if not checked. */
  wrong: number | null;
  /** All columns of the row as printed. */
  printed: Record<string, string>;
}

/** Contents of an output file of another program. */
export interface ImportedOutput {
  /** Start of all series names: "nccl-tests". */
  series: string;
  /** Program and library with versions: "nccl-tests 2.19.6, NCCL 2.28.9". */
  program: string;
  /** Name of a row of results/schema/engines. */
  engine: string;
  ranks: number;
  /** Host names; empty if the output does not contain them. */
  hosts: string[];
  measuredAt: string | null;
  /** The program's summary of its times: "mean over iterations and ranks". */
  statistic: string;
  method: { clock: string; sync: 'barrier' | 'none' | 'unknown'; batch: number };
  versions: Record<string, string>;
  /** Allow-listed variables (results/store/environment.ts). */
  environment: Record<string, string>;
  rows: ImportedRow[];
  /** True if the program reports wrong data, even if none of its rows does. */
  saysWrong: boolean;
  /** True if the output has everything that was requested. */
  complete: boolean;
  conversions: string[];
  /** Further facts of the output in addition to its rows, one sentence each. */
  says?: string[];
  /** One training step of the program, if the output contains one. */
  job?: Omit<Job, 'name' | 'source'> & { source?: string };
  /** Facts missing in this output, in addition to facts that every other program lacks (samples, evidence). */
  unknown: string[];
  notices: string[];
}

/** Values that the user must add if an output does not contain them. */
export interface ImportHints {
  ranks: number | null;
  collective: CollectiveName | null;
  /** Bytes of one transfer. */
  sizeBytes: number | null;
}

/** Thrown if the content cannot be imported; the message says what was expected. */
export class ImportError extends Error {
  /** Further lines: the allowed values, or the cause. */
  readonly lines: readonly string[];
  /** Options with which the same command reads the content; null if they cannot be derived from it. */
  readonly change: OptionChange['change'] | null;
  constructor(message: string, lines: readonly string[] = [], change: OptionChange['change'] | null = null) {
    super(message);
    this.name = 'ImportError';
    this.lines = lines;
    this.change = change;
  }
}

/** Shortens a text for messages. No program has longer column names; the start is enough to recognise the text. */
export const shortenText = (text: string, length = 80): string =>
  text.length <= length ? text : `${text.slice(0, length)}...`;

/** Number of ranks from the output or from the user. @throws ImportError if neither has it, or if they differ */
export function ranksOf(program: string, found: number | null, told: ImportHints): number {
  if (found !== null && told.ranks !== null && told.ranks !== found) {
    throw new ImportError(`--ranks ${told.ranks}: the output says ${found} ranks`, [], { ranks: null });
  }
  const ranks = found ?? told.ranks;
  if (ranks === null) {
    throw new ImportError(`${program} does not print how many ranks there were`, [
      '  they decide what a size means and which share of it a link carries',
      'allowed: the same command with --ranks N',
    ]);
  }
  return ranks;
}
