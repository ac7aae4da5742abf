import type { Evidence } from '../../schema/index.ts';

/** Verdict on which path the bytes took. `otherTraffic`: an interface carried more bytes than the run can have caused. */
export type EvidenceVerdict = Evidence & { otherTraffic?: true };

export const unprovenEvidence = (reason: string): Evidence => ({ verdict: 'unproven', reason });

/**
 * Returns the verdict `unproven` for an interface on which other processes moved too many bytes: the bytes of the run cannot be
 * separated. @param numbers the counted bytes as text
 */
export const otherTrafficEvidence = (numbers: string): EvidenceVerdict => ({
  ...unprovenEvidence(numbers),
  otherTraffic: true,
});
