import { plannings } from '../../../suites/workloads/index.ts';
import { type ProcessResult, run } from '../harness.ts';

/** Commands that an ended command suggests with "Next: collbench ...", without the name of the program. */
export function suggestedCommands({ stdout, stderr }: Pick<ProcessResult, 'stdout' | 'stderr'>): string[] {
  return [...`${stdout}\n${stderr}`.matchAll(/^ *Next: (?:\S*\/)?collbench (.+)$/gm)].map(([, words = '']) =>
    words.trim(),
  );
}

/** Words as a shell would split them; the texts of collbench quote with single quotes only. */
export const splitShellWords = (line: string): string[] =>
  [...line.matchAll(/(?:'[^']*'|[^\s'])+/g)].map(([word]) => word.replaceAll("'", ''));

const isMeasuring = (command: string | undefined): boolean =>
  plannings.some(({ commands }) => commands.some(({ name }) => name === command));

/**
 * Why a suggested command is no command that works here; null if it works. A measuring command is only planned.
 * @param line without the name of the program @param cwd folder of the command that suggested it
 */
export async function commandProblem(line: string, cwd: string): Promise<string | null> {
  const words = splitShellWords(line);
  const isPlanned = isMeasuring(words[0]) && !words.includes('--plan-only');
  const ended = await run([...words, ...(isPlanned ? ['--plan-only'] : [])], { cwd });
  // 5: warnings of doctor, which is what it was suggested for.
  if (ended.code === 0 || (words[0] === 'doctor' && (ended.code === 5 || ended.code === 2))) return null;
  return `collbench ${line}: exit code ${ended.code}\n${ended.stderr}`;
}
