// Text of any length, and of anybody, for terminals.

/**
 * Breaks text at spaces so that no line is longer than `width`, unless one word is.
 * Leading spaces stand before every line, `hanging` before every line but the first, too.
 */
export function wrap(text: string, width: number, hanging = ''): string[] {
  const lead = /^ */.exec(text)?.[0] ?? '';
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter((one) => one !== '')) {
    const next = line === '' ? lead + word : `${line} ${word}`;
    if (next.length > width && line !== '') {
      lines.push(line);
      line = lead + hanging + word;
    } else {
      line = next;
    }
  }
  return line === '' ? lines : [...lines, line];
}

/**
 * Characters by which text says more to a terminal than it shows: control characters (C0, DEL, C1), and those that turn the
 * order of what follows (Unicode UAX 9) or break lines (U+2028, U+2029).
 */
export const commandCharacters = '\\p{Cc}\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069';

/** What a terminal would take for a command; line break and tab are text. */
const controls = new RegExp(`(?![\\n\\t])[${commandCharacters}]`, 'gu');

/** Text of other machines, safe to print: what they say stays, what they would do to the terminal shows as a dot. */
export const sanitiseText = (text: string): string => text.replaceAll(controls, '·');

const lineBreaks = /\r\n|[\n\t]/g;

/** The same for text of one line: it cannot begin another one. */
export const sanitiseLine = (text: string): string => sanitiseText(text.replaceAll(lineBreaks, ' '));
