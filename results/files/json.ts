// Parses JSON that other users may have written, and removes characters that could move a terminal's cursor, forge a line or break
// an SVG.
import { commandCharacters, sanitiseLine } from '../text.ts';

/** Matches control characters, including line breaks and tabs, which no stored text of collbench contains. */
const controls = new RegExp(`[${commandCharacters}]`, 'gu');
/**
 * Matches a backslash or control character. A text without a match has no control character; this test is fast, even for long lines
 * of numbers.
 */
const maybeControl = new RegExp(`[\\\\${commandCharacters}]`, 'u');
/** Matches all forms of a control character in JSON text: a numeric escape, a letter escape, or the character itself. */
const anyControl = new RegExp(
  `\\\\u(?:00[0189]|007f|061c|20[0126])|\\\\[nrtbf]|[${commandCharacters}]`,
  'iu',
);

/**
 * Parses JSON and replaces each control character in names and values by the dot "·".
 * @throws SyntaxError if the text is no JSON, with a message of one line; RangeError if values are nested too deep
 */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // The message of a syntax error quotes the text.
    throw error instanceof SyntaxError
      ? new SyntaxError(sanitiseLine(error.message), { cause: error })
      : error;
  }
  return maybeControl.test(text) && anyControl.test(text) ? withoutControls(value) : value;
}

/** Parses JSON; null if the text is no JSON, and also for the text "null". Control characters stay. */
export function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Returns a value as JSON text that a terminal can show safely, with a line break at its end: control characters are written as
 * numeric escapes.
 * @param space number of blanks by which each level is indented; absent = one line without blanks
 */
export const jsonLine = (value: unknown, space?: number): string =>
  `${JSON.stringify(value, null, space).replaceAll(controls, (one) =>
    one === '\n' ? one : `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )}\n`;

/** Returns a copy of the value in which each control character, in strings and in names of fields, is replaced by the dot "·". */
export function withoutControls<T>(value: T): T;
export function withoutControls(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(controls, '·');
  if (Array.isArray(value)) return value.map(withoutControls);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [withoutControls(name), withoutControls(inner)]),
  );
}
