/**
 * EMULATED mpirun: starts the processes with EMULATED_MPI_RANK and EMULATED_MPI_RANKS. Its exit code is the first exit code
 * that is not 0, or 128 + the number of the signal.
 * - EMULATED_MPIRUN=other: another MPI, which rejects the options of Open MPI
 * - EMULATED_MPIRUN_ARGUMENTS: a file that gets the arguments of mpirun as JSON
 */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { constants } from 'node:os';

const { EMULATED_MPIRUN: mode, EMULATED_MPIRUN_ARGUMENTS: argumentsFile } = process.env;
const isOpenMpi = mode !== 'other';
const words = process.argv.slice(2);
if (words[0] === '--version') {
  process.stdout.write(isOpenMpi ? 'mpirun (Open MPI) 4.1.4\n' : 'HYDRA build details:\n');
  process.exit(0);
}
if (argumentsFile !== undefined) writeFileSync(argumentsFile, JSON.stringify(words));

/** Number of words that each option takes, the option itself included. */
const known: Record<string, number> = {
  '-np': 2,
  ...(isOpenMpi ? { '-x': 2, '--bind-to': 2, '--host': 2, '--allow-run-as-root': 1 } : {}),
};
let at = 0;
let ranks = 0;
for (let word = words[at] ?? ''; word.startsWith('-'); word = words[at] ?? '') {
  if (word === '-np') ranks = Number(words[at + 1]);
  const taken = known[word];
  if (taken === undefined) {
    process.stderr.write(`mpirun: unrecognized argument ${word}\n`);
    process.exit(1);
  }
  at += taken;
}

const [file = '', ...args] = words.slice(at);
for (let rank = 0; rank < ranks; rank += 1) {
  const env = { ...process.env, EMULATED_MPI_RANK: String(rank), EMULATED_MPI_RANKS: String(ranks) };
  spawn(file, args, { env, stdio: 'inherit' }).once('exit', (code, signal) => {
    const ending = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
    process.exitCode ||= ending;
  });
}
