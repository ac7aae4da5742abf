// Keeps launches of a configuration apart in time, so that a short disturbance of a machine does not affect all of
// them. With several points the order of blocks does this; with too few points the run pauses between launches.
import type { BlockRequest } from '../../results/schema/index.ts';

/** Maximum pause after a launch, seconds. The pause is as long as the launch took, but not longer than this. */
const longestGapS = 1;

/** Start and end of the latest launch of a configuration (a point over one transport), seconds since the run began. */
interface LaunchTimes {
  launch: number;
  fromS: number;
  toS: number;
}

/**
 * Remembers when each configuration was measured, to keep its launches apart in time. All times are seconds since the
 * run began, pauses included.
 */
export class LaunchSpacing {
  private readonly apartS: number;
  private readonly visits = new Map<string, LaunchTimes>();

  /** @param apartS minimum seconds between the starts of two launches of the same configuration */
  constructor(apartS = 0) {
    this.apartS = apartS;
  }

  /**
   * Returns the seconds to wait before a block, so that a new launch of its configuration does not start too soon. It must start
   * at least `apartS` after the start of the previous launch. After the end of that launch there must be a pause as long as the
   * launch took, at most `longestGapS`. 0 for further blocks of the same launch, for attest blocks and for the first launch.
   * @param atS present time, seconds since the run began
   */
  waitS(block: BlockRequest, atS: number): number {
    const visit = this.visits.get(cellOf(block));
    if (block.trial === 'attest' || visit === undefined || visit.launch === block.launch) return 0;
    const gapS = Math.min(longestGapS, visit.toS - visit.fromS);
    return Math.max(0, visit.fromS + this.apartS - atS, visit.toS + gapS - atS);
  }

  /**
   * Records when a block was measured. Attest blocks do not count.
   * @param fromS start of the block
   * @param toS end of the block, both in seconds since the run began
   */
  add(block: BlockRequest, fromS: number, toS: number): void {
    if (block.trial === 'attest') return;
    const visit = this.visits.get(cellOf(block));
    if (visit?.launch === block.launch) visit.toS = toS;
    else this.visits.set(cellOf(block), { launch: block.launch, fromS, toS });
  }
}

const cellOf = ({ point, transport }: BlockRequest): string => `${point} ${transport}`;
