import type { Options as YargsOptions } from 'yargs';
import { exitCode } from '../../results/verdicts/exit-code.ts';
import { CommandError } from '../exit.ts';
import { flags, type OptionKey } from '../options/index.ts';
import { pairsFlags, pairsKeys } from '../options/pairs.ts';
import { type Command, withExamples } from './command.ts';
import { own, shared } from './shared-option.ts';

/** Where something else is chosen than by the collectives. */
const otherDefaults: Partial<Record<OptionKey, string>> = {
  ranks: 'engine nccl: one for each GPU',
  interface: 'the way to the others; on one machine lo',
  iters: 'chosen: 20 ms of the small message, 200 ms of the large one',
};

function yargsOptions(): Record<string, YargsOptions> {
  const { size, oneAtATime, bisect } = pairsFlags;
  return {
    [size.name]: own(size.name, size, size.help, size.shown),
    [oneAtATime.name]: { type: 'boolean', describe: oneAtATime.help, defaultDescription: oneAtATime.shown },
    [bisect.name]: own(bisect.name, bisect, bisect.help, bisect.shown),
    ...Object.fromEntries(
      pairsKeys.map((key) => {
        const { alias: _, ...option } = shared(key, otherDefaults[key]);
        return [flags[key].name, option];
      }),
    ),
  };
}

async function run(found: Record<string, unknown>, words: readonly string[]): Promise<void> {
  const [{ pairsOptions }, { preparePairs }, { carryOut }, { nodesOf }] = await Promise.all([
    import('../pairs/options.ts'),
    import('../pairs/prepare.ts'),
    import('../pairs/carry-out.ts'),
    import('../../orchestration/preparing/nodes.ts'),
  ]);
  const { options, pairs } = pairsOptions(found, words);
  const nodes = await nodesOf(options);
  if (nodes.hosts.length === 1) {
    await nodes.close();
    throw new CommandError('one host has no pairs', [
      '  allowed: two hosts or more; ranks of this machine: --ranks 4',
    ]);
  }
  try {
    const prepared = await preparePairs(options, pairs, words, nodes);
    for (const note of prepared.notes ?? []) process.stderr.write(`collbench: ${note}\n`);
    if (options.planOnly) {
      process.stdout.write(`${JSON.stringify(prepared.plan, null, 2)}\n`);
      process.exitCode = exitCode.ok;
      return;
    }
    process.exitCode = await carryOut(prepared, options, pairs.bisect?.when ?? null, nodes);
  } finally {
    await nodes.close();
  }
}

/** @param words after the command's name, as typed */
export function pairs(words: readonly string[]): Command {
  const command: Command = {
    name: 'pairs',
    command: 'pairs',
    describe: 'Find the slow host, cable or path: measure all pairs of hosts, and a ring that grows.',
    examples: [
      ['collbench pairs --hosts gpu[01-08]', 'all pairs, disjoint ones at the same time'],
      [
        'collbench pairs --hosts gpu[01-08]:2 --engine nccl',
        'two GPUs of each host, with those of all others',
      ],
      ['collbench pairs --hosts gpu[01-32] --size 64M --one-at-a-time', 'nothing else on the wires'],
      ["collbench pairs --hosts gpu[01-32] --bisect 'GBps<9.5'", 'which host makes a run of all slow'],
      ['collbench pairs --hosts gpu[01-32] --bisect fails --timeout 20', 'which host breaks a run of all'],
      ['collbench pairs --engine nccl', 'all pairs of GPUs of this machine'],
    ],
    builder: (parser) =>
      withExamples(parser, command.examples)
        .options(yargsOptions())
        .epilogue(
          'Exit codes: 0 nothing stands out, 4 a host, a pair or a ring does (or --bisect named one), 5 too few to tell, 2 something did not run, 3 wrong data',
        ),
    handler: (found) => run(found, words),
  };
  return command;
}
