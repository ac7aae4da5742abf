// The cause that environment variables limit what a library chooses, left over from tuning or from tests.
import { joinWords } from '../../results/units.ts';
import type { CauseRow } from './causes.ts';

/**
 * Returns the cause that environment variables limit the library of an engine. Its experiments remove all of these variables, and
 * each one alone. Several may limit the same thing, as buffers of both ends do, so that removing one changes nothing.
 * @param library name of the library: "NCCL"
 * @param isLimit true for the name of a variable that may be removed, because the library runs on any machine without it. Variables
 * that choose the network, or work around faults of hardware, are no limits
 */
export const environmentCause = (library: string, isLimit: (name: string) => boolean): CauseRow => {
  const limitsIn = (environment: Readonly<Record<string, string>>): string[] =>
    Object.keys(environment).filter(isLimit);
  const textOf = (environment: Readonly<Record<string, string>>, names: readonly string[]): string =>
    joinWords(names.map((name) => `${name}=${environment[name]}`));
  return {
    id: 'environment',
    title: `variables that limit ${library}'s choices`,
    suspicion({ environment }) {
      const found = limitsIn(environment);
      return found.length === 0
        ? null
        : { share: 1, text: `${textOf(environment, found)} in the environment` };
    },
    interventions({ environment }) {
      const found = limitsIn(environment);
      if (found.length === 0) return { absent: 'none is set' };
      const sets = found.length === 1 ? [found] : [found, ...found.map((name) => [name])];
      return {
        changes: sets.map((unset) => ({ title: `without ${textOf(environment, unset)}`, change: {}, unset })),
      };
    },
  };
};
