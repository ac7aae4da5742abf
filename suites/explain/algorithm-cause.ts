// The cause that another algorithm is faster than the one that the engine or the user chose.
import { type CollectiveName, isCollective } from '../../results/schema/index.ts';
import type { CauseRow } from './causes.ts';
import type { ExplainedOperation, OptionChange } from './variants.ts';

/**
 * Returns the cause that the algorithm is slow, for engines with option --algo. Its experiments are the engine's own choice, if the
 * user made another one, and each of `namesFor`.
 * @param namesFor names of the algorithms that can run the operation
 * @param ownChoice change of the command after which the engine chooses the algorithm
 */
export const algorithmCause = (
  namesFor: (collective: CollectiveName, operation: ExplainedOperation) => readonly string[],
  ownChoice: OptionChange = { algo: null },
): CauseRow => ({
  id: 'algorithm',
  title: 'the algorithm',
  interventions(operation) {
    const { command, algorithm, options } = operation;
    if (!isCollective(command)) return { absent: `${command} has no algorithm to choose` };
    const others = namesFor(command, operation).filter((name) => name !== algorithm);
    if (others.length === 0) return { absent: `${command} has one algorithm` };
    const isForced = options.algo !== undefined && options.algo !== 'auto';
    return {
      changes: [
        ...(isForced ? [{ title: "the engine's choice of algorithm", change: ownChoice }] : []),
        ...others.map((name) => ({ title: `algorithm ${name}`, change: { algo: name } })),
      ],
    };
  },
});
