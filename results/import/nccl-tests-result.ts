import { printedNumber } from './printed-number.ts';

/** Times and bandwidths of the out-of-place or in-place half of a row of nccl-tests. */
export interface NcclTestsHalf {
  /** Time of one operation in ns: mean over iterations and, unless `-a` changed that, over ranks. */
  timeNs: number;
  /** Bus bandwidth in GB/s; null if nccl-tests printed no number (nan). */
  busGBps: number | null;
  /**
   * Number of wrong elements on all ranks together. Null if not checked, or if the release prints the largest error instead of a
   * number and some errors exceed the limits.
   */
  wrong: number | null;
  /** Columns of this half as printed, by header name: {time: "41.17", "#wrong": "N/A"}. */
  printed: Record<string, string>;
}

export interface NcclTestsRow {
  /** Larger of a rank's send and receive buffer in bytes, rounded as nccl-tests does: small sizes on many ranks become 0. */
  sizeBytes: number;
  /** NCCL's `count` argument: elements of the vector, or of one rank's part. */
  count: number;
  /** Data type by collbench's name ("float32"); an unknown name is kept as printed. */
  dtype: string;
  /** Reduction as printed; null if none is printed. sendrecv prints one although it reduces nothing. */
  op: string | null;
  /** True if the column of the reduction is empty, without even the word "none"; otherwise absent. */
  isOpBlank?: boolean;
  root: number | null;
  outOfPlace: NcclTestsHalf;
  /** Times and bandwidths of the in-place half; null if the output has none. A half without another one is in `outOfPlace`. */
  inPlace: NcclTestsHalf | null;
}

export interface NcclTestsDevice {
  rank: number;
  host: string;
  name: string;
  /** Number of the communicator to which the device belongs; absent if there was only one. */
  group?: number;
}

/** One run of one nccl-tests program. A field is null if the output does not contain the value. */
export interface NcclTestsResult {
  /** `rccl` if lines of the output name rccl-tests, whose text is otherwise equal to that of nccl-tests. */
  library: 'nccl' | 'rccl';
  /** Version of nccl-tests, "2.19.6". */
  version: string | null;
  /** Version of the NCCL or RCCL library that was loaded, "2.28.9". */
  ncclVersion: string | null;
  /** Name of the program, "all_reduce_perf". */
  program: string | null;
  /** Number of ranks of one communicator; null if not printed. */
  ranks: number | null;
  /** Number of communicators that measured at the same time. All have the same number of ranks. */
  groups: number;
  /** Number of operations over which each printed time is averaged (option `-n`). */
  iterations: number | null;
  /** Start of the program as printed: local time without a time zone. */
  startedAt: string | null;
  /** Environment variables in the JSON output, as far as they may be stored (results/store/environment.ts). */
  environment: Record<string, string>;
  /** Devices that the output lists. The JSON output, and long lists in the text output, omit some of the devices. */
  devices: NcclTestsDevice[];
  /** True if `devices` has a device of every process, so that its hosts are all hosts. */
  hasAllDevices: boolean;
  rows: NcclTestsRow[];
  /** True if all rows have only an in-place half (-O 0 of rccl-tests). That half is then in the field `outOfPlace` of each row. */
  isInPlaceOnly: boolean;
  /** Number of ns in one unit of the printed times: 1000 for microseconds, 1e6 for milliseconds. */
  timeUnitNs: number;
  /**
   * True if the output has rows and the lines that the program prints at its end, and names no failure before these lines. All
   * requested sizes were then measured.
   */
  complete: boolean;
  /** Problems that readers must know before they use the rows, one sentence each. */
  problems: string[];
}

/** Thrown if the text is not one run of nccl-tests. */
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

/**
 * Returns NCCL's version as text: "2.28.9" for NCCL_VERSION_CODE 22809. Up to 2.8 the code had one digit less (2708). Null for
 * numbers that are not such a code.
 */
export function ncclVersionText(code: number): string | null {
  if (!Number.isInteger(code) || code < 1000) return null;
  const unit = code < 10_000 ? 1000 : 10_000;
  return `${Math.floor(code / unit)}.${Math.floor((code % unit) / 100)}.${code % 100}`;
}

/** Returns the value of a printed number; null for N/A, nan, inf and other text. */
export function numberOf(text: string | undefined): number | null {
  return printedNumber(text)?.value ?? null;
}

/** Sentence for `problems` if the program waited for each operation before it started the next one (option -z). */
export const blocking = 'each operation was waited for before the next (-z): its time has the waiting in it';
export const slowBusBandwidth = 'the mean bus bandwidth is below what NCCL_TESTS_MIN_BW asked for';

/** Largest rounding error of a printed bus bandwidth, GB/s: rows have two decimals. */
const printedStepGBps = 0.005;
/** Largest accepted relative difference between the mean bus bandwidth of the rows and the printed one, which has six digits. */
const meanError = 1e-4;

/**
 * Compares the mean bus bandwidth that the program printed with that of the rows that were read, in place and out of place.
 * @param printedGBps the program's mean; null = not printed
 * @returns a sentence if the two differ by more than rounding explains, because rows are missing or were changed; '' otherwise, and
 * if a mean or the bus bandwidth of a row is missing
 */
export function meanDiffers(rows: readonly NcclTestsRow[], printedGBps: number | null): string {
  const halves = rows.flatMap(({ outOfPlace, inPlace }) =>
    inPlace === null ? [outOfPlace] : [outOfPlace, inPlace],
  );
  const rates = halves.flatMap(({ busGBps }) => busGBps ?? []);
  if (printedGBps === null || rates.length === 0 || rates.length < halves.length) return '';
  const mean = rates.reduce((sum, one) => sum + one, 0) / rates.length;
  if (Math.abs(mean - printedGBps) <= printedStepGBps + meanError * Math.abs(printedGBps)) return '';
  const [said, own] = [printedGBps, mean].map((one) => Number(one.toPrecision(4)));
  return `the output has a mean bus bandwidth of ${said} GB/s, its rows one of ${own} GB/s: rows are missing or were changed`;
}
