/** Minimum ratio between both ends of an axis for which ticks are only at powers of two. */
const wideSpan = 8;
const mostTicks = 7;

/**
 * Returns a logarithmic scale with ticks for ratios, on which "twice as fast" and "half as fast" are equally far from 1. If
 * the range is wide, ticks are fractions such as 1/64, 1/16, 1/4, 1, 4.
 */
export function ratioAxis(domain: readonly [low: number, high: number]) {
  const [low, high] = domain;
  const scale = { type: 'log', base: 2, domain, nice: false };
  if (high < wideSpan * low) return { scale, format: '~r' };
  const [first, last] = [Math.ceil(Math.log2(low)), Math.floor(Math.log2(high))];
  const step = Math.max(1, Math.ceil((last - first + 1) / mostTicks));
  const values = [];
  // The first power is a multiple of the step, so 1 is one of the ticks.
  for (let power = Math.ceil(first / step) * step; power <= last; power += step) values.push(2 ** power);
  return { scale, values, labelExpr: fraction };
}

const fraction = "datum.value < 1 ? '1/' + format(1 / datum.value, '~r') : format(datum.value, '~r')";
