// Lightness of colours on white paper, by which colours can be told apart in grey print.
import { mixWithWhite } from '../theme.ts';

/**
 * Returns the perceived lightness CIE L*, 0 (black) to 100 (white), of a colour "#rrggbb" on white paper.
 * @param opacity 0 to 1
 */
export function lightness(colour: string, opacity = 1): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = 1 - (1 - Number.parseInt(colour.slice(at, at + 2), 16) / 255) * opacity;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return luminance > 0.008856 ? 116 * Math.cbrt(luminance) - 16 : 903.3 * luminance;
}

/**
 * Differences of lightness L* by which readers of a grey copy can tell colours apart: the preferred difference, and the minimum.
 */
const steps = [16, 12] as const;
const lightest = 94;

/**
 * Returns the colours, in the given order, changed so that they differ visibly in lightness. The darkest colour stays unchanged. A
 * lighter colour is mixed with white only if its lightness is too close to that of the next darker one, at most up to L* 94. So all
 * colours stay as close to the given ones as grey print allows. Colours that are not "#rrggbb" are returned unchanged.
 */
export function distinctFills(colours: readonly string[]): string[] {
  const isHex = (colour: string) => /^#[\da-f]{6}$/i.test(colour);
  const order = colours
    .map((colour, i) => ({ colour, i, own: isHex(colour) ? lightness(colour) : 0 }))
    .filter(({ colour }) => isHex(colour))
    .sort((a, b) => a.own - b.own);
  const targetsBy = (step: number) => {
    let wanted = 0;
    return order.map(({ own }) => {
      const target = Math.max(wanted, own);
      wanted = target + step;
      return target;
    });
  };
  const [usual, least] = steps;
  const targets = (targetsBy(usual).at(-1) ?? 0) <= lightest ? targetsBy(usual) : targetsBy(least);
  const fills = [...colours];
  for (const [place, { colour, i, own }] of order.entries()) {
    const target = Math.min(lightest, targets[place] ?? own);
    if (target > own) fills[i] = mixed(colour, target);
  }
  return fills;
}

function mixed(colour: string, target: number): string {
  let [low, high] = [0, 1];
  for (let i = 0; i < 20; i += 1) {
    const middle = (low + high) / 2;
    if (lightness(colour, middle) > target) low = middle;
    else high = middle;
  }
  return mixWithWhite(colour, 1 - low);
}
