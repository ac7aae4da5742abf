// The story: a word names a command, the command ends with an exit code, an error becomes one clear message.
import { commands, findCommand } from './commands/index.ts';
import { CommandError, type ExitCode, exitCode, reportError } from './exit.ts';
import { nearest } from './nearest.ts';

async function main(words: readonly string[]): Promise<ExitCode> {
  const [name, ...rest] = words;
  if (name === '--version') {
    const { version } = await import('./native.ts');
    process.stdout.write(`${version()}\n`);
    return exitCode.ok;
  }
  if (name === undefined || ['--help', '-h'].includes(name)) return findHelp().start([]);
  if (name === '--complete') return (await import('./commands/completion.ts')).complete(rest);
  const command = findCommand(name);
  if (command === undefined) {
    const names = commands.map((known) => known.name);
    const match = nearest(name.replace(/^-+/, ''), names);
    throw new CommandError(`${name}: no such command`, [
      match === null ? `  allowed: ${names.join(', ')}` : `  did you mean ${match}?`,
      'Next: collbench --help',
    ]);
  }
  if (rest.some((word) => ['--help', '-h'].includes(word))) return findHelp().start([name]);
  return command.start(rest);
}

const findHelp = () => findCommand('help') as NonNullable<ReturnType<typeof findCommand>>;

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.exitCode = reportError(error);
}
