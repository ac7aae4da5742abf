import { refuse } from '../../results/refusals/refusal.ts';
import { collectiveNames, isCollective } from '../../results/schema/index.ts';
import { defaultRoot } from '../../results/store/paths.ts';
import { exitCode } from '../../results/verdicts/exit-code.ts';
import type { OptionValues } from '../../suites/options/option.ts';
import { commandNamed } from '../../suites/workloads/index.ts';
import { configOf, measuringOptionRows, measuringOptions } from '../line/measuring.ts';
import type { ParsedLine } from '../line/read.ts';
import type { MeasuringCommandOptions } from '../options/index.ts';
import { nearPath, ProgressLine, printText, shapeOfStdout } from '../terminal.ts';
import { defineCommand } from './command.ts';
import { offerFirst } from './completions.ts';
import { pairCountOption } from './options.ts';

const ownOptions = {
  rounds: { ...pairCountOption, describe: 'Pairs of runs', default: 3 },
};

/**
 * Rejects options that make no sense for a command that makes several runs: --plan-only, --explain and --json-file.
 * @throws Refusal if the user gave one
 */
function requireSeveral(options: MeasuringCommandOptions): void {
  for (const [option, isSaid] of [
    ['plan-only', options.planOnly],
    ['explain', options.explain],
    ['json-file', options.jsonFile !== null],
  ] as const) {
    if (isSaid) throw refuse('option-of-single-run', { option });
  }
}

async function run({ rounds }: OptionValues<typeof ownOptions>, line: ParsedLine): Promise<void> {
  const { equalRuns } = await import('../../orchestration/running/equal-runs.ts');
  const { calibrate } = await import('../../results/compare/calibrate.ts');
  const { keepCalibration } = await import('../../results/store/calibration.ts');
  const { calibrationText } = await import('../../reports/comparison/calibration.ts');
  const { runTools, durationOfRuns } = await import('../run-tools.ts');
  const [collective = ''] = line.words;
  if (!isCollective(collective))
    throw refuse('aa-needs-collective', { word: collective, known: collectiveNames });
  const command = commandNamed(collective);
  const options = measuringOptions(command, line, await configOf(line));
  requireSeveral(options);
  if (options.launches !== null && options.launches < 2) {
    throw refuse('aa-needs-launches', { launches: options.launches });
  }
  const progress = new ProgressLine();
  progress.note(durationOfRuns(2 * rounds, options.budget));
  const input = {
    ...{ command, options, words: line.said.asWords(), root: options.out ?? defaultRoot, tools: runTools },
    note: (text: string) => progress.note(text),
    progress: (at: number, share: number) =>
      progress.show(() => `run ${at + 1} of ${2 * rounds} · ${Math.round(100 * share)} %`),
  };
  const { pairs, code } = await equalRuns(input, rounds);
  progress.clear();
  process.exitCode = code;
  if (pairs.length === 0) return;
  const result = calibrate(pairs);
  const [first] = pairs;
  const kept = first === undefined ? null : await keepCalibration(input.root, first[0].record, result);
  printText(options.json ? `${JSON.stringify(result)}\n` : calibrationText(result, shapeOfStdout()));
  if (!options.json && kept !== null)
    printText(`kept for collbench compare and the gate: ${nearPath(kept)}\n`);
  if (code === exitCode.ok && result.groups.tests === 0) process.exitCode = exitCode.noVerdict;
}

export const aa = defineCommand({
  command: 'aa [collective]',
  describe: 'Compare equal runs with each other: false alarms, and the smallest detectable change.',
  argument: { help: 'The command to measure, followed by its options' },
  examples: [
    ['collbench aa allreduce --max 1M', 'three pairs of runs of this command'],
    ['collbench aa allreduce --max 64M --launches 5 --rounds 10', 'ten pairs: more precise'],
  ],
  options: { ...measuringOptionRows(commandNamed('allreduce').workload), ...ownOptions },
  offer: offerFirst(collectiveNames),
  epilogue:
    '--out is the folder for the runs. Exit codes: 0 measured, whatever the rates are; 2 a run failed, 3 wrong data, 5 nothing could be tested',
  handler: run,
});
