import type { Evidence } from '../../schema/index.ts';

/** Evidence, and whether more passed the interface than the run can have caused. */
export type EvidenceVerdict = Evidence & { otherTraffic?: true };

export const unprovenEvidence = (reason: string): Evidence => ({ verdict: 'unproven', reason });

/** Others moved so much that the share of the run is hidden. */
export const otherTrafficEvidence = (numbers: string): EvidenceVerdict => ({
  ...unprovenEvidence(numbers),
  otherTraffic: true,
});
