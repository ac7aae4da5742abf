import { type Command, jsonOption, rootOption, withExamples } from './command.ts';

/** A run that was interrupted, failed or killed, to its end. */
export const resume: Command = {
  name: 'resume',
  command: 'resume <run>',
  describe: 'Measure what is missing in a run that was interrupted, failed or killed.',
  examples: [
    ['collbench resume 7f3a2c', 'same plan, same folder; cells that are there stay'],
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
        ...rootOption,
        ...jsonOption,
      }),
  handler: async ({ run, root, force, json }) => {
    const { resumeRun } = await import('../resume/resume.ts');
    process.exitCode = await resumeRun(run as string, {
      root: root as string,
      force: force === true,
      json: json === true,
    });
  },
};
