import { plannings } from '../../../suites/workloads/index.ts';
import { type ProcessResult, run } from '../harness.ts';

/** Commands that an ended command suggests with "Next: collbench ...", without the name of the program. */
export function suggestedCommands({ stdout, stderr }: Pick<ProcessResult, 'stdout' | 'stderr'>): string[] {
  return [...`${stdout}\n${stderr}`.matchAll(/^ *Next: (?:\S*\/)?collbench (.+)$/gm)].map(([, words = '']) =>
    words.trim(),
  );
}

/** Splits a line into words as a shell does. Only single quotes are supported, because collbench's texts use no others. */
export const splitShellWords = (line: string): string[] =>
  [...line.matchAll(/(?:'[^']*'|[^\s'])+/g)].map(([word]) => word.replaceAll("'", ''));

/** Exit codes other than 0 with which a command has done its work: doctor found something, compare has a verdict. */
const findings: Readonly<Record<string, readonly number[]>> = { doctor: [5, 2], compare: [4, 5] };

const isMeasuring = (command: string | undefined): boolean =>
  command === 'suite' || plannings.some(({ commands }) => commands.some(({ name }) => name === command));

/**
 * Runs a suggested command; one that measures is only planned (--plan-only). Returns null if it works, else its exit code
 * and stderr. @param line without the name of the program @param cwd folder of the command that suggested it
 */
export async function commandProblem(line: string, cwd: string): Promise<string | null> {
  const words = splitShellWords(line);
  const isPlanned = isMeasuring(words[0]) && !words.includes('--plan-only');
  const ended = await run([...words, ...(isPlanned ? ['--plan-only'] : [])], { cwd });
  if (ended.code === 0 || findings[words[0] ?? '']?.includes(ended.code ?? -1) === true) return null;
  return `collbench ${line}: exit code ${ended.code}\n${ended.stderr}`;
}
