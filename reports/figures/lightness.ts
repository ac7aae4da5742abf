// Lightness of colours on white paper: what is left of them in grey print.

/** CIE L*, 0 (black) to 100 (white), of a colour "#rrggbb" at that opacity. */
export function lightness(colour: string, opacity = 1): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = 1 - (1 - Number.parseInt(colour.slice(at, at + 2), 16) / 255) * opacity;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return luminance > 0.008856 ? 116 * Math.cbrt(luminance) - 16 : 903.3 * luminance;
}

/** Steps that a reader of a grey copy sees between neighbours. */
const step = 16;
const lightest = 94;

/** Each colour mixed with white until it is lighter than the one before it by a step; the first is as it is. */
export function distinctFills(colours: readonly string[]): string[] {
  let wanted = 0;
  return colours.map((colour) => {
    if (!/^#[\da-f]{6}$/i.test(colour)) return colour;
    const own = lightness(colour);
    const target = Math.min(lightest, Math.max(wanted, own));
    wanted = target + step;
    return target <= own ? colour : mixed(colour, target);
  });
}

function mixed(colour: string, target: number): string {
  let [low, high] = [0, 1];
  for (let i = 0; i < 20; i += 1) {
    const middle = (low + high) / 2;
    if (lightness(colour, middle) > target) low = middle;
    else high = middle;
  }
  const parts = [1, 3, 5].map((at) => 255 - (255 - Number.parseInt(colour.slice(at, at + 2), 16)) * low);
  return `#${parts.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;
}
