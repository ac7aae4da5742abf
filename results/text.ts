// Prepares text of any length and origin for terminals.

/**
 * Breaks text at spaces into lines of at most `width` characters; only a longer word exceeds it. The text's leading spaces begin
 * every line; `hanging` is added to every line but the first.
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
 * Wraps a text beside `lead`, which begins the first line. The other lines are indented by as much.
 * @param indent width of `lead` in characters, if it contains colour codes
 */
export function wrapBeside(lead: string, text: string, width: number, indent = lead.length): string[] {
  const [first = '', ...more] = wrap(text, width - indent);
  return [lead + first, ...more.map((line) => ' '.repeat(indent) + line)];
}

/**
 * Characters that a terminal interprets instead of showing: control characters (C0, DEL, C1), characters that change the
 * direction of the following text (Unicode UAX 9), and line breaks (U+2028, U+2029). For use in a character class.
 */
export const commandCharacters = '\\p{Cc}\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069';

/** Pattern of control characters that must not reach a terminal. Line feed and tab are allowed. */
const controls = new RegExp(`(?![\\n\\t])[${commandCharacters}]`, 'gu');

/** Makes text from another machine safe to print: control characters, except line feed and tab, become dots. */
export const sanitiseText = (text: string): string => text.replaceAll(controls, '·');

const lineBreaks = /\r\n|[\n\t]/g;

/** Makes text from another machine safe to print on one line: like sanitiseText(), and line breaks and tabs become spaces. */
export const sanitiseLine = (text: string): string => sanitiseText(text.replaceAll(lineBreaks, ' '));
