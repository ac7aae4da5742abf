import { version } from '../../orchestration/build.ts';
import { requireHostOptions } from '../../orchestration/preparing/host-rules.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import { type ExitCode, exitCode } from '../../results/verdicts/exit-code.ts';
import { hostKeys } from '../options/host-keys.ts';
import { wantsColor } from '../terminal.ts';
import type { Command } from './command.ts';
import { borrowed } from './options/borrowed.ts';
import { optionTable } from './options/own-options.ts';

/** What the gravest finding means to scripts. */
const codes: Record<'ok' | 'note' | 'unknown' | 'warning' | 'error', ExitCode> = {
  ok: exitCode.ok,
  note: exitCode.ok,
  unknown: exitCode.noVerdict,
  warning: exitCode.noVerdict,
  error: exitCode.notRun,
};

const table = optionTable({
  verbose: { help: 'What each check is about, also where all is well' },
  hashes: { help: 'With --json: SHA-256 of every library found; takes seconds' },
  json: { help: 'One JSON object: findings, and the machines with all facts' },
});

const keys = ['transport', 'interface', 'sisciLibrary', 'nccl', ...hostKeys] as const;
const shown = {
  transport: {
    help: 'Transports that will be used: only what matters to them is looked at',
    shown: 'all',
  },
  interface: {
    help: 'The interface that data will go over, where it is the same on all hosts',
    shown: 'that of the default route',
  },
};

const taken = borrowed(keys, shown);

/** Looks for what would spoil a run before it is started. */
export const doctor: Command = {
  name: 'doctor',
  command: 'doctor',
  describe: 'Look for what would keep a run from working, or spoil its figures, and say how to mend it.',
  examples: [
    ['collbench doctor', 'this machine, for every transport'],
    ['collbench doctor --transport sisci', 'only what matters to that'],
    ['collbench doctor --hosts gpu[01-08] --transport ib', 'eight machines, and whether they go together'],
    ['collbench doctor --json --hashes > machine.json', 'all facts with hashes of libraries, for the record'],
  ],
  flags: [...taken.flags, ...table.flags],
  epilogue:
    'Exit codes: 0 nothing worse than a note; 2 an error: what is asked will not run, or gives wrong data; 5 no error, but warnings or unknowns: no verdict on the figures. All checks: docs/doctor.md',
  handler: async ({ found, said }) => {
    const [options, { verbose, hashes, json }] = [taken.all(found), table.read(found)];
    if (hashes && !json)
      throw refuse('option-needs-option', {
        option: 'hashes',
        needs: 'json',
        example: 'doctor --json --hashes',
      });
    requireHostOptions(options, said);
    const [{ diagnose, requireTransports }, { doctorJson, worst }, { doctorText }] = await Promise.all([
      import('../../orchestration/examining/diagnosis.ts'),
      import('../../results/doctor/index.ts'),
      import('../../reports/doctor.ts'),
    ]);
    const transports = options.transport === null ? null : requireTransports(options.transport);
    const diagnosis = await diagnose(options, transports, hashes);
    const code = codes[worst(diagnosis.findings)];
    const width = Math.max(60, Math.min(process.stdout.columns || 80, 120));
    const color = wantsColor(process.stdout.isTTY === true);
    process.stdout.write(
      json
        ? `${JSON.stringify(doctorJson(diagnosis, transports, code, version()))}\n`
        : doctorText(diagnosis, { transports, verbose, width, color }),
    );
    process.exitCode = code;
  },
};
