// Carries out many command lines of collbench in one process, which takes a tenth of the time of a process for each. It reads
// the requests as JSON from stdin and prints the results as JSON.
import { text } from 'node:stream/consumers';
import { start } from '../../../bin/commands/index.ts';
import { reportError } from '../../../bin/report-error.ts';
import type { ProcessResult } from '../harness.ts';
import type { LineRequest } from './lines.ts';

const { stdout, stderr } = process;
const write = stdout.write.bind(stdout);

async function carryOut({ words, cwd, columns }: LineRequest): Promise<ProcessResult> {
  const written = { stdout: '', stderr: '' };
  for (const [name, stream] of Object.entries({ stdout, stderr } as const))
    stream.write = (chunk: string | Uint8Array) => {
      written[name as keyof typeof written] += chunk.toString();
      return true;
    };
  process.argv = [...process.argv.slice(0, 2), ...words];
  process.env.COLUMNS = String(columns);
  process.chdir(cwd);
  process.exitCode = undefined;
  try {
    await start(words);
  } catch (error) {
    process.exitCode = reportError(error);
  }
  return { code: Number(process.exitCode ?? 0), signal: null, ...written };
}

const results: ProcessResult[] = [];
for (const request of JSON.parse(await text(process.stdin)) as LineRequest[])
  results.push(await carryOut(request));
process.exitCode = 0;
write(JSON.stringify(results));
