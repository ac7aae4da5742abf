import type { OptionChange } from '../refusals/wording.ts';
import type { CollectiveName, Job, OperationName, OpName, RecordedDtypeName } from '../schema/index.ts';

/** One figure of another program: one point, measured in one way. */
export interface ImportedRow {
  operation: OperationName;
  /** What sets it apart beside the point, for the name of its series: "PingPing", "GPU 0 to 1"; "" = nothing. */
  variant: string;
  dtype: RecordedDtypeName;
  op: OpName | null;
  root: number | null;
  inPlace: boolean;
  /** S of the bandwidth formulas, whatever the program's own size column counts. */
  payloadBytes: number;
  /** Elements of the vector, or of one rank's part; where the data type is unknown, bytes. */
  count: number;
  trial: 'isolated' | 'pipelined';
  /** One operation, ns, > 0; or why there is none. */
  timeNs: number | null;
  reason: string | null;
  /** Over operations, where the program tells them; null: not told. */
  minNs?: number | null;
  maxNs?: number | null;
  p95Ns?: number | null;
  p99Ns?: number | null;
  /** Operations behind the figure, where each was timed on its own; 0: not told. */
  samples?: number;
  /** Wrong elements on all ranks together; null: not checked. */
  wrong: number | null;
  /** All columns of it as printed. */
  printed: Record<string, string>;
}

/** What a file of another program tells. */
export interface ImportedOutput {
  /** Start of the series' names: "nccl-tests". */
  series: string;
  /** With versions: "nccl-tests 2.19.6, NCCL 2.28.9". */
  program: string;
  /** A row of results/schema/engines. */
  engine: string;
  ranks: number;
  /** Empty: not told. */
  hosts: string[];
  measuredAt: string | null;
  /** "mean over iterations and ranks". */
  statistic: string;
  method: { clock: string; sync: 'barrier' | 'none' | 'unknown'; batch: number };
  versions: Record<string, string>;
  /** Allow-listed variables (results/store/environment.ts). */
  environment: Record<string, string>;
  rows: ImportedRow[];
  /** The program says that data were wrong, whatever its rows say. */
  saysWrong: boolean;
  /** All that was asked for is there. */
  complete: boolean;
  conversions: string[];
  /** What else it tells, beside its rows; a sentence each. */
  says?: string[];
  /** One step of the program, where it tells one. */
  job?: Omit<Job, 'name' | 'source'> & { source?: string };
  /** What the output does not tell, beside what no output of another program tells (samples, evidence). */
  unknown: string[];
  notices: string[];
}

/** What people must add where an output does not tell it. */
export interface ImportHints {
  ranks: number | null;
  collective: CollectiveName | null;
  /** Bytes of one transfer. */
  sizeBytes: number | null;
}

/** The content cannot be imported; the message says what was looked for. */
export class ImportError extends Error {
  /** What is allowed, or the cause. */
  readonly lines: readonly string[];
  /** Options with which the same command reads the content; null where nobody can know them. */
  readonly change: OptionChange['change'] | null;
  constructor(message: string, lines: readonly string[] = [], change: OptionChange['change'] | null = null) {
    super(message);
    this.name = 'ImportError';
    this.lines = lines;
    this.change = change;
  }
}

/** Longer words are no column of any program: kept as far as they help to recognise them. */
export const shortenText = (text: string, length = 80): string =>
  text.length <= length ? text : `${text.slice(0, length)}...`;

/** Ranks from the output or from people. @throws ImportError neither tells, or they differ */
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
