import { version } from '../../orchestration/build.ts';
import { type ExitCode, exitCode } from '../../results/verdicts/exit-code.ts';
import { doctorKeys } from '../doctor/keys.ts';
import { CommandError } from '../exit.ts';
import { withOptions } from '../measuring-options.ts';
import { saidIn } from '../said-words.ts';
import { type Command, jsonOption, withExamples } from './command.ts';

/** What the gravest finding means to scripts. */
const codes: Record<'ok' | 'note' | 'unknown' | 'warning' | 'error', ExitCode> = {
  ok: exitCode.ok,
  note: exitCode.ok,
  unknown: exitCode.noVerdict,
  warning: exitCode.noVerdict,
  error: exitCode.notRun,
};

async function run(words: readonly string[], found: Record<string, unknown>): Promise<ExitCode> {
  const [{ doctorOptions }, { diagnose }, { doctorJson, worst }] = await Promise.all([
    import('../doctor/options.ts'),
    import('../doctor/diagnose.ts'),
    import('../../results/doctor/index.ts'),
  ]);
  const asked = doctorOptions(words, found);
  const diagnosis = await diagnose(asked);
  const code = codes[worst(diagnosis.findings)];
  if (asked.json) {
    const report = doctorJson(diagnosis, asked.transports, code, version());
    process.stdout.write(`${JSON.stringify(report)}\n`);
    return code;
  }
  const [{ doctorText }, { wantsColor }] = await Promise.all([
    import('../../reports/doctor.ts'),
    import('../output.ts'),
  ]);
  const width = Math.max(60, Math.min(process.stdout.columns || 80, 120));
  const color = wantsColor(process.stdout.isTTY === true);
  process.stdout.write(doctorText(diagnosis, { ...asked, width, color }));
  return code;
}

/** Looks for what would spoil a run before it is started. @param words behind `doctor` */
export function doctor(words: readonly string[]): Command {
  const command: Command = {
    name: 'doctor',
    command: 'doctor',
    describe: 'Look for what would keep a run from working, or spoil its figures, and say how to mend it.',
    examples: [
      ['collbench doctor', 'this machine, for every transport'],
      ['collbench doctor --transport sisci', 'only what matters to that'],
      ['collbench doctor --hosts gpu[01-08] --transport ib', 'eight machines, and whether they go together'],
      [
        'collbench doctor --json --hashes > machine.json',
        'all facts with hashes of libraries, for the record',
      ],
    ],
    builder: (parser) =>
      withOptions(
        withExamples(parser, command.examples),
        'doctor',
        saidIn(words),
        () => {
          throw new CommandError('doctor reads no config file');
        },
        false,
        doctorKeys,
      )
        .options({
          transport: {
            describe: 'Transports that will be used: only what matters to them is looked at',
            defaultDescription: 'all',
          },
          interface: {
            describe: 'The interface that data will go over, where it is the same on all hosts',
            defaultDescription: 'that of the default route',
          },
          verbose: { type: 'boolean', describe: 'What each check is about, also where all is well' },
          hashes: { type: 'boolean', describe: 'With --json: SHA-256 of every library found; takes seconds' },
          ...jsonOption,
          json: { type: 'boolean', describe: 'One JSON object: findings, and the machines with all facts' },
        })
        .epilogue(
          'Exit codes: 0 nothing worse than a note; 2 an error: what is asked will not run, or gives wrong data; 5 no error, but warnings or unknowns: no verdict on the figures. All checks: docs/doctor.md',
        ),
    handler: async (found) => {
      process.exitCode = await run(words, found);
    },
  };
  return command;
}
