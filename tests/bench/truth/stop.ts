// Coverage of reported figures if sampling itself decides when they are precise enough. Uses the real rule with simulated
// samples.
import { median } from 'simple-statistics';
import { medianInterval, sequentialZ } from '../../../results/derive/statistics/interval.ts';
import { goalOf, LaunchSampling } from '../../../suites/sampler/launch.ts';
import type { IntervalCoverage } from './coverage.ts';
import { profiles, sampleSource, trueMedian } from './profiles.ts';
import { RandomDraws, shareOf } from './random.ts';

const halfQuantumNs = 0.5;
/** Number of samples of the first and of later blocks, for short operations and for operations of 1 ms. */
const blocks = [
  { name: 'blocks of 25 and 100', first: 25, later: 100, isShort: true },
  { name: 'blocks of 25', first: 25, later: 25, isShort: false },
];

/** One launch per case, with a target precision. */
export function simulateStops(repetitions: number): IntervalCoverage[] {
  return [0.01, 0.02].flatMap((precision) =>
    blocks.flatMap(({ name, first, later, isShort }) =>
      profiles.map((profile): IntervalCoverage => {
        const draws = new RandomDraws(20260106 + later + Math.round(1000 * precision));
        const truth = trueMedian(profile);
        let hits = 0;
        const widths: number[] = [];
        for (let i = 0; i < repetitions; i += 1) {
          const launch = new LaunchSampling();
          const next = sampleSource(profile, draws);
          for (let taken = first; launch.ended === null; taken = later) {
            const ns = Array.from({ length: taken }, () => next());
            launch.add(ns, taken);
            launch.judge(goalOf(precision, 1), halfQuantumNs, isShort);
          }
          const { ns, blocks: sizes } = launch.series;
          const interval = medianInterval(ns, halfQuantumNs, sizes, sequentialZ);
          if (interval === null) continue;
          if (interval.low <= truth && truth <= interval.high) hits += 1;
          widths.push((interval.high - interval.low) / 2 / interval.median);
        }
        return {
          what: `${profile.name}, until ${precision * 100} %, ${name}`,
          covered: shareOf(hits, widths.length),
          halfWidth: median(widths),
        };
      }),
    ),
  );
}
