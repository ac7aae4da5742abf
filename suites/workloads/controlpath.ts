import {
  type ControlpathAxes,
  controlPaths,
  controlpath,
  controlpathAxes,
  entriesOf,
  granularities,
  largestPut,
  maxPuts,
  maxQueues,
  type PointContext,
  type PointPlan,
  type RunPlan,
  scopes,
  smallestPut,
} from '../../results/schema/index.ts';
import { plural, sizeFlag, sizeText } from '../../results/units.ts';
import { countListOption, wordListOption } from '../options/option.ts';
import { listOf, parseEach, wholeNumber } from '../options/values.ts';
import type { WorkInput } from '../plan-input.ts';
import { generateSizes } from '../sizes.ts';
import type { WorkloadPlanning } from './planning.ts';

/**
 * Estimated nanoseconds, without the time to move the bytes: `operationNs` per operation, `entryNs` more per queue entry (one put),
 * `doorbellNs` more per doorbell. Measured with threads on small machines.
 */
const operationNs = 20_000;
const entryNs = 300;
const doorbellNs = 300;

const paths = listOf(controlPaths);

/**
 * Combinations of the option values, without message sizes. Only path `triggered` uses --granularity, and only path `kernel` uses
 * --scope.
 */
function kindsOf({ words: said }: WorkInput): Omit<ControlpathAxes, 'bytes'>[] {
  const counts = (name: string, most: number) => parseEach(wholeNumber(1, most))(said[name] ?? '');
  const kinds = paths(said.path ?? '').flatMap((path) =>
    (path === 'triggered' ? listOf(granularities)(said.granularity ?? '') : [null]).map((granularity) => ({
      path,
      granularity,
    })),
  );
  // A single host thread writes the entries if there is no GPU kernel, so scope `thread` is the only choice.
  const scopesOf = (path: ControlpathAxes['path']) =>
    path === 'kernel' ? listOf(scopes)(said.scope ?? '') : (['thread'] as const);
  return kinds.flatMap((kind) =>
    scopesOf(kind.path).flatMap((scope) =>
      counts('queues', maxQueues).flatMap((queues) =>
        counts('puts', maxPuts).flatMap((puts) =>
          counts('per-doorbell', maxPuts).map((batch) => ({ ...kind, scope, queues, puts, batch })),
        ),
      ),
    ),
  );
}

/**
 * The reason, as text, why this combination of puts, puts per doorbell (`batch`) and message size cannot be measured: `batch` does
 * not divide `puts`, or the size is too small, too large or no power of two. Null if it can.
 */
function refusal({ puts, batch }: Pick<ControlpathAxes, 'puts' | 'batch'>, bytes: number): string | null {
  if (puts % batch !== 0) return `${batch} puts per doorbell do not divide ${plural(puts, 'put')}`;
  if (bytes < smallestPut) return `${sizeText(bytes)} is less than ${sizeText(smallestPut)}`;
  if (bytes > largestPut) return `${sizeText(bytes)} is more than ${sizeText(largestPut)}`;
  return Number.isInteger(Math.log2(bytes)) ? null : `${sizeText(bytes)} is not a power of two`;
}

function points(input: WorkInput): Pick<RunPlan, 'points' | 'skipped'> {
  const made: PointPlan[] = [];
  const skipped: RunPlan['skipped'] = [];
  for (const kind of kindsOf(input))
    for (const bytes of generateSizes(input.sizes, 1)) {
      const reason = refusal(kind, bytes);
      if (reason === null)
        made.push({
          workload: controlpath.name,
          axes: controlpathAxes.parse({ ...kind, bytes }),
          requestedX: bytes,
        });
      else skipped.push({ what: controlpath.name, requestedX: bytes, reason });
    }
  return { points: made, skipped };
}

const of = ({ axes }: Pick<PointContext, 'axes'>): ControlpathAxes => controlpathAxes.parse(axes);

/**
 * Planning data (commands and options, points to measure, estimates of bytes and time) of the control-path comparison: rank 0
 * writes into the memory of rank 1, and the same puts are started in several ways (paths): by the host, by a kernel and so on.
 */
export const controlpathPlanning: WorkloadPlanning = {
  row: controlpath,
  needs: ['puts'],
  carriedBy: {
    takes: ({ takesPuts }) => takesPuts,
    lack: 'queues that a workload can write and ring by itself',
  },
  commands: [
    {
      name: 'controlpath',
      summary: 'the same put, initiated by host, stream, proxy, trigger or kernel',
    },
  ],
  options: {
    path: {
      ...wordListOption(controlPaths),
      describe:
        'Initiator of each put: the host after the kernel, a memory operation of the stream, a proxy thread that the kernel wakes, a counter that the kernel increments, or the kernel itself.',
      example: '--path host,kernel',
      default: 'all',
    },
    granularity: {
      ...wordListOption(granularities),
      describe: 'Path triggered: scope that increments the counter. Other paths ignore it.',
      example: '--granularity thread,block,kernel',
      default: 'block',
    },
    scope: {
      ...wordListOption(scopes),
      describe: 'Path kernel: scope that writes the work requests. Other paths ignore it.',
      example: '--scope thread,warp',
      default: 'thread',
    },
    queues: {
      ...countListOption(maxQueues),
      describe: 'Queues between the two ranks.',
      example: '--queues 1,4',
    },
    puts: {
      ...countListOption(maxPuts),
      describe: 'Puts per operation on each queue.',
      example: '--puts 1,32',
    },
    'per-doorbell': {
      ...countListOption(maxPuts),
      describe: 'Puts per doorbell. It must divide --puts.',
      example: '--puts 32 --per-doorbell 1,4,32',
    },
  },
  unusedOptions: ['dtype', 'op', 'root', 'inPlace'],
  points,
  pointFor: (point) => point,
  words(point) {
    const { path, granularity, scope, queues, puts, batch, bytes } = of(point);
    return [
      ...['controlpath', '--sizes', sizeFlag(bytes), '--path', path],
      ...(granularity === null ? [] : ['--granularity', granularity]),
      ...['--scope', scope, '--queues', String(queues), '--puts', String(puts)],
      ...['--per-doorbell', String(batch)],
    ];
  },
  refuses: (_command, ranks) => (ranks === 2 ? null : 'needs a pair of ranks'),
  /** Number of ranks with a result to verify: 1, because rank 1 is the only receiver. */
  checkedRanks: () => 1,
  /** Bytes of all buffers of all ranks: each rank has a send buffer and a receive buffer of the size of the payload. */
  bufferBytes: (place) => 2 * place.ranks * controlpath.payloadBytes(place),
  wireBytes: (place) => controlpath.payloadBytes(place),
  linkBytes: (place) => controlpath.payloadBytes(place),
  fixedNs(place) {
    const entries = entriesOf(of(place));
    return operationNs + entries * entryNs + (entries / of(place).batch) * doorbellNs;
  },
};
