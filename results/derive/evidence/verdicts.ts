import type { Evidence } from '../../schema/index.ts';

/** A verdict on the path of the bytes. `otherTraffic` is set if the interface carried more bytes than the run can have caused. */
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
