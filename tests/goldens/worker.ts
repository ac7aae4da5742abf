// Runs commands of a checkout one after another in this process: most commands take less time than the start of a process.
// process.ts starts it with the folder of the checkout and sends the words of each command.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CommandRequest, CommandResult } from './process.ts';

const [node = '', , tree = ''] = process.argv;
const program = path.join(tree, 'dist/bin/collbench.js');
/** Loads a module of the checkout. @param files its name, and its earlier names, because the checkout may be an old one */
const load = (...files: string[]) => {
  const found = files.map((file) => path.join(tree, 'dist/bin', file)).find(existsSync);
  if (found === undefined) throw new Error(`${tree} has none of dist/bin/${files.join(', ')}`);
  return import(pathToFileURL(found).href);
};
const { start }: { start: (words: readonly string[]) => Promise<void> } = await load('commands/index.js');
const { reportError }: { reportError: (error: unknown) => number } = await load('report-error.js', 'exit.js');

/** Collects what is written to stdout or stderr from now on. @returns a function for the text so far */
function capture(stream: 'stdout' | 'stderr'): () => string {
  const chunks: Buffer[] = [];
  process[stream].write = (chunk: string | Uint8Array) => {
    chunks.push(Buffer.from(chunk as Uint8Array));
    return true;
  };
  return () => Buffer.concat(chunks).toString();
}

async function runCommand({ words, columns }: CommandRequest): Promise<CommandResult> {
  process.argv = [node, program, ...words];
  process.env.COLUMNS = String(columns);
  process.exitCode = undefined;
  const [stdout, stderr] = [capture('stdout'), capture('stderr')];
  await start(words).catch((error: unknown) => {
    process.exitCode = reportError(error);
  });
  const result = { code: Number(process.exitCode ?? 0), stdout: stdout(), stderr: stderr() };
  process.exitCode = undefined;
  return result;
}

process.on('message', async (request: CommandRequest) => process.send?.(await runCommand(request)));
