// The story: a word names a command, the command leaves an exit code, an error becomes one clear message.
import { start } from './commands/index.ts';
import { reportError } from './exit.ts';

try {
  await start(process.argv.slice(2));
} catch (error) {
  process.exitCode = reportError(error);
}
