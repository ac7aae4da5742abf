// Makes the SVG of a chart smaller for the page: removes invisible parts and attributes, and writes attributes that marks share
// only once.

import { fonts } from '../theme.ts';

/** An SVG element, or a text between elements. */
type SvgNode = SvgElement | string;
interface SvgElement {
  name: string;
  attributes: Map<string, string>;
  children: SvgNode[];
}

/**
 * Attributes that SVG elements inherit from the `g` element around them. If all elements in it have the same value, the value is
 * written once at the `g` element.
 */
const inherited = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-opacity',
  'fill-opacity',
  'text-anchor',
  'font-family',
  'font-size',
  'font-weight',
];
/** Font family and size of nearly all texts of a chart, written once at the root element. */
const [fontFamily, fontSize] = [fonts.replaceAll('"', '&quot;'), '12px'];
const dropped = ['class', 'aria-hidden', 'aria-roledescription', 'pointer-events', 'display'];
/** Attributes with coordinates; their numbers are rounded to make the SVG smaller. */
const drawn = ['d', 'x', 'y', 'x1', 'x2', 'y1', 'y2', 'cx', 'cy', 'r', 'width', 'height', 'transform'];

/**
 * Makes an SVG from `renderBoth` smaller without a visible change, for use in an HTML page. Coordinates are rounded to a tenth of a
 * pixel.
 * @param figure number of the chart in the page; its HTML caption becomes the SVG's description for screen readers
 * @param mark returns the attribute that replaces the text label of a drawn mark: `data-i` for a point, `data-s` for a line; null
 * for other marks
 */
export function compactSvg(
  svg: string,
  figure: number,
  mark: (label: string) => [name: string, value: number] | null,
): string {
  const root = parsed(svg);
  const { attributes } = root;
  attributes.delete('xmlns:xlink');
  root.children = root.children.flatMap((child) => simplified(child, mark));
  attributes.set('aria-labelledby', `figure-${figure}-title`);
  attributes.set('aria-describedby', `figure-${figure}-caption`);
  attributes.set('font-family', fontFamily);
  attributes.set('font-size', fontSize);
  return text(root);
}

/**
 * Parses an SVG text that Vega wrote into a tree of elements. It is no general XML parser; escaped characters in texts stay
 * escaped.
 */
function parsed(svg: string): SvgElement {
  const top: SvgElement = { name: '', attributes: new Map(), children: [] };
  const open = [top];
  for (const [, inner, close, name, rest = ''] of svg.matchAll(/([^<]+)|<(\/?)([\w:-]+)([^>]*)>/g)) {
    const into = open.at(-1) as SvgElement;
    if (inner !== undefined) into.children.push(inner);
    else if (close !== '') open.pop();
    else {
      const attributes = new Map<string, string>();
      for (const [, key = '', value = ''] of rest.matchAll(/([\w:-]+)="([^"]*)"/g))
        attributes.set(key, value);
      const element = { name: name as string, attributes, children: [] };
      into.children.push(element);
      if (!rest.endsWith('/')) open.push(element);
    }
  }
  return top.children.find((child): child is SvgElement => typeof child !== 'string') ?? top;
}

function simplified(node: SvgNode, mark: (label: string) => [string, number] | null): SvgNode[] {
  if (typeof node === 'string') return [node];
  const { name, attributes } = node;
  if (name === 'defs' || name === 'clipPath') return [node];
  // The HTML caption has the title and the description.
  if (name === 'title' || name === 'desc') return [];
  if (isUnseen(node)) return [];
  const label = attributes.get('aria-label');
  const at = label === undefined ? null : mark(label);
  for (const one of [...dropped, 'role', 'aria-label']) attributes.delete(one);
  if (at !== null) attributes.set(`data-${at[0]}`, String(at[1]));
  if (attributes.get('font-family') === fontFamily) attributes.delete('font-family');
  if (attributes.get('font-size') === fontSize) attributes.delete('font-size');
  if (attributes.get('font-weight') === 'normal') attributes.delete('font-weight');
  if (attributes.get('opacity') === '1') attributes.delete('opacity');
  if (!attributes.has('stroke')) attributes.delete('stroke-width');
  if (attributes.get('stroke-dasharray') === '1,0') attributes.delete('stroke-dasharray');
  for (const one of drawn) {
    const value = attributes.get(one);
    if (value !== undefined) attributes.set(one, rounded(value));
  }
  if (/^translate\(0,0\)$/.test(attributes.get('transform') ?? '')) attributes.delete('transform');
  placed(node);
  node.children = node.children.flatMap((child) => simplified(child, mark));
  if (name !== 'g') return [node];
  const inside = node.children.filter((child) => typeof child !== 'string' || child.trim() !== '');
  if (inside.length === 0) return [];
  node.children = inside;
  hoistAttributes(node);
  joinRules(node);
  gather(node);
  return attributes.size === 0 ? node.children : [node];
}

/** True for elements that draw nothing: empty paths, and background frames without fill and stroke. */
function isUnseen({ name, attributes }: SvgElement): boolean {
  if (name !== 'path') return false;
  if ((attributes.get('d') ?? '') === '') return true;
  const isFrame = attributes.get('class') === 'background';
  return isFrame && !attributes.has('fill') && !attributes.has('stroke');
}

const rounded = (value: string): string =>
  value.replaceAll(/-?\d+\.\d+/g, (number) => String(Math.round(Number(number) * 10) / 10));

/**
 * Makes an element shorter, in place: coordinates replace the `transform` of a text, and a `circle` replaces a path that draws a
 * circle.
 */
function placed(node: SvgElement): void {
  const { name, attributes } = node;
  const [, x, y] = /^translate\((-?[\d.]+),(-?[\d.]+)\)$/.exec(attributes.get('transform') ?? '') ?? [];
  if (x === undefined || y === undefined) return;
  if (name === 'text' && node.children.every((child) => typeof child === 'string')) {
    attributes.set('x', x);
    attributes.set('y', y);
    attributes.delete('transform');
  }
  const [, radius] = /^M([\d.]+),0A\1,\1,0,1,1,-\1,0A\1,\1,0,1,1,\1,0$/.exec(attributes.get('d') ?? '') ?? [];
  if (name !== 'path' || radius === undefined) return;
  node.name = 'circle';
  attributes.delete('d');
  attributes.delete('transform');
  for (const [key, value] of [
    ['cx', x],
    ['cy', y],
    ['r', radius],
  ] as const)
    attributes.set(key, value);
}

/**
 * Moves those `inherited` attributes that all children of a `g` element have with the same value to the `g` element, unless it has
 * its own value. Both are changed in place. Elements with one child or with text stay as they are.
 */
function hoistAttributes(group: SvgElement): void {
  const elements = group.children.filter((child): child is SvgElement => typeof child !== 'string');
  const [first] = elements;
  if (first === undefined || elements.length < 2 || elements.length < group.children.length) return;
  for (const name of inherited) {
    const value = first.attributes.get(name);
    if (value === undefined || group.attributes.has(name)) continue;
    if (!elements.every(({ attributes }) => attributes.get(name) === value)) continue;
    for (const { attributes } of elements) attributes.delete(name);
    group.attributes.set(name, value);
  }
}

/**
 * Changes a `g` element in place: puts three or more consecutive points of one series into a `g` element of their own, so that
 * their colour is written once.
 */
function gather(group: SvgElement): void {
  const runs: SvgElement[][] = [];
  for (const child of group.children) {
    if (typeof child === 'string') return;
    const last = runs.at(-1);
    if (last?.[0] !== undefined && isAlike(last[0], child)) last.push(child);
    else runs.push([child]);
  }
  if (runs.length === 1 || runs.every(({ length }) => length < 3)) return;
  group.children = runs.flatMap((run) => {
    if (run.length < 3) return run;
    const wrapped: SvgElement = { name: 'g', attributes: new Map(), children: run };
    hoistAttributes(wrapped);
    return wrapped.attributes.size === 0 ? run : [wrapped];
  });
}

const isAlike = (a: SvgElement, b: SvgElement): boolean =>
  a.name === b.name &&
  a.children.length === 0 &&
  b.children.length === 0 &&
  a.attributes.get('fill') === b.attributes.get('fill') &&
  a.attributes.get('stroke') === b.attributes.get('stroke');

/**
 * Changes a `g` element in place: joins its lines into one path if they differ only in position (grid lines, ticks). If any line
 * differs in more, nothing changes.
 */
function joinRules(group: SvgElement): void {
  const lines = group.children as SvgElement[];
  if (lines.length < 2 || !lines.every((one) => typeof one !== 'string' && one.name === 'line')) return;
  let path = '';
  for (const { attributes } of lines) {
    const extra = [...attributes.keys()].filter((key) => !['transform', 'x2', 'y2'].includes(key));
    const [, x, y] = /^translate\((-?[\d.]+),(-?[\d.]+)\)$/.exec(attributes.get('transform') ?? '') ?? [];
    if (extra.length > 0) return;
    path += `M${x ?? 0},${y ?? 0}l${attributes.get('x2') ?? 0},${attributes.get('y2') ?? 0}`;
  }
  group.children = [{ name: 'path', attributes: new Map([['d', path]]), children: [] }];
}

function text(node: SvgNode): string {
  if (typeof node === 'string') return node;
  const attributes = [...node.attributes].map(([name, value]) => ` ${name}="${value}"`).join('');
  if (node.children.length === 0) return `<${node.name}${attributes}/>`;
  return `<${node.name}${attributes}>${node.children.map(text).join('')}</${node.name}>`;
}
