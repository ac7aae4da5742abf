import {
  type P2pOperation,
  type PointContext,
  type PointPlan,
  p2p,
  p2pAxes,
  p2pOperations,
  type RunPlan,
  type WorkloadAxes,
} from '../../results/schema/index.ts';
import { sizeFlag } from '../../results/units.ts';
import { messageWork } from '../explain/messages.ts';
import { keepText, parseEach, parseOneOf, wholeNumber } from '../options/values.ts';
import type { WorkInput } from '../plan-input.ts';
import { generateSizes } from '../sizes.ts';
import type { WorkloadPlanning } from './planning.ts';

const summaries: Record<P2pOperation, string> = {
  pingpong: 'one message there and back between two ranks; latency is half the round trip',
  put: 'one rank of each pair writes to the other, with a window of messages in flight',
  get: 'one rank of each pair reads from the other',
  exchange: 'both ranks of each pair send at the same time',
  incast: 'all other ranks send to rank 0 at the same time',
};

/** True if option --window (messages in flight) applies to the operation. `directed` below says the same for --direction. */
const windowed = (operation: P2pOperation): boolean => operation !== 'pingpong';
const directed = (operation: P2pOperation): boolean => operation === 'put' || operation === 'get';

const operationOf = (command: string): P2pOperation => {
  const found = p2pOperations.find((name) => name === command);
  if (found === undefined) throw new RangeError(`${command} is no point-to-point operation`);
  return found;
};

const windowsOf = parseEach(wholeNumber(1, 1024));
const directionsOf = parseEach(parseOneOf(['uni', 'bi']));

function points(input: WorkInput): Pick<RunPlan, 'points' | 'skipped'> {
  const operation = operationOf(input.command);
  const windows = windowed(operation) ? windowsOf(input.words.window ?? '') : [1];
  const directions = directed(operation) ? directionsOf(input.words.direction ?? '') : ['uni'];
  const sizes = generateSizes(input.sizes, 1);
  const made = directions.flatMap((direction) =>
    windows.flatMap((window) =>
      sizes.map(
        (bytes): PointPlan => ({
          workload: p2p.name,
          axes: p2pAxes.parse({ operation, direction, window, bytes }) satisfies WorkloadAxes,
          requestedX: bytes,
        }),
      ),
    ),
  );
  return { points: made, skipped: [] };
}

/**
 * Bytes of the send and receive buffers of one rank, with room for all messages in flight. With incast every rank has room for the
 * messages of all senders.
 */
function rankBytes({ axes, ranks }: PointContext): number {
  const { operation, window, bytes } = p2pAxes.parse(axes);
  return 2 * window * bytes * (operation === 'incast' ? Math.max(1, ranks - 1) : 1);
}

/**
 * Planning data (commands and options, points to measure, estimates of bytes and time) of point-to-point operations such as
 * pingpong and put.
 */
export const p2pPlanning: WorkloadPlanning = {
  row: p2p,
  needs: ['messages'],
  // The default maximum is low, because a window of 64 messages of 64 MiB takes seconds and 16 GiB of memory.
  usualMaxBytes: 16 * 2 ** 20,
  commands: p2pOperations.map((name) => ({ name, summary: summaries[name] })),
  options: {
    window: {
      value: 'LIST',
      describe: 'Messages in flight per operation and direction.',
      allowed: 'whole numbers from 1 to 1024, with commas between',
      example: '--window 1,64',
      default: '64',
      coerce: keepText(windowsOf),
    },
    direction: {
      value: 'LIST',
      describe: 'One rank of a pair, or both at the same time.',
      allowed: 'uni, bi or both with a comma between',
      example: '--direction uni,bi',
      default: 'uni',
      choices: ['uni', 'bi'],
      coerce: keepText(directionsOf),
    },
  },
  unusedOptions: ['dtype', 'op', 'root', 'inPlace'],
  unusedOptionsIn: (command) => [
    ...(windowed(operationOf(command)) ? [] : ['window']),
    ...(directed(operationOf(command)) ? [] : ['direction']),
  ],
  points,
  pointFor: (point) => point,
  words({ axes }) {
    const { operation, direction, window, bytes } = p2pAxes.parse(axes);
    return [
      ...[operation, '--sizes', sizeFlag(bytes)],
      ...(windowed(operation) ? ['--window', String(window)] : []),
      ...(directed(operation) ? ['--direction', direction] : []),
    ];
  },
  refuses: (command, ranks) =>
    operationOf(command) === 'incast'
      ? ranks >= 2
        ? null
        : 'needs two ranks or more'
      : ranks % 2 === 0
        ? null
        : 'needs an even number of ranks',
  checkedRanks({ axes, ranks }) {
    const { operation, direction, bytes } = p2pAxes.parse(axes);
    if (bytes === 0) return 0;
    if (operation === 'incast') return 1;
    const isTwoWay = operation === 'pingpong' || operation === 'exchange' || direction === 'bi';
    return isTwoWay ? ranks : ranks / 2;
  },
  bufferBytes: (place) => place.ranks * rankBytes(place),
  wireBytes: (place) => p2p.payloadBytes(place),
  linkBytes: (place) => p2p.payloadBytes(place),
  fixedNs: () => 0,
  neededWork: (operation, from) => messageWork(operationOf(operation.command), operation, from),
};
