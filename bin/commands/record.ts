import type { ParsedLine } from '../line/read.ts';
import { ValueError } from '../options/index.ts';
import { nearPath, printError, printNote, shapeOfStdout } from '../terminal.ts';
import type { CommandDefinition } from './command.ts';
import { optionTable, rootFlag } from './options/own-options.ts';
import { texts } from './parsed-values.ts';

const table = optionTable({
  times: {
    value: 'WHICH',
    help: 'Which kernels of NCCL are timed: auto (the first 512, then 1 of 16), always or never',
    shown: 'auto',
    words: ['auto', 'always', 'never'],
    allowed: 'auto, always, never',
    parse(text: string): 'auto' | 'always' | 'never' {
      if (text === 'auto' || text === 'always' || text === 'never') return text;
      throw new ValueError('no such choice');
    },
  },
  mpicc: {
    help: 'Compiler of the MPI that the job uses; none: MPI is not recorded',
    shown: 'that of mpirun, else of PATH',
    value: 'PATH',
    parse: String,
  },
  read: {
    help: 'Make a run from existing records, of a killed job or of several hosts',
    value: 'DIR',
    parse: String,
  },
  name: {
    value: 'NAME',
    help: 'Name of the job for replay',
    shown: 'of the program',
    allowed: '1 to 60 characters',
    parse(text: string) {
      if (text.trim() !== '' && text.length <= 60) return text.trim();
      throw new ValueError('no name');
    },
  },
  out: { help: 'Folder of the run; new or empty', value: 'DIR', parse: String },
  ...rootFlag,
});

/** The words after "--" as typed: the command line of the program to record. */
function commandIn({ words, found }: ParsedLine): readonly string[] {
  const end = words.indexOf('--');
  return end < 0 ? texts(found, 'command') : words.slice(end + 1);
}

async function run(line: ParsedLine): Promise<void> {
  const said = table.read(line.found);
  const [{ readRecords, recordCommand }, { runTools }] = await Promise.all([
    import('../../orchestration/recording/recorded-run.ts'),
    import('../run-tools.ts'),
  ]);
  const { read } = said;
  const options = {
    ...{ root: said.root, out: said.out, name: said.name ?? null, times: said.times ?? 'auto' },
    mpicc: said.mpicc === 'none' ? null : said.mpicc,
    typed: ['collbench', ...process.argv.slice(2)],
    summarise: runTools.summarise,
  };
  const ended =
    read === undefined
      ? await recordCommand(commandIn(line), options)
      : await readRecords(read, commandIn(line), options);
  process.exitCode = ended.exitCode;
  // stdout is used by the recorded command, so the report goes to stderr.
  if ('refusal' in ended) {
    const { textOf } = await import('../../results/refusals/words.ts');
    return printError(`collbench: ${textOf(ended.refusal)}\n`);
  }
  const { recordedText } = await import('../../reports/terminal/recorded.ts');
  for (const note of ended.notes) printNote(note);
  printError(recordedText(ended.recording, nearPath(ended.dir), shapeOfStdout(80).columns));
}

export const record: CommandDefinition = {
  name: 'record',
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
  flags: table.flags,
  epilogue:
    'The job needs no change. Exit code: that of the command; 2 where it was 0 and no call was recorded. Then: collbench replay RUN.',
  handler: run,
};
