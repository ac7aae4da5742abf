// Starts the command that the first word names, and turns an error into one clear message and an exit code.
import { start } from './commands/index.ts';

let lost: string | null = null;

/**
 * Handles errors of stdout. A closed pipe, as after "| head", is not an error, because results are stored in the folder of the run
 * anyway. The first other error is reported on stderr; it also changes exit code 0 to 2.
 */
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE' || lost !== null) return;
  lost = code === 'ENOSPC' ? 'the disk is full' : message;
  process.stderr.write(
    `collbench: stdout cannot be written: ${lost}. What is measured is kept in the folder of the run.\n`,
  );
});
// If stderr cannot be written, the error cannot be reported anywhere.
process.stderr.on('error', () => undefined);
// The exit code tells scripts that the output is incomplete.
process.on('exit', () => {
  if (lost !== null && !process.exitCode) process.exitCode = 2;
});

start(process.argv.slice(2)).catch(async (error: unknown) => {
  const { reportError } = await import('./report-error.ts');
  process.exitCode = reportError(error);
});
