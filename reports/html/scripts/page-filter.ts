/** Kinds of values that the page's filter can hide, each with the heading of its checkboxes. */
export const filterKinds = [
  { kind: 'transport', heading: 'over' },
  { kind: 'what', heading: 'operation' },
  { kind: 'node', heading: 'node' },
] as const;

export type FilterKind = (typeof filterKinds)[number]['kind'];

/** The transports, operations, hosts and message sizes that the reader of a page hides in its charts and tables. */
export interface PageFilter {
  hidden: Record<FilterKind, Set<string>>;
  /** Lowest and highest x that is shown; null = no limit. */
  from: number | null;
  to: number | null;
}

/**
 * Properties of a drawn point or table row by which the page's filter may hide it. A property that is null or absent never hides
 * it.
 */
export interface FilteredItem {
  transport?: string | null | undefined;
  what?: string | null | undefined;
  node?: string | null | undefined;
  x?: number | null | undefined;
}

/** Returns a filter that shows everything. */
export const emptyFilter = (): PageFilter => ({
  hidden: { transport: new Set(), what: new Set(), node: new Set() },
  from: null,
  to: null,
});

/**
 * True if the page's filter shows a point or table row. An x equal to `from` or `to` is shown. Properties that the point or row
 * lacks never hide it.
 */
export function isShown({ hidden, from, to }: PageFilter, item: FilteredItem): boolean {
  for (const { kind } of filterKinds) {
    const value = item[kind];
    if (typeof value === 'string' && hidden[kind].has(value)) return false;
  }
  const { x } = item;
  return typeof x !== 'number' || (x >= (from ?? x) && x <= (to ?? x));
}

/** A table row with its size (`x`, written as `text`), and whether the filter shows the row. */
export interface SizeRow {
  x: number | null;
  text: string;
  isVisible: boolean;
}

/**
 * Returns the text that each table row shows in its size column: '' in hidden rows, and in rows below a visible row of the same
 * size.
 */
export function sizeTexts(rows: readonly SizeRow[]): string[] {
  let last: SizeRow | null = null;
  return rows.map((row) => {
    if (!row.isVisible) return '';
    const isSame = last !== null && row.x === last.x;
    last = row;
    return isSame ? '' : row.text;
  });
}

/** Content of the page's address after "#": the id of the element to show, and what the reader's filter hides. */
export interface PageAddress {
  /** Id of the element to show; empty if the address has none. */
  id: string;
  filter: PageFilter;
}

/**
 * Parses the part of a page's address from "#" on: "#figure-3&no-transport=socket&from=1024". Parts that cannot be parsed are
 * ignored.
 */
export function parseAddress(hash: string): PageAddress {
  const [first = '', ...others] = hash.replace(/^#/, '').split('&');
  const hasId = !first.includes('=');
  const fields = new URLSearchParams((hasId ? others : [first, ...others]).join('&'));
  const filter = emptyFilter();
  for (const { kind } of filterKinds) filter.hidden[kind] = new Set(fields.getAll(`no-${kind}`));
  for (const end of ['from', 'to'] as const) filter[end] = Number(fields.get(end)) || null;
  return { id: hasId ? decoded(first) : '', filter };
}

export function formatAddress({ id, filter }: PageAddress): string {
  const fields = new URLSearchParams();
  for (const { kind } of filterKinds) for (const one of filter.hidden[kind]) fields.append(`no-${kind}`, one);
  for (const end of ['from', 'to'] as const) {
    const limit = filter[end];
    if (limit !== null) fields.append(end, String(limit));
  }
  return `#${[encodeURIComponent(id), fields.toString()].filter((one) => one !== '').join('&')}`;
}

/** Returns a text without percent-encoding, or unchanged if the encoding is invalid. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
