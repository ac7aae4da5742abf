import { capitalise, formatBandwidth, formatPercent, formatTime } from '../wording.ts';
import type { DocumentCell, DocumentColumn, DocumentForm, DocumentText } from './blocks.ts';

/**
 * Returns a text for output that cannot show bold, code, links and reasons of verdicts: only their words remain, and labels become
 * capitals.
 */
export function plainText(text: DocumentText): string {
  if (typeof text === 'string') return text;
  if ('strong' in text) return text.strong;
  if ('code' in text) return text.code;
  if ('label' in text) return text.label.toUpperCase();
  return 'text' in text ? text.text : text.map(plainText).join('');
}

/**
 * Returns the text of a paragraph. If `isSentence` is true, it gets a capital first letter and a full stop, and becomes plain text
 * without bold, code and links.
 */
export const sentenceOf = ({
  text,
  isSentence,
}: {
  text: DocumentText;
  isSentence?: boolean;
}): DocumentText => (isSentence === true ? `${capitalise(plainText(text))}.` : text);

/** Returns the facts of a list (names with values) without those that have an empty value. */
export const knownFacts = ({ facts }: { facts: readonly (readonly [string, DocumentText])[] }) =>
  facts.filter(([, value]) => plainText(value) !== '');

/** True if the cell is a text; false for numbers, missing values and small charts. */
export const isText = (cell: DocumentCell): cell is DocumentText =>
  cell !== null && typeof cell !== 'number' && !(typeof cell === 'object' && 'levels' in cell);

/**
 * Formats a table cell's number in the quantity of its column: a time, bandwidth, share or x value. Terminals show short sizes
 * ("64K"), HTML pages and Markdown long ones ("64 KiB"). In a column without quantity the number is written unchanged.
 */
export function quantityText(
  value: number,
  { quantity }: Pick<DocumentColumn, 'quantity'>,
  form: DocumentForm,
): string {
  if (quantity === undefined) return String(value);
  if (quantity === 'ns') return formatTime(value);
  if (quantity === 'GB/s') return formatBandwidth(value);
  if (quantity === 'share') return formatPercent(value);
  return form === 'terminal' ? quantity.short(value) : quantity.text(value);
}

export const isRight = ({ align, quantity }: DocumentColumn): boolean =>
  (align ?? (quantity === undefined ? 'left' : 'right')) === 'right';

const bars = '▁▂▃▄▅▆▇█';
/**
 * Minimum difference of the natural logarithms of the highest and the lowest value that fills the whole height of a sparkline
 * (0.04: 4 %). A smaller difference is noise, so it fills only a part of the height.
 */
const minSparkRange = 0.04;

/**
 * Draws one block character of eight heights per value, a higher block for a larger value. If all values are within
 * `minSparkRange`, they do not fill the height.
 * @param logs natural logarithms of the values
 */
export function sparkline(logs: readonly number[]): string {
  const [low, high] = [Math.min(...logs), Math.max(...logs)];
  const middle = (low + high) / 2;
  const range = Math.max(high - low, minSparkRange);
  return logs
    .map((log) => bars[Math.min(7, Math.max(0, Math.floor(((log - middle) / range + 0.5) * 8)))])
    .join('');
}
