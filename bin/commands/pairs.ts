import type { PairThreshold } from '../../orchestration/pairs/options.ts';
import type { PairsResult } from '../../orchestration/pairs/run.ts';
import type { DrainResult } from '../../results/verdicts/drain.ts';
import { exitCode } from '../../results/verdicts/exit-code.ts';
import { type OptionValues, switchOption } from '../../suites/options/option.ts';
import { size, sizeAllowed, ValueError } from '../../suites/options/values.ts';
import type { ParsedLine } from '../line/read.ts';
import { hostKeys, type OptionKey, withDefaults } from '../options/index.ts';
import { printNote } from '../terminal.ts';
import { defineCommand } from './command.ts';
import { drainOptions, drainWriter, sharedOptions } from './options.ts';

/** Keys of the measuring commands' options that the command `pairs` also has, in the order of help. */
export const pairsKeys = [
  ...hostKeys,
  'ranks',
  'engine',
  'transport',
  'interface',
  'streams',
  'sisciLibrary',
  'ibgdaQueue',
  'link',
  'nccl',
  'gpus',
  'iters',
  'warmup',
  'check',
  'timeout',
  'seed',
  'out',
  'json',
  'planOnly',
] as const satisfies readonly OptionKey[];

/** Lowest value of --size in bytes: allgather moves one 4-byte element of each of the two ranks of a pair. */
const minSize = 8;

function badWhen(text: string): PairThreshold {
  const word = text.trim();
  if (word === 'fails' || word === 'wrong') return { kind: word };
  const [, kind, number] = /^(GBps\s*<|[u\u00b5\u03bc]s\s*>)\s*(\d+(?:\.\d+)?)$/.exec(word) ?? [];
  const limit = Number(number);
  if (kind === undefined || !(limit > 0)) throw new ValueError('not understood');
  return { kind: kind.startsWith('GBps') ? 'GBps' : 'us', limit };
}

/** Table of the options that only the command `pairs` has: message size, one pair at a time, search for a failing host. */
export const pairsOptions = {
  size: {
    value: 'SIZE',
    default: 16 * 2 ** 20,
    defaultDescription: '16M',
    allowed: `${sizeAllowed}; a multiple of ${minSize}`,
    describe: 'Message size for bandwidth; latency is measured with 8 bytes.',
    example: '--size 64M',
    coerce: (text: string): number => {
      const bytes = size(text);
      if (bytes < minSize || bytes % minSize !== 0) throw new ValueError('not whole elements for two');
      return bytes;
    },
  },
  oneAtATime: {
    ...switchOption,
    defaultDescription: 'off: the pairs of a round at the same time',
    describe: 'One pair at a time: slower, but without traffic of other pairs.',
    example: '--one-at-a-time',
  },
  bisect: {
    value: 'WHEN',
    defaultDescription: 'off',
    allowed:
      'when a run is bad: fails (an error, or --timeout), wrong (data), GBps<9.5 (bus bandwidth), us>500 (time)',
    describe: 'Find the host that breaks a large run, by measuring halves of the hosts.',
    example: "--bisect 'GBps<9.5'",
    coerce: (text: string): { text: string; when: PairThreshold } => ({ text, when: badWhen(text) }),
  },
};

/** Texts about defaults of `pairs` that replace those of the measuring commands, by option. */
const shown = {
  ranks: { defaultDescription: 'engine nccl: one for each GPU' },
  interface: { defaultDescription: 'route to the other hosts; on one machine lo' },
  iters: { defaultDescription: 'auto: 20 ms of the small message, 200 ms of the large one' },
};

const options = { ...sharedOptions(pairsKeys, shown), ...pairsOptions, ...drainOptions };

async function run(values: OptionValues<typeof options>, line: ParsedLine): Promise<void> {
  const { size, oneAtATime, bisect = null } = values;
  const asked = { size, oneAtATime, bisect };
  const { fitToPairs, fixedOptions } = await import('../../orchestration/pairs/options.ts');
  const { measurePairs, withPairsPrepared } = await import('../../orchestration/pairs/run.ts');
  const measured = { ...withDefaults(line.values), ...fixedOptions };
  fitToPairs(measured, asked, line.said);
  const writeDrain = await drainWriter('pairs', values, measured);
  process.exitCode = await withPairsPrepared(measured, asked, line.words, async (prepared, nodes) => {
    for (const note of prepared.notes) printNote(note);
    if (measured.planOnly) {
      (await import('../screens/plan.ts')).printPlan(prepared.plan, measured);
      return exitCode.ok;
    }
    const { outputsOf } = await import('../screens/run.ts');
    const { runTools } = await import('../run-tools.ts');
    const ended = await measurePairs(prepared, asked, nodes, {
      ...{ out: measured.out, tools: runTools },
      outputsFor: (plan, id) => outputsOf(plan, id, measured),
    });
    if (writeDrain !== null) await writeDrain(await drainResultOf(ended));
    return ended.code;
  });
}

async function drainResultOf({ record, cells, search }: PairsResult): Promise<DrainResult> {
  const { foundByPairs, foundBySearch } = await import('../../results/verdicts/drain-pairs.ts');
  const { pairsOverview } = await import('../../results/derive/index.ts');
  return search === null
    ? foundByPairs(record, pairsOverview(record.plan, cells))
    : foundBySearch(record, search);
}

export const pairs = defineCommand({
  command: 'pairs',
  describe: 'Find the slow host, cable or path: measure all pairs of hosts, and a ring that grows.',
  examples: [
    ['collbench pairs --hosts gpu[01-08]', 'all pairs, disjoint ones at the same time'],
    [
      'collbench pairs --hosts gpu[01-08]:2 --engine nccl',
      'two GPUs of each host, paired with those of all others',
    ],
    ['collbench pairs --hosts gpu[01-32] --size 64M --one-at-a-time', 'no other traffic at the same time'],
    ["collbench pairs --hosts gpu[01-32] --bisect 'GBps<9.5'", 'which host makes a run of all slow'],
    ['collbench pairs --hosts gpu[01-32] --bisect fails --timeout 20', 'which host breaks a run of all'],
    ['collbench pairs --engine nccl', 'all pairs of GPUs of this machine'],
  ],
  options,
  epilogue:
    'Exit codes: 0 no outlier, 4 a host, a pair or a ring is an outlier (or --bisect found one), 5 no verdict: too few hosts, 2 something did not run, 3 wrong data. --drain does not change the code; its file is written once the run has ended, with each of these codes',
  handler: run,
});
