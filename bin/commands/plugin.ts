import { refuse } from '../../results/refusals/refusal.ts';
import type { OptionValues } from '../../suites/options/option.ts';
import { lineOf } from '../line/retype-command.ts';
import { printJson, printSentences } from '../terminal.ts';
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
  const { conformance } = await import('../../orchestration/host-checks/conformance.ts');
  const { pluginVerdict } = await import('../../reports/terminal/conformance.ts');
  const { printTests } = await import('./conformance.ts');
  const path = await import('node:path');
  const library = path.resolve(file);
  const { rows, end, isGood } = await printTests(conformance('plugin', library), library, json);
  const verdict = pluginVerdict(rows);
  const next = lineOf([isGood ? 'allreduce' : 'doctor', '--transport', `plugin:${library}`]);
  if (json) printJson({ type: 'summary', library, isGood, verdict });
  else printSentences(`${[...end, verdict, `Next: ${next}`].join('\n')}\n`);
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
