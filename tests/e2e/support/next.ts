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

/** Words of a suggested line with which nothing is measured: a command that measures is only planned (--plan-only). */
export function wordsWithoutMeasuring(line: string): string[] {
  const words = splitShellWords(line);
  const isPlanned =
    isMeasuring(words[0]) && !['--plan-only', '--help', '--list'].some((one) => words.includes(one));
  return [...words, ...(isPlanned ? ['--plan-only'] : [])];
}

/** Null if a suggested command worked, else its exit code and stderr. @param line without the name of the program */
export function problemOf(line: string, { code, stderr }: ProcessResult): string | null {
  const [command = ''] = line.split(' ');
  if (code === 0 || findings[command]?.includes(code ?? -1) === true) return null;
  return `collbench ${line}: exit code ${code}\n${stderr}`;
}

/** Runs a suggested command without measuring. @param cwd folder of the command that suggested it @returns as problemOf() */
export const commandProblem = async (line: string, cwd: string): Promise<string | null> =>
  problemOf(line, await run(wordsWithoutMeasuring(line), { cwd }));
