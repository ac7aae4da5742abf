// Lays out any text for terminals, pages and names of files.

/**
 * Breaks text at white space into lines of at most `width` characters; only a single longer word exceeds it. The text's leading
 * spaces begin every line; `hanging` is added to every line but the first. Text without a word gives no line.
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
 * Wraps a text after `lead`, which begins the first line; the other lines are indented by the width of `lead`. There is always at
 * least one line, also for an empty text.
 * @param width highest number of characters of a whole line, `lead` or indentation included
 * @param indent width of `lead` in characters, to be given if `lead` contains colour codes
 */
export function wrapBeside(lead: string, text: string, width: number, indent = lead.length): string[] {
  const [first = '', ...more] = wrap(text, width - indent);
  return [lead + first, ...more.map((line) => ' '.repeat(indent) + line)];
}

/** Joins those texts that are not empty, with `separator` between them. */
export const joinPresent = (texts: readonly string[], separator: string): string =>
  texts.filter((text) => text !== '').join(separator);

/**
 * Characters that a terminal interprets instead of showing: control characters (C0, DEL, C1), characters that change the
 * direction of the following text (Unicode UAX 9), and line breaks (U+2028, U+2029). For use in a character class.
 */
export const commandCharacters = '\\p{Cc}\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069';

/** Matches control characters that must not reach a terminal. Line feed and tab are allowed. */
const controls = new RegExp(`(?![\\n\\t])[${commandCharacters}]`, 'gu');

/** Makes text from another machine safe to print: control characters, except line feed and tab, become the dot "·". */
export const sanitiseText = (text: string): string => text.replaceAll(controls, '·');

const lineBreaks = /\r\n|[\n\t]/g;

/**
 * Makes text from another machine safe to print on one line: line feeds (with or without carriage return) and tabs become blanks,
 * other control characters become dots, as in sanitiseText().
 */
export const sanitiseLine = (text: string): string => sanitiseText(text.replaceAll(lineBreaks, ' '));

/** Returns text from files as one printable line: "·" replaces control characters, invisible characters and line breaks. */
export const visible = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '·');

/**
 * Returns the text in a form that can be part of a file name: each run of characters other than ASCII letters, digits, dots,
 * underscores and hyphens becomes one hyphen.
 */
export const fileWords = (text: string): string => text.replaceAll(/[^\w.-]+/g, '-');

/**
 * Replaces the space between a digit and a unit by a no-break space, so that lines do not break there. Units are %, x, s, ms, µs,
 * ns, bytes and bytes per second with their prefixes.
 */
export const keepUnits = (text: string): string =>
  text.replaceAll(/(\d) (?=(?:%|x|[num\u00b5]?s|[KMGT]?i?B(?:\/s)?|[kMG]B(?:\/s)?)(?![\w/]))/g, '$1\u00a0');

/** Replaces all spaces, except those after commas, by no-break spaces, so that lines break only after commas. */
export const breakAfterCommas = (text: string): string => text.replaceAll(/(?<!,) /g, '\u00a0');

/** Breaks a label after spaces and commas into lines of at most `width` letters; only a longer part exceeds it. */
export function breakLabel(label: string, width: number): string[] {
  const lines = [''];
  for (const part of label.split(/(?<=[ ,])/)) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + part.trimEnd().length > width) lines.push(part);
    else lines[lines.length - 1] = line + part;
  }
  return lines.map((line) => line.trimEnd());
}

/** ASCII replacements for the signs that collbench itself prints. The frame of a bar becomes "|", its full parts "#". */
const asciiSigns: Readonly<Record<string, string>> = {
  ...{
    '±': '+-',
    µ: 'u',
    α: 'a',
    β: 'b',
    '½': '1/2',
    '·': '-',
    '…': '.',
    '→': '->',
    '–': '-',
    '×': 'x',
    '≤': '<=',
  },
  ...{ '’': "'", '“': '"', '”': '"', '✓': '+', '✗': 'x', '●': '*', '▲': '^', '▼': 'v' },
  ...{ '─': '-', '│': '|', '├': '+', '└': '+', '▕': '|', '▏': '|', '▎': ' ', '▍': ' ' },
  ...{
    '▁': '_',
    '▂': '_',
    '▃': '.',
    '▄': '-',
    '▅': '=',
    '▆': '+',
    '▇': '*',
    '▌': '#',
    '▋': '#',
    '▊': '#',
    '▉': '#',
    '█': '#',
  },
};
const signs = new RegExp(`[${Object.keys(asciiSigns).join('')}]`, 'gu');

/**
 * Returns the text with ASCII in place of the signs that collbench prints; letters in names are not changed. A "±" at the right end
 * of a column takes a blank before it, so that columns stay aligned.
 */
export const withAsciiSigns = (text: string): string =>
  text.replaceAll('  ±', ' +-').replaceAll(signs, (sign) => asciiSigns[sign] ?? sign);

/** Returns the text for terminals that show only ASCII; letters that have no replacement become "?". */
export const asAscii = (text: string): string => withAsciiSigns(text).replaceAll(/[^\n\x20-\x7e]/gu, '?');

/**
 * Returns the text cut to at most `length` characters, after a whole word and with "…" at the end. If this would lose more than
 * half of the length, as with a path, the text is cut within a word.
 */
export function cutAfterWord(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, Math.max(0, length - 1));
  const words = text[cut.length] === ' ' ? cut : cut.slice(0, Math.max(0, cut.lastIndexOf(' ')));
  return `${words.length < length / 2 ? cut : words}…`;
}

/** Splits a name into lines at the blanks that follow commas. */
export const linesAfterCommas = (name: string): string[] => name.split(/(?<=,) /);

/** Splits a text of one paragraph into its sentences. */
export const sentencesIn = (text: string): string[] => text.split(/(?<=\.) (?=[A-Z])/);

/**
 * Returns the sentences with which all of the texts begin, such as one reason that several transports have; "" if there are none.
 */
export function commonSentences(texts: readonly string[]): string {
  const [first = '', ...others] = texts;
  const ends = [...first.matchAll(/\.(?= )/g)].map(({ index }) => index + 1);
  // The sentence that follows may begin with a small letter, so the beginnings of the texts are compared, not lists of sentences.
  const beginsWith = (text: string, part: string) => text === part || text.startsWith(`${part} `);
  return (
    [...ends, first.length]
      .map((end) => first.slice(0, end))
      .findLast((part) => others.every((other) => beginsWith(other, part))) ?? ''
  );
}

/**
 * Matches words that need no quotes in a shell, nor as the value of a variable. A shell expands ~ at the start, and after = or :.
 */
const plainWord = /^(?!~|.*[=:]~)[\w@%+=:,./~-]+$/;

/**
 * Returns the word for use in a POSIX shell: in single quotes if it is empty or contains special characters, otherwise unchanged.
 */
export const shellWord = (word: string): string =>
  plainWord.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
