import type { Argv } from 'yargs';
import { ValueError } from '../suites/options/flag.ts';
import { isMeasuring, planningOfCommand, type WorkloadOption } from '../suites/workloads/index.ts';

const optionsOf = (command: string): readonly WorkloadOption[] =>
  isMeasuring(command) ? planningOfCommand(command).options : [];

/** Teaches yargs what only this workload understands. @param isLong help tells what is allowed, too */
export function withWorkloadOptions(parser: Argv, command: string, isLong: boolean): Argv {
  const table = optionsOf(command).map((option) => {
    const { name, help, allowed, example, fallback } = option;
    return [
      name,
      {
        nargs: 1,
        group: 'What is measured:',
        describe: isLong ? `${help} Allowed: ${allowed}. Example: ${example}` : help,
        defaultDescription: fallback,
        coerce: (value: unknown) =>
          value === undefined ? undefined : checked(command, option, String(value)),
      },
    ];
  });
  return parser.options(Object.fromEntries(table));
}

/** @throws Error with the whole text for people: yargs keeps nothing but the message of what a coerce function throws */
function checked(command: string, { name, allowed, example, check }: WorkloadOption, text: string): string {
  try {
    check(text);
    return text;
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    const lines = [`  allowed: ${allowed}`, `Next: collbench ${command} ${example}`];
    throw new Error([`--${name} ${text}: ${error.message}`, ...lines].join('\n'));
  }
}

/** As typed, or the default. */
export const workloadWords = (command: string, found: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(optionsOf(command).map(({ name, fallback }) => [name, String(found[name] ?? fallback)]));
