// Requirements of printed figures: one function for each. Its assertion names the fault.
import assert from 'node:assert/strict';
import type { TextMeasure } from '../../reports/figures/pdf.ts';
import type { PaperColumns } from '../../reports/figures/theme.ts';
import { type DrawingContent, type LegendSymbol, readSvg, type SvgText } from './drawing.ts';

export interface PrintedFigure {
  /** Name of the figure in messages of failed checks. */
  name: string;
  columns: PaperColumns;
  svg: string;
  pdf: Buffer;
  caption: string;
  measure: TextMeasure;
}

export const inches = { one: 3.5, two: 7.16 } as const;
const units = /\((?:.*, )?(?:GB\/s|bytes|s|ms|µs)(?:, log scale)?\)$/;

export const checklist: Record<string, (printed: PrintedFigure, read: DrawingContent) => void> = {
  'axes are named, those of numbers with their unit': ({ name }, { texts }) => {
    const all = texts.filter(({ roles }) => roles.includes('role-axis-title')).map(({ text }) => text);
    const titles = [...new Set(all)];
    assert.equal(titles.length, 2, `${name}: two axes, titles ${titles.join(' | ')}`);
    const named = titles.filter((title) => units.test(title));
    const categories = titles.filter((title) => /^(?:Collective|Model)$/.test(title));
    assert.equal(named.length + categories.length, 2, `${name}: ${titles.join(' | ')}`);
    assert.ok(named.length >= 1, `${name}: no unit in ${titles.join(' | ')}`);
  },
  'n and interval are in the caption': ({ name, caption }) => {
    assert.match(caption, /\bn = [\d,]+(?: to [\d,]+)? launch(?:es)?\b/, name);
    assert.match(caption, /95 % interval|No intervals?:/, name);
  },
  'every series names its medium, the caption what it is': ({ name, caption, svg }, { texts }) => {
    const labels = texts.filter(({ roles }) => roles.includes('role-legend-label')).map(({ text }) => text);
    assert.ok(labels.length > 0, `${name}: no legend`);
    for (const label of labels) assert.match(label, /\((?:hardware|emulated|medium unknown)/, name);
    assert.match(caption, /Medium: /, name);
    if (!labels.some((label) => label.includes('emulated'))) return;
    assert.match(svg, /stroke-dasharray="/, `${name}: emulated and not dashed`);
    assert.match(caption, /do not show the speed of a real adapter/, name);
  },
  'the caption names versions and runs': ({ name, caption }) => {
    assert.match(caption, /Versions: collbench \S+.*Runs? /, name);
  },
  'series differ in grey print': ({ name }, { symbols }) => {
    for (const [i, one] of symbols.entries())
      for (const other of symbols.slice(i + 1))
        assert.ok(differInGrey(one, other), `${name}: ${one.fill} and ${other.fill} look alike in grey`);
  },
  'no text is clipped': ({ name }, { texts, width, height }) => {
    for (const { text, left, top, right, bottom } of texts)
      assert.ok(
        left >= 0 && top >= 0 && right <= width && bottom <= height,
        `${name}: '${text}' at ${[left, top, right, bottom].map(Math.round)} of ${width} x ${height}`,
      );
  },
  'no text lies over another': ({ name }, { texts }) => {
    for (const [i, one] of texts.entries())
      for (const other of texts.slice(i + 1))
        assert.ok(!overlap(one, other), `${name}: '${one.text}' over '${other.text}'`);
  },
  'all fonts are embedded': ({ name, pdf, svg }) => {
    const { fonts, embedded } = fontsOf(pdf);
    assert.ok(fonts > 0, `${name}: no text in the PDF`);
    assert.equal(embedded, fonts, `${name}: fonts that are not embedded`);
    assert.match(svg, /@font-face\{font-family:"[^"]+";src:url\(data:font\/woff2;base64,\w/, name);
    assert.doesNotMatch(svg.replaceAll(/xmlns(?::\w+)?="[^"]*"/g, ''), /https?:/, `${name}: loads something`);
  },
  'it is as wide as its columns, and readable': ({ name, columns, svg, pdf }, { texts, height }) => {
    const { width, height: tall } = pageOf(pdf);
    assert.ok(Math.abs(width / 72 - inches[columns]) < 0.001, `${name}: PDF is ${width} pt wide`);
    assert.match(svg, new RegExp(` width="${String(inches[columns]).replace('.', '\\.')}in"`), name);
    assert.ok(Math.abs(tall - height) < 0.5 && height <= 9 * 72, `${name}: ${height} pt tall`);
    for (const { text, fontSize } of texts)
      assert.ok(fontSize >= 6.5, `${name}: '${text}' of ${fontSize} pt`);
  },
};

export function checkPrinted(printed: PrintedFigure): void {
  const read = readSvg(printed.svg, printed.measure);
  for (const check of Object.values(checklist)) check(printed, read);
}

/** Lightness L* of a colour, 0 to 100. */
function lightness({ fill }: LegendSymbol): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(fill.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return y > 0.008856 ? 116 * Math.cbrt(y) - 16 : 903.3 * y;
}

const differInGrey = (one: LegendSymbol, other: LegendSymbol): boolean =>
  one.shape !== other.shape || Math.abs(lightness(one) - lightness(other)) >= 12;

const overlap = (one: SvgText, other: SvgText): boolean =>
  Math.min(one.right, other.right) - Math.max(one.left, other.left) > 0.5 &&
  Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 0.5;

/** Page size of a PDF, in points (1/72 inch). */
export function pageOf(pdf: Buffer): { width: number; height: number } {
  const [, width, height] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(pdf.toString('latin1')) ?? [];
  return { width: Number(width), height: Number(height) };
}

/** Number of fonts in a PDF (simple and composite), and how many of them are embedded. */
export function fontsOf(pdf: Buffer): { fonts: number; embedded: number } {
  const objects = new Map(
    [...pdf.toString('latin1').matchAll(/(?:^|\n)(\d+) 0 obj\n([\s\S]*?)\nendobj/g)].map(
      ([, id = '', body = '']) => [id, body],
    ),
  );
  const at = (body: string, key: string): string => {
    const [, id = ''] = new RegExp(`/${key} \\[?(\\d+) 0 R`).exec(body) ?? [];
    return objects.get(id) ?? '';
  };
  const fonts = [...objects.values()].filter(
    (body) => /\/Type \/Font\b/.test(body) && !/\/Subtype \/CIDFontType/.test(body),
  );
  const files = fonts.filter((body) => {
    const simple = /\/Subtype \/Type0/.test(body) ? at(body, 'DescendantFonts') : body;
    return /\/FontFile[23]? \d+ 0 R/.test(at(simple, 'FontDescriptor'));
  });
  return { fonts: fonts.length, embedded: files.length };
}
