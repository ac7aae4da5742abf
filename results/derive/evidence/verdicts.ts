import type { Evidence } from '../../schema/index.ts';

/** A verdict on the path of the bytes. `otherTraffic` is set if the interface carried more bytes than the run can have caused. */
export type EvidenceVerdict = Evidence & { otherTraffic?: true };

export const unprovenEvidence = (reason: string): Evidence => ({ verdict: 'unproven', reason });

/** Unproven evidence: other processes moved so many bytes that the share of the run cannot be determined. */
export const otherTrafficEvidence = (numbers: string): EvidenceVerdict => ({
  ...unprovenEvidence(numbers),
  otherTraffic: true,
});
