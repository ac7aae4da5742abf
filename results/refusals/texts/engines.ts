// Texts for engines that lack something, or that have no use for an option.
import { engineRow } from '../../schema/index.ts';
import { bytesText } from '../../units.ts';
import { cannotRunHere, invalid, type RefusalWording } from '../wording.ts';
import { nextWord } from './words.ts';

/** Returns advice for an option that an engine lacks: the --engine values that support it, or to leave the option out. */
const elsewhere = (engines: readonly string[]): string =>
  engines.length === 0 ? 'leave it out' : `allowed with --engine ${engines.join(', ')}`;

function leastCommonMultiple(a: number, b: number): number {
  let [high, low] = [Math.max(a, b), Math.min(a, b)];
  while (low > 0) [high, low] = [low, high % low];
  return (a * b) / high;
}

/**
 * Returns the next command that a refusal suggests: the same one with the first of these engines if it is built into collbench,
 * as it then runs on any machine. Otherwise `transports --explain`, which shows whether the engine can run here; none without
 * engines.
 */
const withEngine = ([engine]: readonly string[]): Pick<RefusalWording, 'next'> => {
  if (engine === undefined) return {};
  const isEverywhere = engineRow({ engine }).isEmbedded === true;
  return { next: isEverywhere ? { change: { engine } } : 'collbench transports --explain' };
};

/** Option of moe whose value a routing from a file states otherwise. */
export interface MoeFileConflict {
  where: string;
  text: string;
  option: 'tokens' | 'experts';
  names: readonly string[];
  has: readonly number[];
}

export const engineTexts = {
  'engine-lacks-collective': invalid(
    ({
      command,
      engine,
      has,
      engines,
    }: {
      command: string;
      engine: string;
      /** Names of the collectives that the engine can run. */
      has: readonly string[];
      /** Names of the engines that can run the collective. */
      engines: readonly string[];
    }) => ({
      message: `the ${engine} engine has no ${command}`,
      details: [`it has ${has.join(', ')}; ${command} is ${elsewhere(engines)}`],
      ...withEngine(engines),
    }),
  ),
  'engine-lacks-word': invalid(
    ({
      where,
      word,
      engine,
      has,
      engines,
    }: {
      where: string;
      /** The refused data type, reduction, or value of another axis, as typed. */
      word: string;
      engine: string;
      has: readonly string[];
      engines: readonly string[];
    }) => ({
      message: `${where} ${word}: the ${engine} engine has none`,
      details: [
        `allowed: ${has.join(', ')}${engines.length === 0 ? '' : `; ${word} is ${elsewhere(engines)}`}`,
      ],
      ...(engines.length === 0 ? nextWord(word, has) : withEngine(engines)),
    }),
  ),
  'job-groups': invalid(
    ({
      job,
      groups,
      ranks,
    }: {
      job: string;
      groups: readonly { size: number; stride: number }[];
      ranks: number;
    }) => {
      const least = groups.reduce((all, { size, stride }) => leastCommonMultiple(all, size * stride), 1);
      return {
        message: `job ${job} has groups of ranks, which ${ranks} ranks do not make`,
        details: [
          `its groups: ${groups.map(({ size, stride }) => (stride === 1 ? `${size} ranks in a row` : `${size} ranks, ${stride} apart`)).join('; ')}`,
          `allowed: a multiple of ${least} ranks`,
        ],
        next: { change: { ranks: String(Math.max(least, Math.ceil(ranks / least) * least)) } },
      };
    },
  ),
  'matrix-ranks': invalid(({ name, has, ranks }: { name: string; has: number; ranks: number }) => ({
    message: `matrix ${name} is for ${has} ranks, not ${ranks}`,
    details: [`allowed: ${has} ranks, or a matrix for any number of ranks: uniform, zipf:S, hot:K, diagonal`],
    next: { change: { ranks: String(has) } },
  })),
  'matrix-hot-ranks': invalid(({ hotRanks, ranks }: { hotRanks: number; ranks: number }) => ({
    message: `--matrix hot:${hotRanks} has more hot ranks than the run ranks: ${ranks}`,
    details: [`allowed: hot:1 to hot:${ranks}`],
    next: { change: { matrix: `hot:${ranks}` } },
  })),
  'matrix-too-large': invalid(({ ranks, most }: { ranks: number; most: number }) => ({
    message: `--matrix: ${ranks} ranks are too many for a traffic matrix`,
    details: [`allowed: at most ${most} ranks`],
    next: { change: { matrix: null } },
  })),
  'matrix-entry': invalid(
    ({
      name,
      bytes,
      rank,
      peer,
      dtype,
      width,
    }: {
      name: string;
      bytes: number;
      rank: number;
      peer: number;
      dtype: string;
      width: number;
    }) => ({
      message: `matrix ${name}: the ${bytes} B from rank ${rank} to rank ${peer} are no whole number of ${dtype}`,
      details: [`allowed: multiples of ${width} B, or a narrower --dtype`],
      next: { change: { dtype: 'uint8' } },
    }),
  ),
  'matrix-states-sizes': invalid(({ where }: { where: string }) => ({
    message: `${where} has no effect: a matrix file states its sizes`,
    details: ['allowed: sizes with uneven, uniform, zipf:S, hot:K and diagonal'],
    next: { change: { sizes: null, min: null, max: null, factor: null, step: null } },
  })),
  'moe-experts': invalid(
    ({ experts, ranks, near }: { experts: number; ranks: number; near: number | null }) => ({
      message: `moe: ${experts} experts do not divide by ${ranks} ranks`,
      details: ['allowed: a multiple of the number of ranks'],
      next: { change: near === null ? { ranks: String(experts) } : { experts: String(near) } },
    }),
  ),
  'moe-top-k': invalid(({ topK, experts }: { topK: number; experts: number }) => ({
    message: `moe: a token cannot go to ${topK} different experts of ${experts}`,
    details: [`allowed: --topk 1 to ${experts}`],
    next: { change: { topk: String(experts) } },
  })),
  'moe-routing': invalid(({ name, why, allowed }: { name: string; why: string; allowed: string }) => ({
    message: `routing ${name}: ${why}`,
    details: [`allowed: ${allowed}`],
    next: { change: { routing: null } },
  })),
  'moe-ranks': invalid(({ name, has, ranks }: { name: string; has: number; ranks: number }) => ({
    message: `routing ${name} is for ${has} ranks, not ${ranks}`,
    details: [`allowed: ${has} ranks, or a routing for any number of ranks: uniform, zipf:S, hot:K`],
    next: { change: { ranks: String(has) } },
  })),
  'moe-dtype': invalid(({ where, word, has }: { where: string; word: string; has: readonly string[] }) => ({
    message: `${where} ${word}: moe has none`,
    details: [`allowed: ${has.join(', ')}`],
    next: { change: { dtype: has.join(',') } },
  })),
  'moe-combined': invalid(({ where, word, has }: { where: string; word: string; has: string }) => ({
    message: `${where} ${word} has no effect: combined data are ${has}`,
    details: ['allowed: with --phase dispatch or pair'],
    next: { change: { dtype: null } },
  })),
  'moe-file-states': invalid(({ where, text, option, names, has }: MoeFileConflict) => ({
    message: `${where} ${text}: routing ${names.join(', ')} has ${option} ${has.join(', ')}`,
    details: [
      `allowed: --${option} ${has.join(', ')}, or leave it out; any number with a routing that is no file`,
    ],
    next: { change: { [option]: null } },
  })),
  'job-root': invalid(({ job, root, ranks }: { job: string; root: number; ranks: number }) => ({
    message: `job ${job} has a call with root ${root}; ${ranks} ranks have none of that number`,
    details: [`allowed: at least ${root + 1} ranks`],
    next: { change: { ranks: String(root + 1) } },
  })),
  'kv-ranks': invalid(({ prefill, decode, ranks }: { prefill: number; decode: number; ranks: number }) => ({
    message: `--tp ${prefill}:${decode} needs ${prefill + decode} ranks; there are ${ranks}`,
    details: ['allowed: ranks of prefill and of decode whose sum is the number of ranks'],
    next: { change: { ranks: String(prefill + decode) } },
  })),
  'kv-heads': invalid(
    ({
      model,
      heads,
      side,
      ranks,
      typed,
    }: {
      model: string;
      heads: number;
      side: 'prefill' | 'decode';
      ranks: number;
      /** True if the ranks of both sides were typed. */
      typed: boolean;
    }) => {
      const divisors = Array.from({ length: heads }, (_, i) => i + 1).filter((one) => heads % one === 0);
      const below = divisors.findLast((one) => one <= ranks) ?? 1;
      return {
        message: `${model} has ${heads === 1 ? '1 KV head' : `${heads} KV heads`}, which ${ranks} ${side} ranks cannot share equally`,
        details: [`allowed ranks on each side: ${divisors.join(', ')}`],
        next: { change: { ...(typed ? { tp: `${below}:${below}` } : {}), ranks: String(2 * below) } },
      };
    },
  ),
  'engine-lacks-load': invalid(
    ({
      where,
      word,
      engine,
      has,
      engines,
    }: {
      where: string;
      /** The load as typed: "traffic:2". */
      word: string;
      engine: string;
      has: readonly string[];
      engines: readonly string[];
    }) => ({
      message: `${where} ${word}: the ${engine} engine has no such load`,
      details: [
        `${has.length === 0 ? 'it has none' : `it has ${has.join(', ')}`}; ${word} is ${elsewhere(engines)}`,
      ],
      ...withEngine(engines),
    }),
  ),
  'load-over-cores': cannotRunHere(
    ({
      word,
      name,
      host,
      cores,
      ranks,
      most,
    }: {
      word: string;
      name: string;
      host: string;
      cores: number;
      ranks: number;
      most: number;
    }) => ({
      message: `--beside ${word}: ${host} has ${cores} cores for ${ranks} ranks`,
      details: [`allowed: 1 to ${most} threads for each rank; ${name} alone is as many as usual`],
      next: { change: { beside: `${name}:${most}` } },
    }),
  ),
  'engine-lacks-skew': invalid(
    ({ where, engine, engines }: { where: string; engine: string; engines: readonly string[] }) => ({
      message: `${where}: the ${engine} engine cannot make ranks late`,
      details: [
        'its operations do not start on the host, so no delay can be put before one',
        elsewhere(engines),
      ],
      ...withEngine(engines),
    }),
  ),
  'traffic-of-one-rank': invalid(({ where }: { where: string }) => ({
    message: `${where} traffic: one rank has no other to send to`,
    details: ['allowed: 2 ranks or more'],
    next: { change: { ranks: '2' } },
  })),
  'transport-lacks-word': invalid(
    ({
      where,
      word,
      transport,
      has,
      over,
    }: {
      where: string;
      /** The refused value of an axis, as typed. */
      word: string;
      transport: string;
      has: readonly string[];
      /** Names of the transports over which this value can be measured. */
      over: readonly string[];
    }) => ({
      message: `${where} ${word}: not over ${transport}`,
      details: [
        `allowed: ${has.length === 0 ? 'nothing' : has.join(', ')} over ${transport}; ${word} with --transport ${over.join(', ')}`,
      ],
      next: { change: { transport: over[0] ?? null } },
    }),
  ),
  'option-of-other-engine': invalid(
    ({
      where,
      engine,
      owner,
      instead,
      isChosen,
    }: {
      where: string;
      engine: string;
      owner: string;
      /** Option of this engine that has the same effect as the refused one; null if there is none. */
      instead: string | null;
      /** True if the user named the engine; false if the default was used. */
      isChosen: boolean;
    }) => ({
      message: `${where} has no effect with --engine ${engine}`,
      details: [
        `it is for --engine ${owner}: ${instead !== null ? `use ${instead}` : isChosen ? 'leave it out' : `add --engine ${owner}`}`,
      ],
    }),
  ),
  'agent-lacks': cannotRunHere(
    ({
      host,
      version,
      engine,
      what,
    }: {
      host: string;
      version: string;
      engine: string;
      /** The refused workload, or the refused axis with its value. */
      what: string;
    }) => ({
      message: `the agent on ${host} (version ${version}) offers no ${what} with the ${engine} engine`,
      details: [
        'this collbench does: the agent is of another build',
        'use the agent of this build on all hosts',
      ],
    }),
  ),
  'tuning-unreadable': cannotRunHere(({ file, why }: { file: string; why: string }) => ({
    message: `tuning table ${file}: ${why}`,
    details: ['allowed: a file that collbench tune wrote'],
    next: { change: { tuning: 'off' } },
  })),
  'tune-plugin': invalid(({ plugin }: { plugin: string }) => ({
    message: `tune: --transport ${plugin}: a tuning table holds transports of collbench itself`,
    details: ['allowed: socket, sisci, ibgda'],
  })),
  'tune-collective': invalid(({ word, known }: { word: string; known: readonly string[] }) => ({
    message: `tune: ${word} has no algorithms to choose between`,
    details: [`allowed: ${known.join(', ')}`],
  })),
  'host-memory': cannotRunHere(
    ({
      needs,
      ranks,
      host,
      has,
      max,
    }: {
      needs: number;
      ranks: number;
      host: string;
      has: number;
      /** Largest value of --max whose buffers fit into memory; null if no size fits. */
      max: string | null;
    }) => ({
      message: `the largest size needs ${bytesText(needs)} for ${ranks} ranks on ${host}, which has ${bytesText(has)}`,
      details: [
        'allowed: buffers of the ranks of a host within 90 % of its memory, or of what its container or job may take',
        ...(max === null ? ['use smaller sizes or fewer --ranks'] : []),
      ],
      ...(max === null ? {} : { next: { change: { max } } }),
    }),
  ),
};
