// Launches of a configuration lie apart in time, so that what a machine does for a moment does not meet all of them. The order of
// blocks sees to that where a run has several points; where it has too few, the run pauses.
import type { BlockRequest } from '../../results/schema/index.ts';

/** Longest pause after a launch, seconds: it is as long as the launch was measured for, and no longer than this. */
const longestGapS = 1;

/** When the latest launch of a configuration was measured, seconds. */
interface LaunchTimes {
  launch: number;
  fromS: number;
  toS: number;
}

/** Keeps in mind when each configuration was measured. Times are seconds since the run began, pauses included. */
export class LaunchSpacing {
  private readonly apartS: number;
  private readonly visits = new Map<string, LaunchTimes>();

  /** @param apartS least distance between the beginnings of two launches of a configuration */
  constructor(apartS = 0) {
    this.apartS = apartS;
  }

  /** Seconds to wait before this block: 0 unless it begins a launch too soon after the last one of its configuration. */
  waitS(block: BlockRequest, atS: number): number {
    const visit = this.visits.get(cellOf(block));
    if (block.trial === 'attest' || visit === undefined || visit.launch === block.launch) return 0;
    const gapS = Math.min(longestGapS, visit.toS - visit.fromS);
    return Math.max(0, visit.fromS + this.apartS - atS, visit.toS + gapS - atS);
  }

  /** @param fromS, toS when the block was measured */
  add(block: BlockRequest, fromS: number, toS: number): void {
    if (block.trial === 'attest') return;
    const visit = this.visits.get(cellOf(block));
    if (visit?.launch === block.launch) visit.toS = toS;
    else this.visits.set(cellOf(block), { launch: block.launch, fromS, toS });
  }
}

const cellOf = ({ point, transport }: BlockRequest): string => `${point} ${transport}`;
