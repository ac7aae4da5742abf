import { refuse } from '../../results/refusals/refusal.ts';
import { slimSvg } from '../charts/slim-svg.ts';
import { fontStyle } from './fonts.ts';
import type { FigurePanels } from './paper.ts';
import type { TextMeasure } from './pdf.ts';
import type { FigureTheme, FontFace } from './theme.ts';

type ChartRenderer = typeof import('../charts/render.ts');

export interface PrintDrawing {
  /** SVG text of the drawing, with the embedded font and its size in inches. */
  svg: string;
  pdf: Buffer;
}

/**
 * Draws figures at their size on paper. `measure` returns the width of a text in the theme's font, in points. `draw` returns the
 * panels with their legend as one drawing. It rejects if Vega-Lite does not accept a specification, or if PDF cannot show a part.
 * `names.id` is the start of every id in the SVG.
 */
export interface PaperRenderer {
  measure: TextMeasure;
  draw(
    panels: FigurePanels,
    names: { title: string; description: string; id: string },
  ): Promise<PrintDrawing>;
}

/**
 * Creates a renderer for the theme's font; it reads the font's files. @throws Refusal if the packages that write PDF are not
 * installed
 */
export async function drawerOf({ face }: Pick<FigureTheme, 'face'>): Promise<PaperRenderer> {
  const { measureOf, pdfOf } = await import('./pdf.ts').catch((error: Error) => {
    throw refuse('no-pdf-writer', { why: error.message.split('\n')[0] ?? '' });
  });
  const style = await fontStyle(face);
  const measure = measureOf(face);
  return {
    measure,
    draw: async ({ legend, specs, across }, { title, description, id }) => {
      const all = legend === null ? specs : [legend, ...specs];
      const drawings: string[] = [];
      for (const [i, spec] of all.entries())
        drawings.push(
          slimSvg(
            await withTextMeasure(measure, ({ renderSvg }) =>
              renderSvg(spec, { title, description, idPrefix: i === 0 ? id : `${id}-${i}` }),
            ),
          ),
        );
      const plain = composeDrawings(drawings, legend !== null, across);
      const size = sizeOf(plain);
      return {
        svg: inInches(plain, size, style),
        pdf: await pdfOf(withFace(plain, face), size, face, title),
      };
    },
  };
}

/** Joins SVG drawings into one SVG: the legend (the first drawing, if `hasLegend`) on top, below it rows of `across` panels. */
function composeDrawings(drawings: readonly string[], hasLegend: boolean, across: number): string {
  const [first = ''] = drawings;
  if (drawings.length === 1) return first;
  const head = /^[\s\S]*?<svg\b[^>]*>(?:<title[\s\S]*?<\/desc>)?/;
  const inner = (svg: string) => svg.replace(head, '').replace(/<\/svg>\s*$/, '');
  const placed: string[] = [];
  let [left, top, rowHeight, width, column] = [0, 0, 0, 0, 0];
  for (const [i, drawing] of drawings.entries()) {
    const size = sizeOf(drawing);
    placed.push(`<g transform="translate(${left},${top})">${inner(drawing)}</g>`);
    rowHeight = Math.max(rowHeight, size.height);
    width = Math.max(width, left + size.width);
    column += 1;
    const isLegend = hasLegend && i === 0;
    if (isLegend || column === across || i === drawings.length - 1) {
      top += rowHeight;
      [left, rowHeight, column] = [0, 0, 0];
    } else left += size.width;
  }
  const [opened = ''] = head.exec(first) ?? [];
  return `${opened
    .replace(/ viewBox="[^"]*"/, ` viewBox="0 0 ${width} ${top}"`)
    .replace(/ width="[^"]*"/, ` width="${width}"`)
    .replace(/ height="[^"]*"/, ` height="${top}"`)}${placed.join('')}</svg>`;
}

/**
 * Runs `draw` while Vega measures texts with `measure`; without this, Vega only estimates widths. All drawings share Vega's
 * measuring function, which is restored afterwards, so two calls must not overlap.
 */
async function withTextMeasure<T>(measure: TextMeasure, draw: (by: ChartRenderer) => Promise<T>): Promise<T> {
  const renderer = await import('../charts/render.ts');
  const { textMetrics } = renderer;
  const before = textMetrics.width;
  textMetrics.width = ({ fontSize = 11, fontWeight }, text) =>
    measure(String(text ?? ''), fontSize, fontWeight === 'bold' || Number(fontWeight) >= 600);
  try {
    return await draw(renderer);
  } finally {
    textMetrics.width = before;
  }
}

function sizeOf(svg: string): { width: number; height: number } {
  const [, width, height] = /<svg\b[^>]*\bviewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg) ?? [];
  return { width: Number(width), height: Number(height) };
}

function inInches(
  drawn: string,
  { width, height }: { width: number; height: number },
  style: string,
): string {
  const [family = ''] = / font-family="[^"]*"/.exec(drawn) ?? [];
  const svg = drawn.replaceAll(family, '').replace('<svg ', `<svg${family} `);
  return svg
    .replace(/<svg\b([^>]*?) width="[^"]*" height="[^"]*"/, (_all, before: string) => {
      const inches = (points: number) => `${Number((points / 72).toFixed(4))}in`;
      return `<svg${before} width="${inches(width)}" height="${inches(height)}"`;
    })
    .replace('</desc>', `</desc><style>${style}</style>`);
}

/** Replaces every font family in an SVG by that of the theme, because the PDF embeds only one font. */
const withFace = (svg: string, { family }: FontFace): string =>
  svg.replaceAll(/font-family="[^"]*"/g, `font-family="${family}"`);
