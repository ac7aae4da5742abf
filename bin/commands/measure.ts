import type { CollectiveName } from '../../results/schema/index.ts';
import { type ExitCode, exitCode } from '../../results/verdicts/exit-code.ts';
import { collectives } from '../../suites/collectives.ts';
import { CommandError } from '../exit.ts';
import { hasNodes } from '../node-options.ts';
import type { Nodes } from '../nodes.ts';
import type { Options } from '../options/index.ts';
import type { Prepared } from '../prepare.ts';
import { OptionReader } from '../read-options.ts';
import { type Command, withExamples } from './command.ts';

/** One of the collectives: plan it, measure it, report it. */
async function run(
  collective: CollectiveName,
  options: Options,
  words: readonly string[],
): Promise<ExitCode> {
  if (options.explain) {
    if (hasNodes(options)) {
      throw new CommandError('--explain tells of this machine, not of hosts', [
        'Next: leave out the hosts, or run it there',
      ]);
    }
    const { explain } = await import('../explain.ts');
    process.stdout.write(await explain(collective, options));
    return exitCode.ok;
  }
  const [{ prepare }, { nodesOf }] = await Promise.all([import('../prepare.ts'), import('../nodes.ts')]);
  const nodes = await nodesOf(options);
  try {
    const prepared = await prepare(collective, options, words, nodes);
    const { plan, leftOut, notes = [] } = prepared;
    for (const note of notes) process.stderr.write(`collbench: ${note}\n`);
    for (const reason of leftOut) process.stderr.write(`collbench: left out: ${reason}\n`);
    if (!options.planOnly) return await carryOut(prepared, options, nodes);
    process.stdout.write(`${JSON.stringify(plan, null, 2)}\n`);
    return exitCode.ok;
  } finally {
    await nodes.close();
  }
}

async function carryOut(
  { plan, inventories, versions }: Prepared,
  options: Options,
  nodes: Nodes,
): Promise<ExitCode> {
  const [{ createRun }, { Measuring }, { newRecord }] = await Promise.all([
    import('../../results/store/index.ts'),
    import('../measuring.ts'),
    import('../new-record.ts'),
  ]);
  const record = newRecord(plan, inventories, versions);
  const writer = await createRun({ record, ...(options.out === null ? {} : { out: options.out }) });
  return new Measuring(plan, { ...options, nodes }, record, writer).carryOut();
}

const examplesOf = (name: CollectiveName): Command['examples'] => [
  [`collbench ${name}`, 'two ranks over TCP, 8 B to 64 MiB'],
  [`collbench ${name} --min 8 --max 1G --transport socket,sisci`, 'two transports, measured in turns'],
  [`collbench ${name} -b 8 -e 1G -f 2 -n 20`, 'as nccl-tests is called'],
  [`collbench ${name} --sizes 8,4K,1M --dtype float16,float32 --ranks 4`, 'chosen sizes and types'],
  [`collbench ${name} --max 16M --transport sisci --link pcie-gen3-x8`, 'behaves like a PCIe NTB link'],
  [`collbench ${name} --max 1M --json > cells.ndjson`, 'for scripts'],
  [`collbench ${name} --engine nccl --max 1G`, 'NCCL on all GPUs of this machine'],
];

const gpuExamplesOf = (name: CollectiveName): Command['examples'] => [
  [`collbench ${name} --engine nccl`, 'NCCL on all GPUs of this machine, 8 B to 64 MiB'],
  [
    `collbench ${name} --engine nccl --max 1G --transport p2p,socket,sisci`,
    'three transports, measured in turns',
  ],
  [`collbench ${name} --engine nccl -b 8 -e 1G -f 2 -n 20`, 'as nccl-tests is called'],
  [`collbench ${name} --engine nccl --explain`, 'which library, and what would be set'],
];

/**
 * @param words after the command's name, as typed
 * @param isLong help tells what is allowed, too
 */
export function measure(name: CollectiveName, words: readonly string[], isLong: boolean): Command {
  const reader = new OptionReader(name, words);
  const command: Command = {
    name,
    command: name,
    describe: `Measure ${name}: ${collectives[name].summary}.`,
    examples: collectives[name].engines.includes('cpu') ? examplesOf(name) : gpuExamplesOf(name),
    builder: (parser) =>
      withExamples(reader.declare(parser, isLong), command.examples)
        .usage(`$0 ${name} [options]\n\n${command.describe}`)
        .epilogue(
          'Letters mean what they mean in nccl-tests. More: collbench help options, collbench help method',
        ),
    handler: async (found) => {
      process.exitCode = await run(name, reader.options(found), words);
    },
  };
  return command;
}
