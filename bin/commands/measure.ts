import { hasNodes } from '../../orchestration/preparing/host-rules.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import { type ExitCode, exitCode } from '../../results/verdicts/exit-code.ts';
import { commandsOf, planningEngines } from '../../suites/engines/index.ts';
import { planningOfCommand } from '../../suites/workloads/index.ts';
import { measuringOptions, measuringSyntax } from '../line/measuring.ts';
import type { Options } from '../options/index.ts';
import type { Command } from './command.ts';

/** One of the collectives: plan it, measure it, report it. */
async function run(command: string, options: Options, words: readonly string[]): Promise<ExitCode> {
  if (options.explain) return explained(command, options);
  const { measurePlan, withPrepared } = await import('../../orchestration/running/run.ts');
  return withPrepared(command, options, words, async (prepared, nodes) => {
    for (const note of prepared.notes) process.stderr.write(`collbench: ${note}\n`);
    for (const reason of prepared.leftOut) process.stderr.write(`collbench: left out: ${reason}\n`);
    if (options.planOnly) {
      process.stdout.write(`${JSON.stringify(prepared.plan, null, 2)}\n`);
      return exitCode.ok;
    }
    const [{ outputsOf }, { runTools }] = await Promise.all([
      import('../screens/run.ts'),
      import('../run-tools.ts'),
    ]);
    const outputsFor = (plan: typeof prepared.plan, id: string) => outputsOf(plan, id, options);
    const measured = await measurePlan(prepared, nodes, {
      out: options.out,
      marks: options,
      tools: runTools,
      outputsFor,
    });
    return measured.exitCode;
  });
}

async function explained(command: string, options: Options): Promise<ExitCode> {
  if (hasNodes(options)) throw refuse('explain-of-hosts');
  const [{ explain }, { nodesOf }] = await Promise.all([
    import('../../orchestration/preparing/explain.ts'),
    import('../../orchestration/preparing/nodes.ts'),
  ]);
  const lines = await explain(command, options, await nodesOf(options));
  process.stdout.write(`${lines.join('\n')}\n`);
  return exitCode.ok;
}

const examplesOf = (name: string): Command['examples'] => [
  [`collbench ${name}`, 'two ranks over TCP, 8 B to 64 MiB'],
  [`collbench ${name} --min 8 --max 1G --transport socket,sisci`, 'two transports, interleaved'],
  [`collbench ${name} -b 8 -e 1G -f 2 -n 20`, 'as nccl-tests is called'],
  [`collbench ${name} --sizes 8,4K,1M --dtype float16,float32 --ranks 4`, 'chosen sizes and types'],
  [`collbench ${name} --max 16M --transport sisci --link pcie-gen3-x8`, 'behaves like a PCIe NTB link'],
  [`collbench ${name} --max 1M --json > cells.ndjson`, 'for scripts'],
  [`collbench ${name} --engine nccl --max 1G`, 'NCCL on all GPUs of this machine'],
];

const gpuExamplesOf = (name: string): Command['examples'] => [
  [`collbench ${name} --engine nccl`, 'NCCL on all GPUs of this machine, 8 B to 64 MiB'],
  [`collbench ${name} --engine nccl --max 1G --transport p2p,socket,sisci`, 'three transports, interleaved'],
  [`collbench ${name} --engine nccl -b 8 -e 1G -f 2 -n 20`, 'as nccl-tests is called'],
  [`collbench ${name} --engine nccl --explain`, 'which library, and what would be set'],
];

export function measure(name: string): Command {
  const summary = planningOfCommand(name).commands.find((one) => one.name === name)?.summary ?? '';
  const isOnCpu = commandsOf(planningEngines.cpu).includes(name);
  const describe = `Measure ${name}: ${summary}.`;
  return {
    ...measuringSyntax(name),
    describe,
    examples: isOnCpu ? examplesOf(name) : gpuExamplesOf(name),
    epilogue:
      'Letters mean what they mean in nccl-tests. More: collbench help options, collbench help method',
    async handler(line) {
      for (const note of line.notes) process.stderr.write(`collbench: ${note}\n`);
      process.exitCode = await run(name, measuringOptions(name, line), line.words);
    },
  };
}
