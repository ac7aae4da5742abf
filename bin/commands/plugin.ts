import { refuse } from '../../results/refusals/refusal.ts';
import { exitCode } from '../../results/verdicts/exit-code.ts';
import type { OptionValues } from '../../suites/options/option.ts';
import { lineOf } from '../line/retype-command.ts';
import { printJson, printSentences, printText, shapeOfStdout } from '../terminal.ts';
import { defineCommand } from './command.ts';
import { jsonOption } from './options.ts';

const options = { ...jsonOption };

async function run(values: OptionValues<typeof options> & { action: string[] }): Promise<void> {
  const {
    action: [action = '', file, ...more],
    json,
  } = values;
  if (action !== 'check') {
    throw refuse('unknown-word', {
      where: 'plugin',
      word: action,
      problem: 'no such action',
      known: ['check'],
    });
  }
  if (file === undefined || more.length > 0) throw refuse('plugin-check-takes-file');
  const [{ conformance }, told, path] = await Promise.all([
    import('../../orchestration/host-checks/conformance.ts'),
    import('../../reports/terminal/conformance.ts'),
    import('node:path'),
  ]);
  const library = path.resolve(file);
  const width = Math.max(60, Math.min(shapeOfStdout(80).columns, 160));
  const rows = [];
  for await (const row of conformance('plugin', library)) {
    rows.push(row);
    if (json) printJson(row);
    else if (!told.isLeftOut(row)) printText(`${told.conformanceLine(row, width)}\n`);
  }
  const { verdict, isGood } = told.pluginVerdict(rows);
  if (json) printJson({ type: 'summary', library, isGood, verdict });
  else {
    const end = [...told.leftOutLines(rows, width), told.conformanceSummary(rows, library)];
    const next = lineOf([isGood ? 'allreduce' : 'doctor', '--transport', `plugin:${library}`]);
    printSentences(`${[...end, verdict, `Next: ${next}`].join('\n')}\n`);
  }
  process.exitCode = isGood ? exitCode.ok : exitCode.notRun;
}

export const plugin = defineCommand({
  command: 'plugin <action..>',
  describe: 'Check an NCCL net plugin: contract, faults, cost per call.',
  argument: { help: 'check FILE' },
  examples: [
    [
      'collbench plugin check ./libnccl-net-x.so',
      'order of calls, sizes, two processes, closing, cost per call',
    ],
  ],
  options,
  epilogue:
    'No GPU is needed: the plugin moves host memory between two ends on this machine, each test in a process of its own, so a crash or a hang is one failed test. Exit codes: 0 no test failed; 2 a test failed, or the plugin cannot be used.',
  async offer(said) {
    return said.length === 0 ? [{ word: 'check' }] : [];
  },
  handler: run,
});
