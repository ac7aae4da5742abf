// The story: a word names a command, the command leaves an exit code, an error becomes one clear message.
import { start } from './commands/index.ts';

let lost: string | null = null;

/** A reader that left early ("| head") is no error; what is measured goes to the folder of the run anyway. */
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE' || lost !== null) return;
  lost = code === 'ENOSPC' ? 'the disk is full' : message;
  process.stderr.write(
    `collbench: stdout cannot be written: ${lost}. What is measured is kept in the folder of the run.\n`,
  );
});
// Nowhere is left to say so.
process.stderr.on('error', () => undefined);
// A script must not take half a table for a whole one.
process.on('exit', () => {
  if (lost !== null && !process.exitCode) process.exitCode = 2;
});

start(process.argv.slice(2)).catch(async (error: unknown) => {
  const { reportError } = await import('./exit.ts');
  process.exitCode = reportError(error);
});
