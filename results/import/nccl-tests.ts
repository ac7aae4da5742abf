import { logPrograms } from './log-programs.ts';
import { parseJson } from './nccl-tests-json.ts';
import { NcclTestsError, type NcclTestsResult } from './nccl-tests-result.ts';
import { ncclTestsPrograms, parseText } from './nccl-tests-text.ts';

/**
 * Reads the output of one run of an nccl-tests program (any release), or its `-J` file (versions 1 to 3). Output that was cut off
 * gives the rows it has, `complete` false, and the reason in `problems`.
 * @throws {NcclTestsError} if the content is no nccl-tests output, a usage text, or a log of several runs
 */
export function parseNcclTests(content: string): NcclTestsResult {
  const start = content.trimStart();
  if (start === '') throw new NcclTestsError('the output is empty');
  if (start.startsWith('{') || start.startsWith('[{')) return parseJson(start);
  const programs = logPrograms(content).flatMap(({ text }) => ncclTestsPrograms(text));
  const [only = '', second] = programs;
  if (second !== undefined) throw new NcclTestsError(`the log has outputs of ${programs.length} programs`);
  return parseText(only);
}
