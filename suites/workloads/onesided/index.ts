import {
  type OnesidedOperation,
  onesided,
  onesidedAxes,
  onesidedOperations,
  onesidedScopes,
  type Place,
  type PointPlan,
  type RunPlan,
} from '../../../results/schema/index.ts';
import { sizeFlag } from '../../../results/units.ts';
import { ValueError } from '../../options/flag.ts';
import type { WorkInput } from '../../plan-input.ts';
import { generateSizes } from '../../sizes.ts';
import type { WorkloadPlanning } from '../planning.ts';

const summaries: Record<OnesidedOperation, string> = {
  'device-put': 'copies to the memory of another GPU, started by threads, warps or blocks',
  'device-get': 'copies from the memory of another GPU',
  'device-p': 'words of 8 bytes stored in the memory of another GPU',
  'device-g': 'words of 8 bytes loaded from the memory of another GPU',
  'device-fetch-add': 'atomic additions in the memory of another GPU',
  'device-signal': 'puts with signal, there and back; latency is half of the round trip',
};

const operationOf = (command: string): OnesidedOperation => {
  const found = onesidedOperations.find((name) => name === command);
  if (found === undefined) throw new RangeError(`${command} is no one-sided operation`);
  return found;
};

const listOf = (text: string): string[] => text.split(',').map((word) => word.trim());
const wordBytes = 8;

function points(input: WorkInput): Pick<RunPlan, 'points' | 'skipped'> {
  const operation = operationOf(input.command);
  const isOfWords = operation === 'device-p' || operation === 'device-g';
  // Atomics have one size.
  const sizes =
    operation === 'device-fetch-add' ? [wordBytes] : generateSizes(input.sizes, isOfWords ? wordBytes : 1);
  const made = listOf(input.words.scope ?? '').flatMap((scope) =>
    listOf(input.words.callers ?? '').flatMap((callers) =>
      sizes.map(
        (bytes): PointPlan => ({
          workload: onesided.name,
          axes: onesidedAxes.parse({ operation, scope, callers: Number(callers), bytes }),
          requestedX: bytes,
        }),
      ),
    ),
  );
  return { points: made, skipped: [] };
}

const bytesOfAll = ({ axes }: Pick<Place, 'axes'>): number => {
  const { callers, bytes } = onesidedAxes.parse(axes);
  return callers * bytes;
};

/** Operations that GPUs start themselves. */
export const onesidedPlanning: WorkloadPlanning = {
  row: onesided,
  needs: ['oneSided'],
  commands: onesidedOperations.map((name) => ({ name, summary: summaries[name] })),
  options: [
    {
      name: 'scope',
      value: 'LIST',
      help: 'Who calls together: a thread, a warp or a block of the GPU.',
      allowed: 'thread, warp and block, with commas between',
      example: '--scope thread,warp,block',
      fallback: 'thread,warp,block',
      check: (text) => {
        for (const word of listOf(text)) {
          if (!onesidedScopes.some((scope) => scope === word)) throw new ValueError(`'${word}' is no scope`);
        }
      },
    },
    {
      name: 'callers',
      value: 'LIST',
      help: 'Threads, warps or blocks that call at the same time: 1 for latency, many for bandwidth.',
      allowed: 'whole numbers from 1 to 65536, with commas between',
      example: '--callers 1,128',
      fallback: '1',
      check: (text) => {
        for (const word of listOf(text)) {
          const callers = Number(word);
          if (!/^\d+$/.test(word) || callers < 1 || callers > 65_536)
            throw new ValueError(`'${word}' is no number of callers`);
        }
      },
    },
  ],
  ignores: ['dtype', 'op', 'root', 'inPlace'],
  requirePlannable: () => undefined,
  points,
  pointFor: (point) => point,
  words({ axes }) {
    const { operation, scope, callers, bytes } = onesidedAxes.parse(axes);
    return [operation, '--sizes', sizeFlag(bytes), '--scope', scope, '--callers', String(callers)];
  },
  refuses: (_command, ranks) => (ranks % 2 === 0 ? null : 'needs an even number'),
  isAlike: () => true,
  isRooted: () => false,
  isReducing: () => false,
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
