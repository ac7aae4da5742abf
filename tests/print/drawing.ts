// Reads an SVG as it looks in print: texts with their bounding boxes, and the symbols of the legend.
import { XMLParser } from 'fast-xml-parser';
import type { TextMeasure } from '../../reports/figures/pdf.ts';

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export interface SvgText extends Box {
  text: string;
  /** Class names of the text and of the groups around it, such as "role-axis-title", separated by spaces. */
  roles: string;
  fontSize: number;
}

export interface LegendSymbol {
  shape: string;
  fill: string;
}

export interface DrawingContent {
  width: number;
  height: number;
  texts: SvgText[];
  symbols: LegendSymbol[];
}

type Attributes = Record<string, string>;
type PdfNode = Record<string, unknown>;
/** The values a, b, c, d, e, f of an SVG transformation matrix. */
type SvgMatrix = readonly [number, number, number, number, number, number];

const times = ([a, b, c, d, e, f]: SvgMatrix, [g, h, i, j, k, l]: SvgMatrix): SvgMatrix => [
  a * g + c * h,
  b * g + d * h,
  a * i + c * j,
  b * i + d * j,
  a * k + c * l + e,
  b * k + d * l + f,
];

function matrixOf(transform = ''): SvgMatrix {
  let all: SvgMatrix = [1, 0, 0, 1, 0, 0];
  for (const [, kind, list = ''] of transform.matchAll(/(\w+)\(([^)]*)\)/g)) {
    const [x = 0, y = 0] = list.split(/[ ,]+/).map(Number);
    const [cos, sin] = [Math.cos((x * Math.PI) / 180), Math.sin((x * Math.PI) / 180)];
    if (kind === 'translate') all = times(all, [1, 0, 0, 1, x, y]);
    else if (kind === 'rotate') all = times(all, [cos, sin, -sin, cos, 0, 0]);
    else throw new Error(`transform ${kind} is not read here`);
  }
  return all;
}

const attributesOf = (node: PdfNode): Attributes => (node[':@'] ?? {}) as Attributes;
const tagOf = (node: PdfNode): string => Object.keys(node).find((key) => key !== ':@') ?? '';
const childrenOf = (node: PdfNode): PdfNode[] => (node[tagOf(node)] ?? []) as PdfNode[];

export function readSvg(svg: string, measure: TextMeasure): DrawingContent {
  const parser = new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: '',
    trimValues: false,
    parseTagValue: false,
  });
  const root = (parser.parse(svg) as PdfNode[]).find((node) => tagOf(node) === 'svg') ?? {};
  const [, , width, height] = (attributesOf(root).viewBox ?? '').split(' ').map(Number);
  const read: DrawingContent = { width: width ?? 0, height: height ?? 0, texts: [], symbols: [] };
  const walk = (node: PdfNode, above: SvgMatrix, roles: string): void => {
    const attributes = attributesOf(node);
    const matrix = times(above, matrixOf(attributes.transform));
    const mine = `${roles} ${attributes.class ?? ''}`;
    if (tagOf(node) === 'text') read.texts.push(textOf(node, attributes, matrix, mine, measure));
    if (tagOf(node) === 'path' && mine.includes('role-legend-symbol'))
      read.symbols.push({
        shape: attributes.d ?? '',
        fill: attributes.fill ?? 'none',
      });
    if (['g', 'svg', 'a'].includes(tagOf(node)))
      for (const child of childrenOf(node)) walk(child, matrix, mine);
  };
  walk(root, [1, 0, 0, 1, 0, 0], '');
  return read;
}

function textOf(
  node: PdfNode,
  attributes: Attributes,
  [a, b, c, d, e, f]: SvgMatrix,
  roles: string,
  measure: TextMeasure,
): SvgText {
  const text = childrenOf(node)
    .map((child) => String(child['#text'] ?? ''))
    .join('');
  const fontSize = Number.parseFloat(attributes['font-size'] ?? '0');
  const length = measure(text, fontSize, attributes['font-weight'] === 'bold');
  const anchors: Record<string, number> = { middle: -length / 2, end: -length };
  const start = anchors[attributes['text-anchor'] ?? ''] ?? 0;
  const corners = [
    [start, -0.72 * fontSize],
    [start + length, -0.72 * fontSize],
    [start, 0.2 * fontSize],
    [start + length, 0.2 * fontSize],
  ].map(([x = 0, y = 0]) => [a * x + c * y + e, b * x + d * y + f] as const);
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  return {
    text,
    roles,
    fontSize,
    left: Math.min(...xs),
    right: Math.max(...xs),
    top: Math.min(...ys),
    bottom: Math.max(...ys),
  };
}
