import { listening } from '../../orchestration/running/output.ts';
import type { CellRecord, RunRecord } from '../../results/schema/index.ts';
import { harmless } from '../../results/text.ts';
import { exitCode } from '../../results/verdicts/exit-code.ts';
import type { Line } from '../line/read.ts';
import { defaultPairSize, pairsFlags, pairsKeys } from '../options/pairs.ts';
import type { outputsOf } from '../screens/run.ts';
import type { Command } from './command.ts';
import { borrowed } from './options/borrowed.ts';
import { drainFlag, writeDrain } from './options/drain.ts';
import { optionTable } from './options/own-options.ts';

/** Where something else is chosen than by the collectives. */
const shown = {
  ranks: { shown: 'engine nccl: one for each GPU' },
  interface: { shown: 'route to the other hosts; on one machine lo' },
  iters: { shown: 'auto: 20 ms of the small message, 200 ms of the large one' },
};

const { size, oneAtATime, bisect } = pairsFlags;
const table = optionTable({ size, 'one-at-a-time': oneAtATime, bisect, ...drainFlag });

const taken = borrowed(pairsKeys, shown);

async function run({ found, said: typed, words }: Line): Promise<void> {
  const said = table.read(found);
  const asked = {
    size: said.size ?? defaultPairSize,
    oneAtATime: said['one-at-a-time'],
    bisect: said.bisect ?? null,
  };
  const [{ fitToPairs, fixedOptions }, { measurePairs, withPairsPrepared }] = await Promise.all([
    import('../../orchestration/pairs/options.ts'),
    import('../../orchestration/pairs/run.ts'),
  ]);
  const options = { ...taken.all(found), ...fixedOptions };
  fitToPairs(options, asked, typed);
  process.exitCode = await withPairsPrepared(options, asked, words, async (prepared, nodes) => {
    for (const note of prepared.notes) process.stderr.write(`collbench: ${note}\n`);
    if (options.planOnly) {
      (await import('../screens/plan.ts')).printPlan(prepared.plan, options);
      return exitCode.ok;
    }
    const [{ outputsOf }, { runTools }] = await Promise.all([
      import('../screens/run.ts'),
      import('../run-tools.ts'),
    ]);
    const outputsFor = (plan: typeof prepared.plan, id: string) => outputsOf(plan, id, options);
    const ended: Ended[] = [];
    const code = await measurePairs(prepared, asked, nodes, {
      ...{ out: options.out, tools: runTools },
      outputsFor: (plan, id) => withEnd(outputsFor(plan, id), (end) => ended.push(end)),
    });
    if (said.drain !== undefined) await tellDrain(said.drain, ended);
    return code;
  });
}

type Outputs = ReturnType<typeof outputsOf>;
type Ended = { record: RunRecord; cells: readonly CellRecord[] };

/** The same, and who hears of the end as well. */
function withEnd(own: Outputs, hear: (ended: Ended) => void): Outputs {
  const silent = listening({ note: () => undefined, progress: () => undefined });
  return {
    ...own,
    outputs: [...own.outputs, { ...silent, end: (cells, record) => hear({ record, cells }) }],
  };
}

async function tellDrain(file: string, ended: readonly Ended[]): Promise<void> {
  const [{ drainText, failingInPairs }, { pairsOverview }] = await Promise.all([
    import('../../results/verdicts/drain.ts'),
    import('../../results/derive/index.ts'),
  ]);
  const found = ended.map(({ record, cells }) => failingInPairs(record, pairsOverview(record.plan, cells)));
  for (const pair of found.flatMap((one) => one.pairs)) {
    process.stderr.write(harmless(`collbench: not in --drain, either node may be the cause: ${pair}\n`));
  }
  await writeDrain(
    file,
    drainText(
      'pairs',
      found.flatMap(({ failing }) => failing),
    ),
  );
}

export const pairs: Command = {
  name: 'pairs',
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
  flags: [...taken.flags, ...table.flags],
  epilogue:
    'Exit codes: 0 no outlier, 4 a host, a pair or a ring is an outlier (or --bisect found one), 5 no verdict: too few hosts, 2 something did not run, 3 wrong data. --drain does not change the code; its file is written once the run has ended, with each of these codes',
  handler: run,
};
