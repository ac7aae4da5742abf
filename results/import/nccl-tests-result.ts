import { printedNumber } from './printed-number.ts';

/** Out-of-place or in-place part of a row. */
export interface NcclTestsHalf {
  /** One operation, ns: mean over iterations and, unless `-a` said otherwise, over ranks. */
  timeNs: number;
  /** Null where nccl-tests printed no number (nan). */
  algGBps: number | null;
  busGBps: number | null;
  /** Wrong elements on all ranks together. Null: not checked, or a release that prints an error figure, not a count. */
  wrong: number | null;
  /** The columns of this half as printed, by the names of the header: {time: "41.17", "#wrong": "N/A"}. */
  printed: Record<string, string>;
}

export interface NcclTestsRow {
  /** Larger of send and receive buffer of a rank, after nccl-tests' rounding: small sizes on many ranks become 0. */
  sizeBytes: number;
  /** NCCL's count argument. */
  count: number;
  /** In our words ("float32"); a name unknown here stays as printed. */
  dtype: string;
  /** Null where none is printed. sendrecv prints one although it reduces nothing. */
  op: string | null;
  root: number | null;
  outOfPlace: NcclTestsHalf;
  /** Null where the output has no such half. */
  inPlace: NcclTestsHalf | null;
}

export interface NcclTestsDevice {
  rank: number;
  host: string;
  pid: number;
  device: number;
  /** "0000:00:06", or "0x0f" of older releases. */
  busId: string;
  name: string;
  /** Number of the communicator, where the program was split into several. */
  group?: number;
}

/** One run of one nccl-tests program. What the output does not tell is null. */
export interface NcclTestsResult {
  source: 'text' | 'json';
  /** rccl-tests prints the same text, with lines that name it. */
  library: 'nccl' | 'rccl';
  /** Of nccl-tests, "2.19.6". */
  version: string | null;
  /** Of the NCCL or RCCL library that was loaded, "2.28.9". */
  ncclVersion: string | null;
  /** "all_reduce_perf" */
  program: string | null;
  /** Ranks of one communicator. */
  ranks: number | null;
  /** Communicators that measured at the same time, all with as many ranks. */
  groups: number;
  /** Operations per time (`-n`). */
  iterations: number | null;
  /** As printed: local time without a zone. */
  startedAt: string | null;
  /** What may be kept of the environment that JSON holds (results/store/environment.ts). */
  environment: Record<string, string>;
  /** JSON and long device lists name only some of the ranks. */
  devices: NcclTestsDevice[];
  /** The devices are those of all processes, so that their hosts are all hosts. */
  hasAllDevices: boolean;
  rows: NcclTestsRow[];
  /** The only half of the rows, `outOfPlace` here, was measured in place (-O 0 of rccl-tests). */
  isInPlaceOnly: boolean;
  /** Of the printed times. */
  timeUnitNs: number;
  /** True only where the closing lines are there: all that was asked for was measured. */
  complete: boolean;
  /** What a reader must know before using the rows; one sentence each. */
  problems: string[];
}

/** The text is not one run of nccl-tests. */
export class NcclTestsError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NcclTestsError';
  }
}

const dtypes: Record<string, string> = {
  char: 'int8',
  int: 'int32',
  half: 'float16',
  fp8_e4m3: 'float8e4m3',
  fp8_e5m2: 'float8e5m2',
  float: 'float32',
  double: 'float64',
  f8e4m3: 'float8e4m3',
  f8e5m2: 'float8e5m2',
};

export const dtypeOf = (printed: string): string => dtypes[printed] ?? printed;
export const opOf = (printed: string | undefined): string | null =>
  printed === undefined || printed === '' || printed === 'none' ? null : printed;

/** "2.28.9" from NCCL_VERSION_CODE: 22809; up to 2.8 the minor version had one digit less (2708). */
export function ncclVersionText(code: number): string | null {
  if (!Number.isInteger(code) || code < 1000) return null;
  const unit = code < 10_000 ? 1000 : 10_000;
  return `${Math.floor(code / unit)}.${Math.floor((code % unit) / 100)}.${code % 100}`;
}

/** A printed number; null for N/A, nan and inf. */
export function numberOf(text: string | undefined): number | null {
  return printedNumber(text)?.value ?? null;
}

/** What both forms of output can say; one sentence each. */
export const blocking = 'each operation was waited for before the next (-z): its time has the waiting in it';
export const slowBusBandwidth = 'the mean bus bandwidth is below what NCCL_TESTS_MIN_BW asked for';
