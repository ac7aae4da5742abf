import type { Options as YargsOptions } from 'yargs';
import type { ReachAgain } from '../../orchestration/preparing/nodes.ts';
import { type Flag, flags, ValueError } from '../options/index.ts';
import { type Command, jsonOption, rootOption, withExamples } from './command.ts';

const reachKeys = [
  'sshConfig',
  'knownHosts',
  'identity',
  'remoteDir',
] as const satisfies (keyof ReachAgain)[];

/** As the collectives have them; yargs keeps only the message of what is thrown. */
function parsed(flag: Flag<unknown>, text: string): unknown {
  try {
    return flag.parse(text);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new Error(`--${flag.name} ${text}: ${error.message}\n  allowed: ${flag.allowed}`);
  }
}

const reachOptions = Object.fromEntries(
  reachKeys.map((key): [string, YargsOptions] => {
    const flag: Flag<unknown> = flags[key];
    return [
      flag.name,
      {
        type: 'string',
        requiresArg: true,
        describe: flag.help,
        defaultDescription: flag.shown,
        coerce: (text?: string) => (text === undefined ? undefined : parsed(flag, text)),
      },
    ];
  }),
);

function reachIn(found: Record<string, unknown>): ReachAgain {
  const said = reachKeys.filter((key) => found[flags[key].name] !== undefined);
  return Object.fromEntries(said.map((key) => [key, found[flags[key].name]]));
}

/** A run that was interrupted, failed or killed, to its end. */
export const resume: Command = {
  name: 'resume',
  command: 'resume <run>',
  describe: 'Measure what is missing in a run that was interrupted, failed or killed.',
  examples: [
    ['collbench resume 7f3a2c', 'same plan, same folder, same hosts; cells that are there stay'],
    ['collbench resume results/monday --force', 'though versions, machine or environment changed; recorded'],
  ],
  builder: (parser) =>
    withExamples(parser, resume.examples)
      .positional('run', { type: 'string', describe: 'Id or folder of a run' })
      .options({
        force: {
          type: 'boolean',
          describe: 'Go on although something is not as it was; the differences are recorded',
        },
        ...reachOptions,
        ...rootOption,
        ...jsonOption,
      }),
  handler: async ({ run, root, force, json, ...others }) => {
    const { resumeRun } = await import('../resume/resume.ts');
    process.exitCode = await resumeRun(run as string, {
      root: root as string,
      force: force === true,
      json: json === true,
      reach: reachIn(others),
    });
  },
};
