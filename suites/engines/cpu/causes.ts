import type { LateRank } from '../../../results/explain/late-rank.ts';
import { isCollective } from '../../../results/schema/index.ts';
import { formatTime } from '../../../results/units.ts';
import { algorithmCause } from '../../explain/algorithm-cause.ts';
import type { CauseRow } from '../../explain/causes.ts';
import { machineCauses } from '../../explain/machine-causes.ts';
import { networkCauses, streamsCause } from '../../explain/network-causes.ts';
import { placementCause } from '../../explain/placement-cause.ts';
import { algorithmsFor } from '../named-series.ts';
import { cpuAlgorithms, forPowersOfTwo } from './algorithms.ts';
import { divisibleCollectives, maxChannels } from './channels.ts';

const counts = [1, 2, 4, 8, 16];

/**
 * Possible causes of lost time in the cpu engine, with their experiments. Causes that no recorded figure speaks for are tried in
 * this order.
 */
export const cpuCauses: readonly CauseRow[] = [
  ...networkCauses,
  algorithmCause(
    (collective, { ranks }) =>
      algorithmsFor(cpuAlgorithms, collective).filter(
        (name) => forPowersOfTwo[name]?.includes(collective) !== true || Number.isInteger(Math.log2(ranks)),
      ),
    { algo: null, tuning: 'off' },
  ),
  {
    id: 'protocol',
    title: 'the protocol',
    interventions({ command, options: { proto = 'auto' } }) {
      if (!isCollective(command)) return { absent: `${command} has no protocol to choose` };
      const others = ['auto', 'simple', 'll'].filter((name) => name !== proto);
      return { changes: others.map((name) => ({ title: `protocol ${name}`, change: { proto: name } })) };
    },
  },
  {
    id: 'threads',
    title: 'the number of threads of a rank',
    interventions({ command, options: { channels = '1' } }, { cpus, ranks }) {
      if (!divisibleCollectives.includes(command))
        return { absent: `one thread of a rank sends the messages of ${command}` };
      const fitting = counts.filter((n) => n <= maxChannels && n * ranks <= cpus && String(n) !== channels);
      if (fitting.length === 0) return { reason: `${ranks} ranks use all ${cpus} CPUs; needs more CPUs` };
      return {
        changes: fitting.map((n) => ({
          title: `${n} ${n === 1 ? 'thread' : 'threads'} per rank`,
          change: { channels: String(n) },
        })),
      };
    },
  },
  streamsCause,
  placementCause,
  {
    id: 'link',
    title: 'the link of the emulated adapter',
    interventions({ medium, options: { link } }) {
      if (medium !== 'emulated' || link === undefined || link === 'none')
        return { absent: 'no emulated link paces the messages' };
      return { changes: [{ title: 'an emulated adapter without a link model', change: { link: 'none' } }] };
    },
  },
  {
    id: 'sampler',
    title: "collbench's samples of the system load",
    interventions: ({ options }) =>
      options.sampleInterval === 'off'
        ? { absent: 'it is off' }
        : { changes: [{ title: 'no samples of the system load', change: { sampleInterval: 'off' } }] },
  },
  {
    id: 'arrival',
    title: 'late arrival of a rank',
    stops: true,
    suspicion: ({ options: { skew, skewRank = '0' }, lateRank }) => {
      if (skew !== undefined) return { share: 1, text: `--skew ${skew} delays ${ranksText(skewRank)}` };
      return lateRank == null ? null : { share: lateRank.times / lateRank.of, text: lateText(lateRank) };
    },
    interventions({ options: { skew, skewRank = '0' }, lateRank }) {
      if (skew !== undefined) {
        const title = `${skewRank === 'all' ? 'all ranks' : ranksText(skewRank)} on time`;
        return { changes: [{ title, change: { skew: null, skewRank: null } }] };
      }
      // No change of the command makes the rank arrive in time. Operations that all ranks start together show what its lateness
      // costs.
      if (lateRank != null)
        return {
          changes: [{ title: `rank ${lateRank.rank} on time`, change: {}, filter: 'common-start' }],
        };
      return { absent: 'no rank starts last more often than others' };
    },
  },
  ...machineCauses,
];

const lateText = ({ rank, times, of, meanNs }: LateRank): string =>
  `rank ${rank} starts last in ${times} of ${of} samples in which ranks start apart, ${formatTime(meanNs)} after the first`;

/** Text for the ranks that the option --skew-rank names: "rank 2", "a random rank", or "ranks one after the other" for `all`. */
function ranksText(skewRank: string): string {
  if (skewRank === 'all') return 'ranks one after the other';
  return skewRank === 'random' ? 'a random rank' : `rank ${skewRank}`;
}
