import type { ParsedLine } from '../line/read.ts';
import { ValueError } from '../options/index.ts';
import { printError } from '../terminal.ts';
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
  const { recordCommand, readRecords } = await import('../recording.ts');
  const { read } = said;
  const options = {
    ...{ root: said.root, out: said.out, name: said.name ?? null, times: said.times ?? 'auto' },
    mpicc: said.mpicc === 'none' ? null : said.mpicc,
  };
  const { text, exitCode } =
    read === undefined
      ? await recordCommand(commandIn(line), options)
      : await readRecords(read, commandIn(line), options);
  // stdout is used by the recorded command, so the report goes to stderr.
  printError(text);
  process.exitCode = exitCode;
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
