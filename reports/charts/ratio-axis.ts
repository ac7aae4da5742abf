/** Beyond this ratio of its ends an axis has powers of two alone. */
const wideSpan = 8;
const mostTicks = 7;

/**
 * Scale and ticks of ratios, logarithmic: so twice as fast and half as fast are at the same distance from 1. A wide axis reads
 * 1/64, 1/16, 1/4, 1, 4.
 */
export function ratioAxis(domain: readonly [low: number, high: number]) {
  const [low, high] = domain;
  const scale = { type: 'log', base: 2, domain, nice: false };
  if (high < wideSpan * low) return { scale, format: '~r' };
  const [first, last] = [Math.ceil(Math.log2(low)), Math.floor(Math.log2(high))];
  const step = Math.max(1, Math.ceil((last - first + 1) / mostTicks));
  const values = [];
  // 1 is among them.
  for (let power = Math.ceil(first / step) * step; power <= last; power += step) values.push(2 ** power);
  return { scale, values, labelExpr: fraction };
}

const fraction = "datum.value < 1 ? '1/' + format(1 / datum.value, '~r') : format(datum.value, '~r')";
