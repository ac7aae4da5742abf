// Parses JSON that other users may have written, without characters that move a cursor, forge a line or break an SVG.
import { commandCharacters } from '../text.ts';

/** Control characters, including line breaks and tabs, which no text of collbench contains. */
const controls = new RegExp(`[${commandCharacters}]`, 'gu');
/** Pattern that a text without control characters does not contain. This test is fast, even for long lines of figures. */
const maybeControl = new RegExp(`[\\\\${commandCharacters}]`, 'u');
/** Pattern of all forms of a control character in JSON text: a numeric escape, a letter escape, or the character itself. */
const anyControl = new RegExp(
  `\\\\u(?:00[0189]|007f|061c|20[0126])|\\\\[nrtbf]|[${commandCharacters}]`,
  'iu',
);

/**
 * Parses JSON and replaces each control character in names and values by a dot. @throws SyntaxError, RangeError if nested too
 * deep
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return maybeControl.test(text) && anyControl.test(text) ? withoutControls(value) : value;
}

const asCommands = new RegExp(`[${commandCharacters}]`, 'gu');

/**
 * Returns a value as JSON text with a line break at its end, which a terminal can show safely: control characters are written as
 * numeric escapes.
 */
export const jsonLine = (value: unknown, space?: number): string =>
  `${JSON.stringify(value, null, space).replaceAll(asCommands, (one) =>
    one === '\n' ? one : `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )}\n`;

/** Returns the same value with the dot "·" for each control character in its strings and in names of its fields. */
export function withoutControls<T>(value: T): T;
export function withoutControls(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(controls, '·');
  if (Array.isArray(value)) return value.map(withoutControls);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [withoutControls(name), withoutControls(inner)]),
  );
}
