import { sanitiseLine } from '../../results/text.ts';
import { exitCode } from '../../results/verdicts/exit-code.ts';
import { type OptionValues, switchOption } from '../../suites/options/option.ts';
import { printMessage, printNote, printSentences } from '../terminal.ts';
import { defineCommand } from './command.ts';
import { runIds } from './completions.ts';
import { jsonOption, rootOption, sharedOptions } from './options.ts';

const options = {
  ...sharedOptions(['sshConfig', 'knownHosts', 'identity', 'remoteDir']),
  force: {
    ...switchOption,
    describe: 'Resume although versions, machine or environment changed; the differences are recorded',
  },
  ...rootOption,
  ...jsonOption,
};

async function run(values: OptionValues<typeof options> & { run: string }): Promise<void> {
  const { run: name, root, force, json, ...reach } = values;
  const { findFinding } = await import('../../results/store/findings.ts');
  const bisection = await findFinding('bisection', name, root);
  if (bisection !== null) {
    const { resumeBisection } = await import('./bisect.ts');
    process.exitCode = await resumeBisection(bisection, json);
    return;
  }
  const { resumeRun } = await import('../../orchestration/resuming/resume.ts');
  const { outputsOf } = await import('../screens/run.ts');
  const { runTools } = await import('../run-tools.ts');
  const { resumeLines } = await import('../../reports/resume-lines.ts');
  const { plural } = await import('../../results/units.ts');
  const { record, code } = await resumeRun(name, {
    ...{ root, force, reach, tools: runTools },
    outputsFor: ({ record: next, cells, estimateS }) => {
      for (const line of resumeLines(next, cells, estimateS)) printNote(line);
      return outputsOf({ ...next.plan, estimateS }, next.id, { json, jsonLive: false, jsonFile: null })
        .outputs;
    },
  });
  const { id, plan, failures } = record;
  process.exitCode = code ?? (failures.length === 0 ? exitCode.ok : (record.exitCode ?? exitCode.notRun));
  if (code !== null) return;
  printSentences(
    `run ${id}: nothing to measure, all ${plural(plan.expected.cells, 'configuration')} are measured\n`,
  );
  const [first] = failures;
  if (first !== undefined)
    printMessage(`collbench: ${sanitiseLine(first.message)}\nNext: collbench show ${id}`);
}

export const resume = defineCommand({
  command: 'resume <run>',
  describe: 'Measure what is missing in a run or bisection that was interrupted, failed or killed.',
  examples: [
    ['collbench resume 7f3a2c', 'same plan, folder and hosts; measured configurations are kept'],
    [
      'collbench resume results/monday --force',
      'although versions, machine or environment changed; recorded',
    ],
  ],
  argument: { help: 'Id or folder of a run or a bisection' },
  options,
  offer: runIds,
  handler: run,
});
