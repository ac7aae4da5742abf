import type { LateRank } from '../../../results/explain/late-rank.ts';
import { isCollective } from '../../../results/schema/index.ts';
import { formatTime } from '../../../results/units.ts';
import type { CauseRow } from '../../explain/causes.ts';
import { machineCauses } from '../../explain/machine-causes.ts';
import { networkCauses } from '../../explain/network-causes.ts';
import type { Intervention } from '../../explain/variants.ts';
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
  {
    id: 'algorithm',
    title: 'the algorithm',
    interventions({ command, ranks, algorithm, options }) {
      if (!isCollective(command)) return { absent: `${command} has no algorithm to choose` };
      const names = algorithmsFor(cpuAlgorithms, command).filter(
        (name) => forPowersOfTwo[name]?.includes(command) !== true || Number.isInteger(Math.log2(ranks)),
      );
      const others = names.filter((name) => name !== algorithm);
      if (others.length === 0) return { absent: `${command} has one algorithm` };
      const forced = options.algo !== undefined && options.algo !== 'auto';
      return {
        changes: [
          ...(forced
            ? [{ title: "the engine's choice of algorithm", change: { algo: null, tuning: 'off' } }]
            : []),
          ...others.map((name) => ({ title: `algorithm ${name}`, change: { algo: name } })),
        ],
      };
    },
  },
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
  {
    id: 'streams',
    title: 'the number of TCP connections',
    interventions({ transport, options: { streams } }) {
      if (transport !== 'socket') return { absent: 'only sockets have streams' };
      const others = counts.slice(0, 4).filter((n) => String(n) !== streams);
      return {
        changes: [
          ...(streams === undefined
            ? []
            : [{ title: 'streams as collbench chooses', change: { streams: null } }]),
          ...others.map((n) => ({
            title: n === 1 ? 'one TCP connection' : `${n} TCP connections`,
            change: { streams: String(n) },
          })),
        ],
      };
    },
  },
  {
    id: 'placement',
    title: 'the placement of ranks on CPUs',
    interventions({ options: { bind } }, { cpus, ranks }) {
      if (cpus < ranks) return { reason: `${ranks} ranks share ${cpus} CPUs; needs a CPU for each rank` };
      const changes: Intervention[] = [];
      if (bind !== undefined && bind !== 'core')
        changes.push({ title: 'a core for each rank', change: { bind: 'core' } });
      if (bind !== 'none') changes.push({ title: 'ranks not bound', change: { bind: 'none' } });
      return { changes };
    },
  },
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
