import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { withoutControls } from '../files/json.ts';
import { TopologyError } from './types.ts';

export interface XmlElement {
  name: string;
  /** Attribute values as written in the file. They stay text, since a GUID has more digits than a JavaScript number can hold. */
  attributes: Readonly<Record<string, string>>;
  children: XmlElement[];
}

const maxBytes = 16 * 2 ** 20;
const maxDepth = 64;
const maxElements = 100_000;

type OrderedXml = Record<string, unknown>;

/**
 * Parses an XML file without document type, entities or namespaces, as NCCL writes it. Returns the root element. Text between
 * elements is dropped, and control characters in attributes are replaced.
 * @throws TopologyError if it is not well-formed (with the line), too large or too deep
 */
export function readXml(text: string): XmlElement {
  if (text.length > maxBytes) throw new TopologyError('XML: more than 16 MiB');
  if (/<!(DOCTYPE|ENTITY)/i.test(text)) {
    throw new TopologyError('XML: a document type is not allowed; NCCL writes none');
  }
  refuseDepth(text);
  const valid = XMLValidator.validate(text);
  if (valid !== true) {
    const { line, col, msg } = valid.err;
    const unclosed = /^Invalid '(\[[^\]]*\])' found/.exec(msg)?.[1];
    throw new TopologyError(
      unclosed === undefined
        ? `XML: line ${line}, column ${col}: ${msg}`
        : `XML: the file is torn: not closed are ${unclosed.match(/[^"[\],\s]+/g)?.join(', ')}`,
    );
  }
  const parser = new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: '',
    parseAttributeValue: false,
    parseTagValue: false,
    processEntities: false,
    ignoreDeclaration: true,
    ignorePiTags: true,
  });
  const count = { elements: 0 };
  const [root, second] = elementsOf(parser.parse(text) as OrderedXml[], count);
  if (root === undefined || second !== undefined) throw new TopologyError('XML: one root element is wanted');
  return root;
}

/**
 * Checks how deep elements are nested before they are parsed, because the parser is recursive.
 * @throws TopologyError if they are nested deeper than `maxDepth`
 */
function refuseDepth(text: string): void {
  let depth = 0;
  for (const [tag] of text.matchAll(/<[^>]*>/g)) {
    if (tag.startsWith('</')) depth -= 1;
    else if (!tag.endsWith('/>') && !/^<[?!]/.test(tag)) depth += 1;
    if (depth > maxDepth) throw new TopologyError(`XML: deeper than ${maxDepth} elements`);
  }
}

function elementsOf(nodes: readonly OrderedXml[], count: { elements: number }): XmlElement[] {
  return nodes.flatMap((node) => {
    const name = Object.keys(node).find((key) => key !== ':@');
    if (name === undefined || name.startsWith('#') || !Array.isArray(node[name])) return [];
    count.elements += 1;
    if (count.elements > maxElements) throw new TopologyError(`XML: more than ${maxElements} elements`);
    const attributes: Record<string, string> = Object.create(null) as Record<string, string>;
    for (const [key, value] of Object.entries((node[':@'] ?? {}) as OrderedXml))
      attributes[key] = withoutControls(String(value));
    return [{ name, attributes, children: elementsOf(node[name] as OrderedXml[], count) }];
  });
}

/** Parses a whole number >= 0 of at most 15 digits; null for any other text. */
export function parseNatural(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** Parses a number >= 0 as C prints it with %d or %f; null for any other text. */
export function parseDecimal(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,12}(\.\d{1,9})?$/.test(text) ? Number(text) : null;
}

/** Returns `root` and the elements inside it, at any depth, that have this name, in the order of the file. */
export function withName(root: XmlElement, name: string): XmlElement[] {
  const found: XmlElement[] = [];
  const pending = [root];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next.name === name) found.push(next);
    pending.push(...[...next.children].reverse());
  }
  return found;
}
