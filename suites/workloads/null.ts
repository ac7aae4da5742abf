import { nullAxes, nullWorkload, type PointPlan } from '../../results/schema/index.ts';
import { keepText, parseEach, wholeNumber } from '../options/values.ts';
import type { WorkloadPlanning } from './planning.ts';

const waitsOf = parseEach(wholeNumber(0, 1e12 - 1));

/**
 * Planning data (commands and options, points to measure, estimates of bytes and time) of a workload that only tests of collbench
 * use: every operation waits for a given time and does nothing else.
 */
export const nullPlanning: WorkloadPlanning = {
  row: nullWorkload,
  needs: ['hostClock'],
  commands: [
    {
      name: 'null',
      summary: 'waits for a given time: the overhead of measuring (for tests)',
      isForTests: true,
    },
  ],
  options: {
    waits: {
      value: 'LIST',
      describe: 'How long one operation waits, ns.',
      allowed: 'whole numbers, with commas between',
      example: '--waits 1000,10000',
      default: '1000,10000,100000',
      coerce: keepText(waitsOf),
    },
  },
  unusedOptions: ['dtype', 'op', 'root', 'inPlace', 'min', 'max', 'factor', 'step', 'sizes'],
  points({ words }) {
    const waits = waitsOf(words.waits ?? '');
    const points = waits.map(
      (waitNs): PointPlan => ({
        workload: nullWorkload.name,
        axes: nullAxes.parse({ waitNs }),
      }),
    );
    return { points, skipped: [] };
  },
  pointFor: (point) => point,
  words: ({ axes }) => ['null', '--waits', String(nullAxes.parse(axes).waitNs)],
  refuses: () => null,
  checkedRanks: ({ ranks }) => ranks,
  bufferBytes: () => 0,
  wireBytes: () => 0,
  linkBytes: () => 0,
  fixedNs: ({ axes }) => nullAxes.parse(axes).waitNs,
};
