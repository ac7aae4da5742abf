// Only commands that draw figures for papers load this module, so that no other command has to load the PDF packages.
import PDFDocument from 'pdfkit';
import svgToPdf from 'svg-to-pdfkit';
import { type FontWeight, fontFile } from './fonts.ts';
import type { FontFace } from './theme.ts';

function documentWith(face: FontFace, size: [number, number], title: string): PDFDocument {
  // The date is constant, so that equal drawings give equal files.
  const info = { Title: title, Producer: 'collbench', Creator: 'collbench', CreationDate: new Date(0) };
  const document = new PDFDocument({ size, margin: 0, font: null, info, lang: 'en', displayTitle: true });
  for (const weight of ['normal', 'bold'] satisfies FontWeight[])
    document.registerFont(weight, fontFile(face, weight));
  return document;
}

/**
 * Function that returns the width of a text in the theme's font, in points. It is needed because Vega without a canvas would
 * only estimate widths.
 * @param size font size in points
 */
export type TextMeasure = (text: string, size: number, isBold?: boolean) => number;

export function measureOf(face: FontFace): TextMeasure {
  const document = documentWith(face, [100, 100], '');
  return (text, size, isBold = false) =>
    document
      .font(isBold ? 'bold' : 'normal')
      .fontSize(size)
      .widthOfString(text);
}

/**
 * Converts an SVG drawing to a PDF with one page of the given size in points. The PDF embeds the letters that it uses.
 * @param title title in the PDF's metadata
 * @throws {Error} if the drawing has a part that PDF cannot show
 */
export async function pdfOf(
  svg: string,
  size: { width: number; height: number },
  face: FontFace,
  title: string,
): Promise<Buffer> {
  const document = documentWith(face, [size.width, size.height], title);
  const parts: Buffer[] = [];
  const done = new Promise<void>((resolve, reject) => {
    document.on('data', (part: Buffer) => parts.push(part));
    document.on('end', resolve);
    document.on('error', reject);
  });
  svgToPdf(document, haloTwice(svg), 0, 0, {
    ...size,
    assumePt: true,
    fontCallback: (_family, isBold) => (isBold ? 'bold' : 'normal'),
    warningCallback: (warning) => {
      throw new Error(`PDF: ${warning}`);
    },
  });
  document.end();
  await done;
  return Buffer.concat(parts);
}

/**
 * Writes each text that has an outline (halo) twice in the SVG: first with the outline, then on top of it the text without outline.
 * PDF ignores `paint-order`, so the outline of a single text would cover its letters.
 */
const haloTwice = (svg: string): string =>
  svg.replaceAll(/<text paint-order="stroke"[^>]*>[^<]*<\/text>/g, (text) => {
    const plain = text.replaceAll(/ (?:paint-order|stroke(?:-\w+)?)="[^"]*"/g, '');
    return `${text.replace(' paint-order="stroke"', '')}${plain}`;
  });
