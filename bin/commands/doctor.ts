import { version } from '../../orchestration/build.ts';
import { requireHostOptions } from '../../orchestration/preparing/host-rules.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import { type ExitCode, exitCode } from '../../results/verdicts/exit-code.ts';
import { switchOption } from '../../suites/options/option.ts';
import { hostKeys, withDefaults } from '../options/index.ts';
import { printText, shapeOfStdout } from '../terminal.ts';
import { defineCommand } from './command.ts';
import { drainOptions, drainWriter, sharedOptions } from './options.ts';

/**
 * Exit code of `collbench doctor` by its most severe finding: 0 = nothing worse than a note, 2 = a run will fail or give wrong
 * data, 5 = warnings or unknowns.
 */
const codes: Record<'ok' | 'note' | 'unknown' | 'warning' | 'error', ExitCode> = {
  ok: exitCode.ok,
  note: exitCode.ok,
  unknown: exitCode.noVerdict,
  warning: exitCode.noVerdict,
  error: exitCode.notRun,
};

const shown = {
  transport: {
    describe: 'Check only what matters to these transports',
    defaultDescription: 'all',
  },
  interface: {
    describe: 'Network interface for data, if it is the same on all hosts',
    defaultDescription: 'interface of the default route',
  },
};

const options = {
  ...sharedOptions(['transport', 'interface', 'sisciLibrary', 'nccl', ...hostKeys], shown),
  verbose: { ...switchOption, describe: 'Explain every check, also those that pass' },
  hashes: { ...switchOption, describe: 'With --json: SHA-256 of every library found; takes seconds' },
  json: { ...switchOption, describe: 'One JSON object: findings and all facts of the machines' },
  ...drainOptions,
};

export const doctor = defineCommand({
  command: 'doctor',
  describe: 'Find what would make a run fail or its results unreliable, and how to fix it.',
  examples: [
    ['collbench doctor', 'this machine, for every transport'],
    ['collbench doctor --transport sisci', 'only what matters to sisci'],
    ['collbench doctor --hosts gpu[01-08] --transport ib', 'eight machines, and whether they match'],
    [
      'collbench doctor --hosts gpu[01-08] --drain drain.sh --drain-as slurm',
      'a script that drains hosts with errors',
    ],
    ['collbench doctor --json --hashes > machine.json', 'all facts with hashes of libraries, for the record'],
  ],
  options,
  epilogue:
    'Exit codes: 0 nothing worse than a note; 2 an error: a run will fail or give wrong data; 5 warnings or unknowns: results may be unreliable. --drain: hosts with an error fail; the exit code stays the same. All checks: docs/doctor.md',
  handler: async ({ verbose, hashes, json, drain, drainAs }, { said, values }) => {
    const requested = withDefaults(values);
    if (hashes && !json)
      throw refuse('option-needs-option', {
        option: 'hashes',
        needs: 'json',
        example: 'doctor --json --hashes',
      });
    requireHostOptions(requested, said);
    const { diagnose, requireTransports } = await import('../../orchestration/host-checks/diagnosis.ts');
    const { doctorJson } = await import('../../results/doctor/report.ts');
    const { worstSeverity } = await import('../../results/doctor/examine.ts');
    const { doctorText } = await import('../../reports/doctor.ts');
    const transports = requested.transport === null ? null : requireTransports(requested.transport);
    const writeDrain = await drainWriter('doctor', { drain, drainAs }, requested);
    const diagnosis = await diagnose(requested, transports, hashes);
    const code = codes[worstSeverity(diagnosis.findings)];
    const { columns, color } = shapeOfStdout(80);
    const width = Math.max(60, Math.min(columns, 120));
    printText(
      json
        ? `${JSON.stringify(doctorJson(diagnosis, transports, code, version()))}\n`
        : doctorText(diagnosis, { transports, verbose, width, color }),
    );
    if (writeDrain !== null) {
      const { foundByDoctor } = await import('../../results/verdicts/drain-doctor.ts');
      await writeDrain(foundByDoctor(diagnosis));
    }
    process.exitCode = code;
  },
});
