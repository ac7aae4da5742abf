import {
  type CollectiveName,
  collectives,
  isCollective,
  nothingFixed,
} from '../../../results/schema/index.ts';
import type { RejectedChoice, SeriesChoice } from '../series-choice.ts';

/**
 * NCCL's algorithms, keyed by the value of --algo: name in NCCL_ALGO, whether only protocol Simple works, and the collectives that
 * have the algorithm. Source: nccl, src/graph/tuning.cc.
 */
const algorithms = {
  ring: { name: 'Ring', simpleOnly: false, for: 'all' },
  tree: { name: 'Tree', simpleOnly: false, for: ['allreduce'] },
  collnetdirect: {
    name: 'CollNetDirect',
    simpleOnly: true,
    for: ['allreduce', 'allgather', 'reducescatter'],
  },
  collnetchain: { name: 'CollNetChain', simpleOnly: true, for: ['allreduce'] },
  nvls: { name: 'NVLS', simpleOnly: true, for: ['allreduce', 'allgather', 'reducescatter'] },
  nvlstree: { name: 'NVLSTree', simpleOnly: true, for: ['allreduce'] },
  pat: { name: 'PAT', simpleOnly: true, for: ['allgather', 'reducescatter'] },
} as const satisfies Record<
  string,
  { name: string; simpleOnly: boolean; for: 'all' | readonly CollectiveName[] }
>;

type NcclAlgorithm = keyof typeof algorithms;
/** Values of --algo for the nccl engine; `auto` leaves the choice to NCCL. */
export const ncclAlgorithmNames = ['auto', ...(Object.keys(algorithms) as NcclAlgorithm[])] as const;
export const ncclProtocolNames = ['auto', 'LL', 'LL128', 'Simple'] as const;
export type NcclAlgorithmName = (typeof ncclAlgorithmNames)[number];
export type NcclProtocolName = (typeof ncclProtocolNames)[number];

const isOwn = (word: string): word is NcclAlgorithmName => ncclAlgorithmNames.some((own) => own === word);

const has = (algorithm: NcclAlgorithm, collective: CollectiveName): boolean => {
  const known: 'all' | readonly CollectiveName[] = algorithms[algorithm].for;
  return known === 'all' || known.includes(collective);
};

/** Name and reason of a combination of algorithm and protocol with which NCCL cannot run this collective; null if it can. */
function refusal(
  collective: CollectiveName,
  algorithm: NcclAlgorithmName,
  protocol: NcclProtocolName,
): RejectedChoice | null {
  if (algorithm === 'auto') return null;
  if (!has(algorithm, collective)) {
    const others = (Object.keys(algorithms) as NcclAlgorithm[]).filter((other) => has(other, collective));
    return { name: algorithm, reason: `NCCL has none for ${collective}, only ${others.join(', ')}` };
  }
  if (algorithms[algorithm].simpleOnly && !['auto', 'Simple'].includes(protocol)) {
    return { name: `${algorithm} with ${protocol}`, reason: `${algorithm} runs Simple only` };
  }
  return null;
}

/**
 * Makes a series for every combination of a requested algorithm and protocol, in the given order.
 * @param words algorithm names of --algo, also of other engines
 * @param protos protocol names of --proto
 * @returns `leftOut` has the names of other engines and the combinations that NCCL does not have, with the reasons; for a command
 * that NCCL makes of sends and receives, all but auto with auto. If the user typed "all" algorithms, names of other engines are
 * ignored
 */
export function seriesOf(
  command: string,
  words: readonly string[],
  protos: readonly NcclProtocolName[],
): { series: SeriesChoice[]; leftOut: RejectedChoice[] } {
  const series: SeriesChoice[] = [];
  const leftOut: RejectedChoice[] = [];
  // If all names of this engine were requested, the user typed "all", and names of other engines are ignored.
  const isAll = ncclAlgorithmNames.every((word) => words.includes(word));
  for (const name of words.filter((one) => !isOwn(one) && !isAll)) {
    leftOut.push({ name, reason: 'an algorithm of another engine, not of NCCL' });
  }
  for (const algo of words.filter(isOwn)) {
    for (const proto of protos) {
      const isFree = algo === 'auto' && proto === 'auto';
      const words = [algo, proto].filter((word) => word !== 'auto');
      const rejected =
        !isFree && (!isCollective(command) || collectives[command].isPlain)
          ? {
              name: words.join('/'),
              reason: `${command} is made of sends and receives: NCCL chooses no algorithm`,
            }
          : isCollective(command)
            ? refusal(command, algo, proto)
            : null;
      if (rejected !== null) {
        leftOut.push(rejected);
        continue;
      }
      series.push({
        fixed: { ...nothingFixed, choice: words },
        settings: isFree
          ? undefined
          : {
              ...(algo === 'auto' ? {} : { algo: algorithms[algo].name }),
              ...(proto === 'auto' ? {} : { proto }),
            },
      });
    }
  }
  return { series, leftOut };
}
