// The story: a word names a command, the command leaves an exit code, an error becomes one clear message.
import { start } from './commands/index.ts';

// A reader that left early ("| head") is no error, and what is measured goes to disk anyway.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

try {
  await start(process.argv.slice(2));
} catch (error) {
  const { reportError } = await import('./exit.ts');
  process.exitCode = reportError(error);
}
