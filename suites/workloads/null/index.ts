import { nullAxes, nullWorkload, type PointPlan } from '../../../results/schema/index.ts';
import type { WorkloadPlanning } from '../planning.ts';

/** Waits for a given time. */
export const nullPlanning: WorkloadPlanning = {
  row: nullWorkload,
  commands: [{ name: 'null', summary: 'nothing for a given time: what measuring itself adds (for tests)' }],
  options: [
    {
      name: 'waits',
      value: 'LIST',
      summary: 'How long one operation waits, ns',
      allowed: 'whole numbers, with commas',
      example: '--waits 1000,10000',
      default: '1000,10000,100000',
    },
  ],
  takesSizes: false,
  points({ words }) {
    const waits = (words.waits ?? '1000,10000,100000').split(',').map(Number);
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
