import type { PairsResult } from '../../orchestration/pairs/run.ts';
import { exitCode } from '../../results/verdicts/exit-code.ts';
import type { ParsedLine } from '../line/read.ts';
import { defaultPairSize, pairsFlags, pairsKeys } from '../options/pairs.ts';
import { printNote } from '../terminal.ts';
import type { CommandDefinition } from './command.ts';
import { drainFlag, writeDrain } from './options/drain.ts';
import { optionTable } from './options/own-options.ts';
import { sharedFlags } from './options/shared-flags.ts';

/** Default values that differ from those of measuring commands, as help shows them. */
const shown = {
  ranks: { shown: 'engine nccl: one for each GPU' },
  interface: { shown: 'route to the other hosts; on one machine lo' },
  iters: { shown: 'auto: 20 ms of the small message, 200 ms of the large one' },
};

const { size, oneAtATime, bisect } = pairsFlags;
const table = optionTable({ size, 'one-at-a-time': oneAtATime, bisect, ...drainFlag });

const taken = sharedFlags(pairsKeys, shown);

async function run({ found, said: typed, words }: ParsedLine): Promise<void> {
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
    for (const note of prepared.notes) printNote(note);
    if (options.planOnly) {
      (await import('../screens/plan.ts')).printPlan(prepared.plan, options);
      return exitCode.ok;
    }
    const [{ outputsOf }, { runTools }] = await Promise.all([
      import('../screens/run.ts'),
      import('../run-tools.ts'),
    ]);
    const ended = await measurePairs(prepared, asked, nodes, {
      ...{ out: options.out, tools: runTools },
      outputsFor: (plan, id) => outputsOf(plan, id, options),
    });
    if (said.drain !== undefined) await writeVerdicts(said.drain, ended);
    return ended.code;
  });
}

async function writeVerdicts(file: string, { record, cells, search }: PairsResult): Promise<void> {
  const [{ drainText }, { foundByPairs, foundBySearch }, { pairsOverview }] = await Promise.all([
    import('../../results/verdicts/drain.ts'),
    import('../../results/verdicts/drain-pairs.ts'),
    import('../../results/derive/index.ts'),
  ]);
  const found =
    search === null ? foundByPairs(record, pairsOverview(record.plan, cells)) : foundBySearch(record, search);
  await writeDrain(file, drainText('pairs', found));
}

export const pairs: CommandDefinition = {
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
