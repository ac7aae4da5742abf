import type { BlockRecord } from '../schema/index.ts';

/**
 * A block in which every rank takes `durations[i]` ns for sample i, from a common start.
 * @param parts fields to replace; `ranks` shapes the other fields
 */
export function testBlock(
  durations: readonly number[],
  parts: Partial<BlockRecord> = {},
  ranks = 2,
): BlockRecord {
  const commonStartNs = durations.map((_, i) => i * 1_000_000);
  const perRank = <T>(value: (rank: number) => T): T[] =>
    Array.from({ length: ranks }, (_, rank) => value(rank));
  return {
    block: 0,
    point: 0,
    transport: 0,
    launch: 0,
    trial: 'isolated',
    algorithm: 'ring',
    batch: 1,
    baseNs: 0,
    commonStartNs,
    startNs: perRank(() => [...commonStartNs]),
    endNs: perRank(() => commonStartNs.map((at, i) => at + (durations[i] as number))),
    late: perRank(() => durations.map(() => 0)),
    warmupNs: perRank((rank) => [9000 + rank, 2000]),
    windowNs: 20_000,
    checks: perRank(() => 2),
    wrong: perRank((rank) => ({ rank, wrongElements: 0, comparedElements: 512, first: null })),
    counters: perRank(() => ({ bytesSent: 0, bytesReceived: 0, messagesSent: 0, messagesReceived: 0 })),
    interfaceBytes: {},
    operations: durations.length + 2,
    ...parts,
  };
}

/** xorshift32 (Marsaglia 2003): uniform in [0, 1), for seeded tests. */
export function seededUniform(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

/** Standard normal by Box & Muller. */
export function seededNormal(seed: number): () => number {
  const uniform = seededUniform(seed);
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}
