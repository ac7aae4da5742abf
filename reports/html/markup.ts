import { escapeMarkup } from '../../results/markup-text.ts';

/** Text that is safe to insert into a page as HTML. All other text is escaped when it is inserted. */
export class SafeHtml {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
}

type HtmlPart = SafeHtml | string | number | null | undefined | false | readonly HtmlPart[];

/**
 * Template tag: html`<p>${fromALog}</p>` escapes each inserted value unless it is `SafeHtml`. Items of a list are joined; null,
 * undefined and false insert nothing.
 */
export function html(strings: TemplateStringsArray, ...parts: HtmlPart[]): SafeHtml {
  let text = strings[0] as string;
  for (let i = 0; i < parts.length; i += 1) text += shown(parts[i]) + strings[i + 1];
  return new SafeHtml(text);
}

/**
 * Marks text as HTML that needs no escaping. Use it only for text that this program makes: SVG from `renderSvg`, style and
 * script files.
 */
export function trustHtml(text: string): SafeHtml {
  return new SafeHtml(text);
}

/**
 * Returns an HTML comment that marks where HTML is inserted later. Texts cannot contain such a comment, because they are escaped.
 * @param key letters, digits and spaces
 */
export const placeholder = (key: string): SafeHtml => trustHtml(`<!--later ${key}-->`);

/** Replaces each placeholder by the HTML that `texts` has for its key; by nothing if it has none. */
export const fillPlaceholders = (body: SafeHtml, texts: ReadonlyMap<string, string>): SafeHtml =>
  trustHtml(body.text.replaceAll(/<!--later ([\w ]+)-->/g, (_all, key: string) => texts.get(key) ?? ''));

function shown(part: HtmlPart): string {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof SafeHtml) return part.text;
  if (Array.isArray(part)) return part.map(shown).join('');
  return escapeMarkup(String(part));
}

/**
 * Returns a script element that contains a value as JSON. Characters that could end the element or open a comment are escaped.
 * @param id id of the element, by which scripts of the page find it
 */
export function jsonScript(id: string, value: unknown): SafeHtml {
  const json = JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
  return html`<script type="application/json" id="${id}">${new SafeHtml(json)}</script>`;
}

export interface TableColumn<T> {
  head: string | SafeHtml;
  /** True for a column of numbers, which are aligned right. */
  number?: boolean;
  /** True for a column of long texts, which may be broken into several lines. */
  isLong?: boolean;
  /**
   * True for the column of x values. Rows with equal x follow one another, and only the first shows x. If the page's filter
   * hides that row, x is shown in the next visible row.
   */
  isX?: boolean;
  cell: (row: T) => HtmlPart;
}

/**
 * Attributes of a table row by which the page's filter (scripts/dom/filter.ts) shows or hides it. An absent attribute never hides
 * the row. `node`: name of a host; `x`: mostly the message size in bytes.
 */
export interface RowData {
  transport?: string;
  /** Name of the operation that the row is about: "allreduce". */
  what?: string;
  node?: string;
  x?: number;
}

/**
 * Returns a table in a box that scrolls sideways if the table is wider than the screen, so that the page itself never scrolls
 * sideways.
 * @param rowClass returns the CSS class of a row
 * @param rowData returns the attributes of a row for the page's filter
 * @param isStacked true = on narrow screens the cells of a row are below one another
 */
export function table<T>(
  caption: SafeHtml | string,
  columns: readonly TableColumn<T>[],
  rows: readonly T[],
  rowClass: (row: T) => string = () => '',
  rowData: (row: T) => RowData = () => ({}),
  isStacked = false,
): SafeHtml {
  const cls = (c: TableColumn<T>) =>
    [c.number === true ? 'n' : '', c.isLong === true ? 'w' : '', c.isX === true ? 'x' : '']
      .filter((name) => name !== '')
      .join(' ') || 't';
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption instanceof SafeHtml ? spoken(caption) : caption || 'table'}"><table${isStacked && trustHtml(' class="stack"')}>
${caption !== '' && html`<caption>${caption}</caption>\n`}<thead><tr>${columns.map((c) => html`<th scope="col" class="${cls(c)}">${c.head}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr class="${rowClass(row)}"${data(rowData(row))}>${columns.map((c) => html`<td class="${cls(c)}">${c.cell(row)}</td>`)}</tr>\n`)}</tbody>
</table></div>`;
}

/** Returns a table's name for screen readers: the bold start of its caption, or "table" if it has none. */
const spoken = ({ text }: SafeHtml): SafeHtml => new SafeHtml(/<b>(.*?)<\/b>/s.exec(text)?.[1] ?? 'table');

const data = (row: RowData): SafeHtml =>
  new SafeHtml(
    Object.entries(row)
      .map(([name, value]) => ` data-${name}="${escapeMarkup(String(value))}"`)
      .join(''),
  );
