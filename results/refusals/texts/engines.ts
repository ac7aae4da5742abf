// Refusal messages about engines that lack a feature, or to which an option does not apply.
import { engineRow } from '../../schema/index.ts';
import { bytesText } from '../../units.ts';
import { cannotRunHere, invalid, type RefusalWording } from '../wording.ts';
import { nextWord } from './words.ts';

/**
 * Returns advice for an option that an engine does not support: "allowed with --engine nccl, mpi" with the engines that support
 * it (`engines`), or "leave it out" if there are none.
 */
const elsewhere = (engines: readonly string[]): string =>
  engines.length === 0 ? 'leave it out' : `allowed with --engine ${engines.join(', ')}`;

function leastCommonMultiple(a: number, b: number): number {
  let [high, low] = [Math.max(a, b), Math.min(a, b)];
  while (low > 0) [high, low] = [low, high % low];
  return (a * b) / high;
}

/**
 * Returns the next command that a refusal suggests; only the first of the engines counts. If it is built into collbench, it runs
 * on any machine, so the command is the refused one with this engine. Otherwise it is `transports --explain`, which shows whether
 * the engine can run on this machine. Without engines no command is suggested.
 */
const withEngine = ([engine]: readonly string[]): Pick<RefusalWording, 'next'> => {
  if (engine === undefined) return {};
  const isEverywhere = engineRow({ engine }).isEmbedded === true;
  return { next: isEverywhere ? { change: { engine } } : 'collbench transports --explain' };
};

/**
 * A value of an option of the workload moe that contradicts the routing read from a file. `where`, `text`: the option and its
 * value as typed; `option`: its long name. `names`: names of the routing files; `has`: numbers of tokens or experts in these
 * files.
 */
export interface MoeFileConflict {
  where: string;
  text: string;
  option: 'tokens' | 'experts';
  names: readonly string[];
  has: readonly number[];
}

export const engineTexts = {
  'engine-lacks-collective': invalid(
    (values: {
      command: string;
      engine: string;
      /** Names of the collectives that the engine can run. */
      has: readonly string[];
      /** Names of the engines that can run the collective. */
      engines: readonly string[];
    }) => ({
      message: `the ${values.engine} engine has no ${values.command}`,
      details: [`it has ${values.has.join(', ')}; ${values.command} is ${elsewhere(values.engines)}`],
      ...withEngine(values.engines),
    }),
  ),
  'engine-lacks-word': invalid(
    (values: {
      where: string;
      /** The refused data type, reduction, or value of another axis, as typed. */
      word: string;
      engine: string;
      has: readonly string[];
      engines: readonly string[];
    }) => ({
      message: `${values.where} ${values.word}: the ${values.engine} engine has none`,
      details: [
        `allowed: ${values.has.join(', ')}${values.engines.length === 0 ? '' : `; ${values.word} is ${elsewhere(values.engines)}`}`,
      ],
      ...(values.engines.length === 0 ? nextWord(values.word, values.has) : withEngine(values.engines)),
    }),
  ),
  'job-groups': invalid(
    (values: { job: string; groups: readonly { size: number; stride: number }[]; ranks: number }) => {
      const least = values.groups.reduce(
        (all, { size, stride }) => leastCommonMultiple(all, size * stride),
        1,
      );
      return {
        message: `job ${values.job} has groups of ranks, which ${values.ranks} ranks do not make`,
        details: [
          `its groups: ${values.groups.map(({ size, stride }) => (stride === 1 ? `${size} ranks in a row` : `${size} ranks, ${stride} apart`)).join('; ')}`,
          `allowed: a multiple of ${least} ranks`,
        ],
        next: { change: { ranks: String(Math.max(least, Math.ceil(values.ranks / least) * least)) } },
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
    (values: { name: string; bytes: number; rank: number; peer: number; dtype: string; width: number }) => ({
      message: `matrix ${values.name}: the ${values.bytes} B from rank ${values.rank} to rank ${values.peer} are no whole number of ${values.dtype}`,
      details: [`allowed: multiples of ${values.width} B, or a narrower --dtype`],
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
  'workload-lacks-dtype': invalid(
    (values: { where: string; word: string; command: string; has: readonly string[] }) => ({
      message: `${values.where} ${values.word}: ${values.command} has none`,
      details: [`allowed: ${values.has.join(', ')}`],
      next: { change: { dtype: values.has.join(',') } },
    }),
  ),
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
    (values: {
      model: string;
      heads: number;
      side: 'prefill' | 'decode';
      ranks: number;
      /** True if the user typed the numbers of ranks of both sides, prefill and decode, with --tp. */
      typed: boolean;
    }) => {
      const divisors = Array.from({ length: values.heads }, (_, i) => i + 1).filter(
        (one) => values.heads % one === 0,
      );
      const below = divisors.findLast((one) => one <= values.ranks) ?? 1;
      return {
        message: `${values.model} has ${values.heads === 1 ? '1 KV head' : `${values.heads} KV heads`}, which ${values.ranks} ${values.side} ranks cannot share equally`,
        details: [`allowed ranks on each side: ${divisors.join(', ')}`],
        next: { change: { ...(values.typed ? { tp: `${below}:${below}` } : {}), ranks: String(2 * below) } },
      };
    },
  ),
  'engine-lacks-load': invalid(
    (values: {
      where: string;
      /** The refused kind of load, as typed after --beside: "traffic:2". */
      word: string;
      engine: string;
      has: readonly string[];
      engines: readonly string[];
    }) => ({
      message: `${values.where} ${values.word}: the ${values.engine} engine has no such load`,
      details: [
        `${values.has.length === 0 ? 'it has none' : `it has ${values.has.join(', ')}`}; ${values.word} is ${elsewhere(values.engines)}`,
      ],
      ...withEngine(values.engines),
    }),
  ),
  'load-over-cores': cannotRunHere(
    (values: { word: string; name: string; host: string; cores: number; ranks: number; most: number }) => ({
      message: `--beside ${values.word}: ${values.host} has ${values.cores} cores for ${values.ranks} ranks`,
      details: [
        `allowed: 1 to ${values.most} threads for each rank; ${values.name} alone is as many as usual`,
      ],
      next: { change: { beside: `${values.name}:${values.most}` } },
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
    (values: {
      where: string;
      /** The refused value of an axis, as typed. */
      word: string;
      transport: string;
      has: readonly string[];
      /** Names of the transports over which a measurement with this value is possible. */
      over: readonly string[];
    }) => ({
      message: `${values.where} ${values.word}: not over ${values.transport}`,
      details: [
        `allowed: ${values.has.length === 0 ? 'nothing' : values.has.join(', ')} over ${values.transport}; ${values.word} with --transport ${values.over.join(', ')}`,
      ],
      next: { change: { transport: values.over[0] ?? null } },
    }),
  ),
  'option-of-other-engine': invalid(
    (values: {
      where: string;
      engine: string;
      owner: string;
      /** True if the user named the engine in use with --engine; false if it is the default. */
      isChosen: boolean;
    }) => ({
      message: `${values.where} has no effect with --engine ${values.engine}`,
      details: [
        `it is for --engine ${values.owner}: ${values.isChosen ? 'leave it out' : `add --engine ${values.owner}`}`,
      ],
    }),
  ),
  'agent-lacks': cannotRunHere(
    (values: {
      host: string;
      version: string;
      engine: string;
      /** Name of the workload that the agent lacks, or the axis and the value that it lacks, with a blank: "dtype bfloat16". */
      what: string;
    }) => ({
      message: `the agent on ${values.host} (version ${values.version}) offers no ${values.what} with the ${values.engine} engine`,
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
    (values: {
      needs: number;
      ranks: number;
      host: string;
      has: number;
      /** Largest value of --max whose buffers fit into memory; null if no size fits, or if the sizes are listed with --sizes. */
      max: string | null;
    }) => ({
      message: `the largest size needs ${bytesText(values.needs)} for ${values.ranks} ranks on ${values.host}, which has ${bytesText(values.has)}`,
      details: [
        'allowed: buffers of the ranks of a host within 90 % of its memory, or of what its container or job may take',
        ...(values.max === null ? ['use smaller sizes or fewer --ranks'] : []),
      ],
      ...(values.max === null ? {} : { next: { change: { max: values.max } } }),
    }),
  ),
};
