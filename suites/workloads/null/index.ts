import { nullAxes, nullWorkload, type PointPlan } from '../../../results/schema/index.ts';
import { ValueError } from '../../options/flag.ts';
import type { WorkloadPlanning } from '../planning.ts';

/** Workload that only waits for a given time. */
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
  options: [
    {
      name: 'waits',
      value: 'LIST',
      help: 'How long one operation waits, ns.',
      allowed: 'whole numbers, with commas between',
      example: '--waits 1000,10000',
      fallback: '1000,10000,100000',
      check: (text) => {
        if (!/^\d{1,12}(,\d{1,12})*$/.test(text)) throw new ValueError('not a list of whole numbers');
      },
    },
  ],
  ignores: ['dtype', 'op', 'root', 'inPlace', 'min', 'max', 'factor', 'step', 'sizes'],
  requirePlannable: () => undefined,
  points({ words }) {
    const waits = (words.waits ?? '').split(',').map(Number);
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
  isAlike: () => true,
  isRooted: () => false,
  isReducing: () => false,
  checkedRanks: ({ ranks }) => ranks,
  bufferBytes: () => 0,
  wireBytes: () => 0,
  linkBytes: () => 0,
  fixedNs: ({ axes }) => nullAxes.parse(axes).waitNs,
};
