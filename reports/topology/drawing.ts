// Functions that draw SVG elements. They use only presentation attributes, because the page's security policy forbids inline
// styles.
import { escapeXml } from '../../results/markup-text.ts';
import { fonts, ink, palette } from '../theme.ts';

/** Formats a length in pixels with at most one decimal. */
const number = (value: number): string => String(Number(value.toFixed(1)));

/** Average width of a letter in the report's sans-serif font, as a multiple of the font size. */
const letterWidth = 0.53;

export interface TextStyle {
  size?: number;
  anchor?: 'start' | 'middle' | 'end';
  colour?: string;
  isBold?: boolean;
  /** Available width in pixels. Longer text is cut, and a tooltip shows the whole text. */
  room?: number;
}

export function drawText(x: number, y: number, text: string, how: TextStyle = {}): string {
  const { size = 12, anchor = 'start', colour = ink.text, isBold = false, room = 1000 } = how;
  const most = Math.max(1, Math.floor(room / (size * letterWidth)));
  const shown = [...text].length > most ? `${[...text].slice(0, most - 1).join('')}…` : text;
  const title = shown === text ? '' : `<title>${escapeXml(text.slice(0, 400))}</title>`;
  const bold = isBold ? ' font-weight="600"' : '';
  return `<text x="${number(x)}" y="${number(y)}" font-size="${size}" text-anchor="${anchor}" fill="${colour}"${bold}>${title}${escapeXml(shown)}</text>`;
}

export function box(x: number, y: number, width: number, height: number, fill: string): string {
  return `<rect x="${number(x)}" y="${number(y)}" width="${number(width)}" height="${number(height)}" rx="4" fill="${fill}" stroke="${ink.rule}"/>`;
}

const pointList = (points: readonly (readonly [number, number])[]): string =>
  points.map(([x, y]) => `${number(x)},${number(y)}`).join(' ');

/**
 * Returns the SVG polyline of a link, thicker for a higher rate.
 * @param points x and y of its corners in pixels
 * @param GBps rate of the link in GB/s; null = unknown, drawn as a thin dashed line
 */
export function line(
  points: readonly (readonly [number, number])[],
  GBps: number | null,
  colour: string,
): string {
  const path = pointList(points);
  const dash = GBps === null ? ' stroke-dasharray="4 3"' : '';
  return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="${number(thickness(GBps))}"${dash}/>`;
}

/**
 * Returns the width in pixels of a link's line from its rate in GB/s: 1 up to 2 GB/s or if the rate is unknown (null), 5 from 500
 * GB/s. Each doubling of the rate adds the same width.
 */
export function thickness(GBps: number | null): number {
  if (GBps === null || GBps <= 2) return 1;
  return Math.min(5, 1 + (4 * Math.log2(GBps / 2)) / Math.log2(250));
}

/**
 * Draws an arrow between two labels that ends before it touches them; '' if they are too close.
 * @param from centre of the first label
 * @param to centre of the second label
 * @param half half of the labels' width in pixels; the labels are 20 pixels high
 */
export function arrow(from: readonly [number, number], to: readonly [number, number], half: number): string {
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
  const [dx, dy] = [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
  // Distance from the centre to the border of a label in the arrow's direction, plus 3 pixels.
  const gap = 3 + Math.min(half / Math.abs(dx || 1e-9), 10 / Math.abs(dy || 1e-9));
  if (!(length > 2 * gap)) return '';
  const start = [from[0] + dx * gap, from[1] + dy * gap] as const;
  const end = [to[0] - dx * gap, to[1] - dy * gap] as const;
  const head: (readonly [number, number])[] = [
    end,
    [end[0] - dx * 7 - dy * 3.5, end[1] - dy * 7 + dx * 3.5],
    [end[0] - dx * 7 + dy * 3.5, end[1] - dy * 7 - dx * 3.5],
  ];
  return `${line([start, end], 2, ink.soft)}<polygon points="${pointList(head)}" fill="${ink.soft}"/>`;
}

/** Returns a complete SVG with title and description for screen readers. @param parts SVG elements in drawing order */
export function picture(
  parts: readonly string[],
  {
    width,
    height,
    title,
    description,
  }: { width: number; height: number; title: string; description: string },
): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 ${number(width)} ${number(height)}" width="${number(width)}" height="${number(height)}" font-family="${escapeXml(fonts)}">
<title>${escapeXml(title)}</title><desc>${escapeXml(description)}</desc>
<rect width="100%" height="100%" fill="${ink.paper}"/>
${parts.filter((part) => part !== '').join('\n')}
</svg>`;
}

export const kindColours: Readonly<Record<string, string>> = {
  gpu: '#d6efe6',
  network: '#d9e9f5',
  ntb: '#f9e0d0',
  accelerator: '#f5e3ee',
  bridge: '#f2f2f0',
  other: '#f7f7f7',
};
export const linkColours = { pcie: ink.rule, peer: palette.green, wire: palette.blue };
