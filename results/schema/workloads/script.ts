import { z } from 'zod';
import { latency, pipelined, rate } from './common.ts';
import type { Workload } from './workload.ts';

export const scriptAxes = z.strictObject({
  /** Name of the user's program, "my_train.py@3f2a1c": its file name and the start of a hash of all words of its command. */
  program: z.string(),
  /** Number of images, tokens or other items that each rank processes in one step, as the user states. */
  items: z.int().min(1),
});
/**
 * Workload of the user's own training program. Its x axis is the number of items (images, tokens, ...) per rank and step. collbench
 * does not know how many bytes the program moves, nor which results are correct.
 */
export const script: Workload = {
  name: 'script',
  title: 'script',
  noun: 'step',
  unitOfWork: 'step',
  axes: [
    { name: 'program', unit: '', role: 'series', column: 'program', isCompared: true, isOtherWork: true },
    {
      name: 'items',
      unit: '',
      role: 'x',
      head: 'step size',
      title: 'items per rank and step',
      isNumber: true,
      base: 2,
      column: 'items_per_rank',
    },
  ],
  figures: [
    { ...latency, title: 'time of one step' },
    { ...pipelined, title: 'time per step' },
    rate({
      head: 'items/s',
      title: 'item rate',
      column: 'items',
      caption: 'Items that all ranks together work on per second',
      definition: 'The item rate counts the items of all ranks in one step over the time of the step.',
      isCharted: true,
      isThroughput: true,
      formula: 'Items by ranks by time.',
    }),
  ],
  unitsPerOperation: () => 1,
  derive: ({ axes, ranks }, _from, elapsedNs) => [
    { name: 'rate', value: ((scriptAxes.parse(axes).items * ranks) / elapsedNs) * 1e9 },
  ],
  payloadBytes: () => 0,
  minMovedBytes: () => null,
  minMovedByAnyAlgorithm: () => null,
  isPlainTransfer: () => false,
};
