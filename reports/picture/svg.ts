import { escapeMarkup } from '../../results/markup-text.ts';
import type { ChartFigure } from '../charts/chart.ts';
import { fonts, ink } from '../theme.ts';
import { wrap } from '../wording.ts';

/** Width of the SVG in pixels; the PNG is rendered at twice this width. */
export const pictureWidth = 800;
const margin = 24;
/** Upper bound of the average width of a letter, as a multiple of the font size, for the fonts that findFonts() may return. */
const letterWidth = 0.56;

/** Returns an SVG, 800 pixels wide, that contains a chart, its title and subtitle above, and its caption below. */
export async function pictureSvg(figure: ChartFigure, subtitle: string): Promise<string> {
  const { renderSvg } = await import('../charts/render.ts');
  const svg = await renderSvg(figure.spec('wide'), {
    title: figure.title,
    description: figure.caption,
    idPrefix: 'picture',
  });
  const [, width = '700', height = '400'] = /<svg[^>]*? width="([\d.]+)" height="([\d.]+)"/.exec(svg) ?? [];
  const inner = pictureWidth - 2 * margin;
  const scale = inner / Number(width);
  const title = lines(figure.title, 22, inner);
  const under = lines(subtitle, 14, inner);
  const caption = lines(figure.caption, 14, inner);
  let y = margin;
  const parts: string[] = [];
  const write = (texts: readonly string[], size: number, how: string): void => {
    for (const text of texts) {
      y += size * 1.3;
      parts.push(
        `<text x="${margin}" y="${Math.round(y)}" font-size="${size}" ${how} xml:space="preserve">${escapeMarkup(text)}</text>`,
      );
    }
  };
  write(title, 22, `font-weight="bold" fill="${ink.text}"`);
  write(under, 14, `fill="${ink.soft}"`);
  y += 14;
  parts.push(
    svg.replace(
      /<svg\b([^>]*?) width="[\d.]+" height="[\d.]+"/,
      `<svg$1 x="${margin}" y="${Math.round(y)}" width="${inner}" height="${Math.round(Number(height) * scale)}"`,
    ),
  );
  y += Number(height) * scale + 6;
  write(caption, 14, `fill="${ink.soft}"`);
  const whole = Math.round(y + margin);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${pictureWidth}" height="${whole}" viewBox="0 0 ${pictureWidth} ${whole}" font-family="${escapeMarkup(fonts)}"><rect width="100%" height="100%" fill="${ink.paper}"/>${parts.join('\n')}</svg>`;
}

/** Wraps text to a width, without separating a number from "%". @param size font size in pixels @param room width in pixels */
const lines = (text: string, size: number, room: number): string[] =>
  wrap(text.replaceAll(' %', '\u0001%'), Math.floor(room / (size * letterWidth))).map((one) =>
    one.replaceAll('\u0001', ' '),
  );
