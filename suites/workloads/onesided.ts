import {
  type OnesidedAxes,
  type OnesidedOperation,
  onesided,
  onesidedAxes,
  onesidedMovers,
  onesidedOperations,
  onesidedScopes,
  type PointContext,
  type PointPlan,
  type RunPlan,
} from '../../results/schema/index.ts';
import { sizeFlag } from '../../results/units.ts';
import { countListOption } from '../options/option.ts';
import { keepText, parseEach, parseOneOf } from '../options/values.ts';
import type { WorkInput } from '../plan-input.ts';
import { generateSizes } from '../sizes.ts';
import type { WorkloadPlanning } from './planning.ts';

const summaries: Record<OnesidedOperation, string> = {
  'device-put': 'writes to the memory of another GPU, issued by threads, warps or blocks',
  'device-get': 'reads from the memory of another GPU',
  'device-p': '8-byte stores to the memory of another GPU',
  'device-g': '8-byte loads from the memory of another GPU',
  'device-fetch-add': 'atomic additions in the memory of another GPU',
  'device-signal': 'puts with signal, there and back; latency is half the round trip',
};

const operationOf = (command: string): OnesidedOperation => {
  const found = onesidedOperations.find((name) => name === command);
  if (found === undefined) throw new RangeError(`${command} is no one-sided operation`);
  return found;
};

const wordBytes = 8;
const copies = ['device-put', 'device-get'];

/**
 * Options without effect, by operation: atomic operations have only one size, and of signals only one is in flight, because each
 * waits for its answer.
 */
const withoutEffect: Partial<Record<OnesidedOperation, readonly string[]>> = {
  'device-fetch-add': ['min', 'max', 'factor', 'step', 'sizes'],
  'device-signal': ['window'],
};

/**
 * The reason why a combination of operation, mover (what copies the bytes), scope (the GPU threads that call together) and size
 * cannot be measured, as text; null if it can. Only signals may have 0 bytes, only put and get have movers other than nvshmem, and
 * the movers bulk and copy-engine need scope `block`.
 */
function refusal({ operation, mover, scope, bytes }: OnesidedAxes): string | null {
  if (bytes === 0 && operation !== 'device-signal') return `${operation} needs at least 1 byte`;
  if (mover !== 'nvshmem' && !copies.includes(operation))
    return `mover ${mover} is for device-put and device-get`;
  if ((mover === 'bulk' || mover === 'copy-engine') && scope !== 'block')
    return `mover ${mover} needs --scope block`;
  return null;
}

function points(input: WorkInput): Pick<RunPlan, 'points' | 'skipped'> {
  const operation = operationOf(input.command);
  const isOfWords = operation === 'device-p' || operation === 'device-g';
  const sizes =
    operation === 'device-fetch-add' ? [wordBytes] : generateSizes(input.sizes, isOfWords ? wordBytes : 1);
  const each = <T>(name: string, parse: (word: string) => T): T[] =>
    parseEach(parse)(input.words[name] ?? '');
  const windows = operation === 'device-signal' ? [1] : each('window', Number);
  const made: PointPlan[] = [];
  const skipped: RunPlan['skipped'] = [];
  for (const mover of each('mover', parseOneOf(onesidedMovers)))
    for (const scope of each('scope', parseOneOf(onesidedScopes)))
      for (const callers of each('callers', Number))
        for (const window of windows)
          for (const bytes of sizes) {
            const axes = onesidedAxes.parse({ operation, mover, scope, callers, window, bytes });
            const reason = refusal(axes);
            if (reason === null) made.push({ workload: onesided.name, axes, requestedX: bytes });
            else skipped.push({ what: operation, requestedX: bytes, reason });
          }
  return { points: made, skipped };
}

const bytesOfAll = ({ axes }: Pick<PointContext, 'axes'>): number => {
  const { callers, bytes } = onesidedAxes.parse(axes);
  return callers * bytes;
};

/** Properties of an option whose value is a comma-separated list of the words in `known`; "all" is not allowed. */
const listOption = (known: readonly string[]) => ({
  value: 'LIST',
  allowed: `${known.slice(0, -1).join(', ')} and ${known.at(-1)}, with commas between`,
  choices: known,
  coerce: keepText(parseEach(parseOneOf(known))),
});

/**
 * Planning data (commands and options, points to measure, estimates of bytes and time) of one-sided operations, in which GPUs
 * access each other's memory without the host. The mover `copy-engine`, which the host starts, is for comparison.
 */
export const onesidedPlanning: WorkloadPlanning = {
  row: onesided,
  needs: ['oneSided'],
  usualEngine: 'nvshmem',
  commands: onesidedOperations.map((name) => ({ name, summary: summaries[name] })),
  options: {
    mover: {
      ...listOption(onesidedMovers),
      describe:
        'device-put, device-get: NVSHMEM calls, 16-byte loads and stores, bulk copies through shared memory (TMA), or the copy engine.',
      example: '--mover nvshmem,copy-engine',
      default: 'nvshmem',
    },
    scope: {
      ...listOption(onesidedScopes),
      describe: 'Scope of each call: a thread, a warp or a block of the GPU.',
      example: '--scope thread,warp,block',
      default: 'thread,warp,block',
    },
    callers: {
      ...countListOption(65_536),
      describe: 'Threads, warps or blocks that call at the same time: 1 for latency, many for bandwidth.',
      example: '--callers 1,128',
    },
    window: {
      ...countListOption(65_536),
      describe: 'Operations in flight per caller: 1 for latency, many for message rate.',
      example: '--window 1,64',
    },
  },
  unusedOptions: ['dtype', 'op', 'root', 'inPlace'],
  unusedOptionsIn: (command) => withoutEffect[operationOf(command)] ?? [],
  points,
  pointFor: (point) => point,
  words({ axes }) {
    const { operation, mover, scope, callers, window, bytes } = onesidedAxes.parse(axes);
    const unused = withoutEffect[operation] ?? [];
    return [
      ...[operation, ...(unused.includes('sizes') ? [] : ['--sizes', sizeFlag(bytes)])],
      ...['--mover', mover, '--scope', scope, '--callers', String(callers)],
      ...(unused.includes('window') ? [] : ['--window', String(window)]),
    ];
  },
  refuses: (_command, ranks) => (ranks % 2 === 0 ? null : 'needs an even number of ranks'),
  checkedRanks({ axes, ranks }) {
    const { operation, bytes } = onesidedAxes.parse(axes);
    if (bytes === 0) return 0;
    return operation === 'device-signal' ? ranks : ranks / 2;
  },
  bufferBytes: (place) => place.ranks * 2 * bytesOfAll(place),
  wireBytes: (place) => onesided.payloadBytes(place),
  linkBytes: (place) => onesided.payloadBytes(place),
  fixedNs: () => 0,
};
