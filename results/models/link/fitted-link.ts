import { refuse } from '../../refusals/refusal.ts';
import type { LinkCostName } from './device.ts';
import { fitLink, type LinkFit, minSizesShown } from './fit.ts';
import type { LinkMeasurement } from './measurements.ts';

const minSizes = 4;
/** A fitted link model is accepted if the median of its relative deviations from the measured times is at most 10 %. */
const worstMedian = 0.1;

export interface FittedLink {
  link: LinkMeasurement;
  fit: LinkFit;
}

/**
 * Fits a link model to the measured times and returns it, with these times, if it is good enough to be used.
 * @throws Refusal if there are too few sizes, if bandwidth or latency cannot be determined, or if the times deviate too much from
 * any link model
 */
export function requireFittedLink(link: LinkMeasurement): FittedLink {
  const { transport, device, points, withoutOwn, tooFast } = link;
  const sizes = new Set(points.map(({ bytes }) => bytes)).size;
  if (sizes < minSizes)
    throw refuse('link-fit-sizes', { transport, sizes, least: minSizes, withoutOwn, tooFast });
  const fit = fitLink(device, points);
  const told = (name: LinkCostName) => fit?.costs.some((cost) => cost.name === name) === true;
  const flags = `collbench pingpong --transport ${transport}` as const;
  if (fit === null || !told('byte')) {
    const reason = `it shows at fewer than ${minSizesShown} sizes: larger messages are needed`;
    throw refuse('link-fit-not-estimated', {
      transport,
      cost: 'bandwidth',
      reason,
      next: `${flags} --max 16M`,
    });
  }
  if (!device.first.some(told)) {
    const reason = `it shows at fewer than ${minSizesShown} sizes: smaller messages are needed`;
    throw refuse('link-fit-not-estimated', {
      transport,
      cost: 'latency',
      reason,
      next: `${flags} --min 8 --max 16M`,
    });
  }
  if (fit.medianOff > worstMedian)
    throw refuse('link-fit-poor', { transport, medianOff: fit.medianOff, most: worstMedian });
  return { link, fit };
}
