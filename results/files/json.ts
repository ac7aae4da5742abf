// JSON that others may have written: what would move the cursor, forge a line or break an SVG is not let in.
import { commandCharacters } from '../text.ts';

/** Line breaks and tabs, too: nothing that collbench records has any. */
const controls = new RegExp(`[${commandCharacters}]`, 'gu');
/** No text without these has a control character: passes lines of figures in a moment. */
const maybeControl = new RegExp(`[\\\\${commandCharacters}]`, 'u');
/** How they can stand in JSON: by their number, a letter or themselves. */
const anyControl = new RegExp(
  `\\\\u(?:00[0189]|007f|061c|20[0126])|\\\\[nrtbf]|[${commandCharacters}]`,
  'iu',
);

/** A dot stands for each control character in names and values. @throws SyntaxError, RangeError nested too deep */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return maybeControl.test(text) && anyControl.test(text) ? withoutControls(value) : value;
}

const asCommands = new RegExp(`[${commandCharacters}]`, 'gu');

/** One line of JSON that a terminal can show: what it would take for a command is written by its number. */
export const jsonLine = (value: unknown, space?: number): string =>
  `${JSON.stringify(value, null, space).replaceAll(asCommands, (one) =>
    one === '\n' ? one : `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )}\n`;

/** The same value with a dot for each control character of its words. */
export function withoutControls<T>(value: T): T;
export function withoutControls(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(controls, '·');
  if (Array.isArray(value)) return value.map(withoutControls);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [withoutControls(name), withoutControls(inner)]),
  );
}
