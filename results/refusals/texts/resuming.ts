// Refusal messages about runs that cannot be resumed.
import { cannotRunHere } from '../wording.ts';
import { type UnavailableReason, unavailableLines } from './transports.ts';

export const resumingTexts = {
  'imported-not-resumed': cannotRunHere(({ run, program }: { run: string; program: string }) => ({
    message: `run ${run} was imported from ${program}`,
    details: ['only runs measured by collbench can be resumed: measure it again, or import a complete file'],
    next: { words: ['show', run], keep: ['root'] },
  })),
  'pairs-not-resumed': cannotRunHere(({ run, command }: { run: string; command: readonly string[] }) => ({
    message: `run ${run} is a pair test: these cannot be resumed`,
    details: ['pairs measured at another time are not comparable; nothing was changed'],
    next: { shell: command.join(' ') },
  })),
  'other-surroundings': cannotRunHere(
    (values: {
      run: string;
      /** Differences between now and the first start of the run, such as versions; one sentence each. */
      apart: readonly string[];
      command: readonly string[];
    }) => ({
      message: `run ${values.run} was started in a different environment`,
      details: [
        ...values.apart,
        'new results would not be comparable with the stored ones; nothing was changed',
        '--force resumes it all the same, and records that',
      ],
      next: { shell: values.command.join(' ') },
    }),
  ),
  'run-cannot-go-on': cannotRunHere(
    ({
      transport,
      host,
      reason,
      ...asked
    }: UnavailableReason & {
      transport: string;
      host: string;
    }) => ({
      message: `the transport ${transport} of the run cannot run on ${host} now: ${reason}`,
      details: unavailableLines({ ...asked, reason: '' }),
      next: 'collbench transports',
    }),
  ),
};
