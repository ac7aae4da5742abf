import { fieldsOf, isFields, type RecordFields } from '../collections.ts';
import { recordedEnvironment } from '../store/environment.ts';
import { closeJson } from './close-json.ts';
import {
  blocking,
  dtypeOf,
  type NcclTestsDevice,
  NcclTestsError,
  type NcclTestsHalf,
  type NcclTestsResult,
  type NcclTestsRow,
  ncclVersionText,
  numberOf,
  opOf,
  slowBusBandwidth,
} from './nccl-tests-result.ts';

const newestVersion = 3;

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
/**
 * Returns a JSON number, or the number in a text: nccl-tests writes text if a number is padded ("    -1") or not finite. Null for a
 * number that is not finite and for other values.
 */
const figure = (value: unknown): number | null =>
  typeof value === 'number' || typeof value === 'string' ? numberOf(String(value)) : null;
const word = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/**
 * Parses JSON as nccl-tests prints it: infinities and nan are bare words, and closing brackets are missing if the program was
 * killed (`isWhole` is then false).
 * @throws {NcclTestsError} if the text is not JSON even after such repairs
 */
function read(content: string): { value: unknown; isWhole: boolean } {
  const text = content.replace(/:\s*-?(?:inf|nan)\b/g, ':null');
  try {
    return { value: JSON.parse(text), isWhole: true };
  } catch {
    try {
      return { value: JSON.parse(closeJson(text)), isWhole: false };
    } catch {
      throw new NcclTestsError('this is neither text of nccl-tests nor JSON');
    }
  }
}

/**
 * Keys of figures from operations timed one by one (-I 1), in us except `cv_pct`. Another clock times them, so the row's `time`
 * need not be between `min_us` and `max_us`.
 */
const perIteration = ['min_us', 'max_us', 'avg_us', 'p50_us', 'p95_us', 'p99_us', 'stdev_us', 'cv_pct'];

function halfOf(value: unknown, each: unknown): NcclTestsHalf | null {
  const half = fieldsOf(value);
  const timeUs = figure(half.time ?? half.cpu_time);
  if (timeUs === null) return null;
  return {
    timeNs: timeUs * 1000,
    busGBps: figure(half.bus_bw),
    wrong: figure(half.nwrong),
    printed: Object.fromEntries(
      [
        ...Object.entries(half),
        ...perIteration.map((key) => [`i_${key}`, fieldsOf(each)[key]] as const),
      ].flatMap(([key, value]) =>
        typeof value === 'number' || typeof value === 'string' ? [[key, String(value)]] : [],
      ),
    ),
  };
}

function rowOf(value: unknown): NcclTestsRow | null {
  const row = fieldsOf(value);
  const sizeBytes = figure(row.size);
  const count = figure(row.count);
  const outOfPlace = halfOf(row.out_of_place, row.out_of_place_per_iter);
  if (sizeBytes === null || count === null || outOfPlace === null) return null;
  const root = figure(row.root);
  return {
    sizeBytes,
    count,
    dtype: dtypeOf(word(row.type)),
    op: opOf(word(row.redop)),
    root: Number.isSafeInteger(root) && (root as number) >= 0 ? root : null,
    outOfPlace,
    inPlace: halfOf(row.in_place, row.in_place_per_iter),
  };
}

function deviceOf(value: unknown): NcclTestsDevice {
  const device = fieldsOf(value);
  return {
    rank: figure(device.rank) ?? 0,
    host: word(device.hostname),
    name: word(device.device_info),
  };
}

/** Returns, as sentences, the problems (wrong data, errors of NCCL) that nccl-tests writes at the end of its JSON file. */
function problemsAtEnd(found: RecordFields): string[] {
  const problems: string[] = [];
  const bounds = fieldsOf(found.out_of_bounds);
  if (word(bounds.okay) === 'false')
    problems.push(`wrong data: out of bounds values: ${bounds.count} FAILED`);
  for (const error of list(found.errors)) {
    if (word(error) !== '') problems.push(`NCCL reported: ${word(error)}`);
  }
  return problems;
}

/**
 * Parses the file of `-J file.json`. The file has the environment, which may contain secrets; only variables of the allow-list are
 * kept.
 * @throws {NcclTestsError} if the file has another form, or a newer version
 */
export function parseJson(content: string): NcclTestsResult {
  const { value, isWhole } = read(content);
  if (Array.isArray(value) && isFields(value[0]) && 'inPlace' in value[0]) {
    throw new NcclTestsError('this is JSON of rccl-tests, which is written in another form');
  }
  if (!isFields(value) || figure(value.version) === null || !('nccl_version' in value)) {
    throw new NcclTestsError('this is JSON, but not of nccl-tests');
  }
  const version = figure(value.version) as number;
  if (version > newestVersion) {
    throw new NcclTestsError(`JSON of nccl-tests in version ${version}; known are 1 to ${newestVersion}`);
  }
  const config = fieldsOf(value.config);
  const devices = list(config.devices).map(deviceOf);
  // The file lists only the first GPU of each process.
  const perProcess = (figure(config.nthreads) ?? 1) * (figure(config.ngpus) ?? 1);
  const entries = list(value.results);
  const rows = entries.map(rowOf).filter((row) => row !== null);
  // Older releases misspell this key.
  const hasEnd =
    ('average_bus_bandwidth' in value || 'average_bus_bandwidith' in value) && 'end_time' in value;
  const problems = problemsAtEnd(value);
  if (entries.some((entry) => 'cpu_time' in fieldsOf(fieldsOf(entry).out_of_place))) {
    problems.push('the time is that of the calls on the CPU (-C 1), not of the operations');
  }
  if (word(config.blocking_collectives) === 'true') problems.push(blocking);
  if (word(fieldsOf(value.average_bus_bandwidth).okay) === 'false') problems.push(slowBusBandwidth);
  if (rows.length < entries.length) problems.push(`${entries.length - rows.length} rows have no time`);
  if (!hasEnd) problems.push('the closing keys are missing: the run did not end, or its output was cut');
  const variables = list(value.env).flatMap((line): [string, string][] => {
    const [name, ...rest] = typeof line === 'string' ? line.split('=') : [];
    return name === undefined ? [] : [[name, rest.join('=')]];
  });
  return {
    library: 'nccl',
    version: null,
    ncclVersion: ncclVersionText(figure(value.nccl_version) ?? 0),
    program: word(list(value.args)[0]).split('/').at(-1) || null,
    ranks: devices.length > 0 && perProcess >= 1 ? devices.length * perProcess : null,
    iterations: figure(config.iterations),
    startedAt: word(value.start_time) || null,
    environment: recordedEnvironment(Object.fromEntries(variables)),
    devices,
    hasAllDevices: devices.length > 0,
    groups: 1,
    rows,
    isInPlaceOnly: false,
    timeUnitNs: 1000,
    complete: isWhole && hasEnd && rows.length > 0,
    problems,
  };
}
