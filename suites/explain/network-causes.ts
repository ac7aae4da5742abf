// Causes that lie between the ranks: a slow hop, and another transport than the requested one. They concern every engine.
import { transportRow } from '../../results/schema/index.ts';
import type { CauseRow } from './causes.ts';
import { hopCause } from './hops.ts';
import type { ExplainedOperation } from './variants.ts';

/** Causes of lost time that lie in the network. */
export const networkCauses: readonly CauseRow[] = [
  hopCause,
  {
    id: 'fallback',
    title: 'a fallback to another transport',
    suspicion: (operation) => {
      const text = fallbackOf(operation);
      return text === null ? null : { share: 1, text };
    },
    interventions(operation) {
      const { transport, evidence, options } = operation;
      if (isEmulatedByChoice(operation))
        return { changes: [{ title: 'a hardware adapter', change: { medium: 'hardware' } }] };
      const fallback = fallbackOf(operation);
      // Every run requests its transport already, so no change of the command can force it.
      if (fallback !== null) return { reason: `${fallback}; collbench doctor says what ${transport} needs` };
      if (evidence?.verdict === 'confirmed') return { absent: `byte counters confirm ${transport}` };
      if (options.medium === 'emulated') return { absent: 'an emulated adapter was asked for' };
      return { reason: `not known: ${evidence?.reason ?? 'no bytes were counted'}` };
    },
  },
];

/** True if collbench took an emulated adapter by itself, because it found no device. */
const isEmulatedByChoice = ({ transport, medium, options }: ExplainedOperation): boolean =>
  medium === 'emulated' &&
  (options.medium ?? 'auto') === 'auto' &&
  (transportRow(transport)?.emulator ?? null) !== null;

/** The transport that took the place of the requested one, in words; null if none is known to have. */
function fallbackOf(operation: ExplainedOperation): string | null {
  const { transport, evidence } = operation;
  if (evidence?.verdict === 'contradicted') return `the bytes did not use ${transport}: ${evidence.reason}`;
  return isEmulatedByChoice(operation) ? `${transport} used an emulated adapter, no device` : null;
}
