// Causes that lie between the ranks: a slow hop, unequal rails, and another transport than the requested one. They concern every
// engine.
import type { CauseRow } from './causes.ts';
import { hopCause } from './hops.ts';
import { railsCause } from './rails.ts';
import type { ExplainedOperation } from './variants.ts';

/** Numbers of TCP connections between two ranks that are tried. */
const connectionCounts = [1, 2, 4, 8];

/** For engines with option --streams: another number of TCP connections. */
export const streamsCause: CauseRow = {
  id: 'streams',
  title: 'the number of TCP connections',
  interventions({ transport, options: { streams } }) {
    if (transport !== 'socket') return { absent: 'only sockets have streams' };
    const others = connectionCounts.filter((n) => String(n) !== streams);
    return {
      changes: [
        ...(streams === undefined
          ? []
          : [{ title: 'streams as collbench chooses', change: { streams: null } }]),
        ...others.map((n) => ({
          title: n === 1 ? 'one TCP connection' : `${n} TCP connections`,
          change: { streams: String(n) },
        })),
      ],
    };
  },
};

/** Possible causes of lost time that lie in the network, with their experiments. */
export const networkCauses: readonly CauseRow[] = [
  hopCause,
  railsCause,
  {
    id: 'fallback',
    title: 'a fallback to another transport',
    suspicion: (operation) => {
      const text = fallbackOf(operation);
      return text === null ? null : { share: 1, text };
    },
    interventions(operation) {
      const { transport, medium, evidence } = operation;
      const fallback = fallbackOf(operation);
      // Every run requests its transport already, so no change of the command can force it.
      if (fallback !== null) return { reason: `${fallback}; collbench doctor says what ${transport} needs` };
      // Transports refuse to emulate an adapter beside a device that they could use (native/transports/*/library.cc).
      if (medium === 'emulated')
        return { absent: 'an adapter is emulated only if asked for, or without a device' };
      if (evidence?.verdict === 'confirmed') return { absent: `the evidence confirms ${transport}` };
      return { reason: `not known: ${evidence?.reason ?? 'no bytes were counted'}` };
    },
  },
];

/**
 * Text that says that the ranks did not use what the command asked for, and how this is known: by byte counters or by the log of
 * the engine's library, which also names another algorithm or protocol. Null unless one of them contradicts.
 */
const fallbackOf = ({ transport, evidence }: ExplainedOperation): string | null =>
  evidence?.verdict === 'contradicted' ? `${transport} was not used as asked: ${evidence.reason}` : null;
