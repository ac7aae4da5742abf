import { choiceOption, type OptionValues } from '../../suites/options/option.ts';
import { ValueError } from '../../suites/options/values.ts';
import type { ParsedLine } from '../line/read.ts';
import { errorText } from '../report-error.ts';
import { nearPath, printError, printMessage, printNote, shapeOfStdout } from '../terminal.ts';
import { defineCommand } from './command.ts';
import { outFolder, rootOption } from './options.ts';

const options = {
  times: {
    ...choiceOption(['auto', 'always', 'never']),
    value: 'WHICH',
    describe: 'Which kernels of NCCL are timed: auto (the first 512, then 1 of 16), always or never',
    default: 'auto',
  },
  mpicc: {
    describe: 'Compiler of the MPI that the job uses; none: MPI is not recorded',
    defaultDescription: 'that of mpirun, else of PATH',
    value: 'PATH',
    coerce: String,
  },
  read: {
    describe: 'Make a run from existing records, of a killed job or of several hosts',
    value: 'DIR',
    coerce: String,
  },
  name: {
    value: 'NAME',
    describe: 'Name of the job for replay',
    defaultDescription: 'of the program',
    allowed: '1 to 60 characters',
    coerce(text: string) {
      if (text.trim() !== '' && text.length <= 60) return text.trim();
      throw new ValueError('no name');
    },
  },
  out: { ...outFolder, describe: 'Folder of the run; new or empty' },
  ...rootOption,
};

/** Words of the program to record: the words after "--" exactly as typed; without "--" the command's own argument `typed`. */
function commandIn(typed: readonly string[], { words }: ParsedLine): readonly string[] {
  const end = words.indexOf('--');
  return end < 0 ? typed : words.slice(end + 1);
}

async function run(
  { command: typed, ...said }: OptionValues<typeof options> & { command: string[] },
  line: ParsedLine,
): Promise<void> {
  const { readRecords, recordCommand } = await import('../../orchestration/recording/recorded-run.ts');
  const { runTools } = await import('../run-tools.ts');
  const { read } = said;
  const command = commandIn(typed, line);
  const recording = {
    ...{ root: said.root, out: said.out, name: said.name ?? null, times: said.times },
    mpicc: said.mpicc === 'none' ? null : said.mpicc,
    typed: ['collbench', ...process.argv.slice(2)],
    summarise: runTools.summarise,
  };
  const ended =
    read === undefined
      ? await recordCommand(command, recording)
      : await readRecords(read, command, recording);
  process.exitCode = ended.exitCode;
  // stdout is used by the recorded command, so the report goes to stderr.
  if ('refusal' in ended) return printMessage(`collbench: ${errorText(ended.refusal)}`);
  const { recordedText } = await import('../../reports/terminal/recorded.ts');
  for (const note of ended.notes) printNote(note);
  printError(recordedText(ended.recording, nearPath(ended.dir), shapeOfStdout(80).columns));
}

export const record = defineCommand({
  command: 'record [command..]',
  describe: 'Run a job and record its calls of NCCL, MPI and Gloo, to replay them.',
  examples: [
    ['collbench record -- torchrun --nproc-per-node 2 train.py', 'each collective of a training job'],
    ['collbench record -- mpirun -np 4 ./solver', 'an MPI job: collectives and messages'],
    ['collbench record --read killed-run/record', 'what a killed recording left'],
  ],
  argument: {
    help: 'The command of the job, after --; its child processes are recorded, too',
    shown: '-- COMMAND',
  },
  options,
  epilogue:
    'The job needs no change. Exit code: that of the command; 2 where it was 0 and no call was recorded. Then: collbench replay RUN.',
  handler: run,
});
