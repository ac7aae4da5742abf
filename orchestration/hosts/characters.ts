import { HostsError } from './error.ts';

/** Names, for messages, of characters that are hard to see or typed by accident. */
const names: Record<string, string> = {
  ' ': 'a space',
  '\t': 'a tab',
  '\n': 'a newline',
  '\r': 'a carriage return',
  '\0': 'a NUL',
  "'": 'a single quote',
  '"': 'a double quote',
  '`': 'a backtick',
  $: 'a dollar sign',
  '\\': 'a backslash',
};

const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`;

function nameOf(character: string): string {
  const code = codeOf(character);
  const name = names[character];
  if (name !== undefined) return `${name} (${code})`;
  // Control and format characters (also bidirectional ones) must not reach the terminal.
  return /[\p{C}\p{Z}]/u.test(character)
    ? `the invisible character ${code}`
    : `the character ${character} (${code})`;
}

const maxShown = 80;

/**
 * Shortens a text for a message to 80 characters and "...", and replaces characters that a terminal would interpret by their
 * code, "<U+001B>".
 */
export function visibleText(text: string): string {
  const shown = text.length > maxShown ? `${text.slice(0, maxShown)}...` : text;
  return shown.replace(/\p{C}|[\u2028\u2029]/gu, (character) => `<${codeOf(character)}>`);
}

/**
 * Checks a name that becomes part of command lines and file names. It may not begin with a dash or a dot. Letters and digits of
 * all scripts are allowed, because an ssh configuration may use them in host names. An empty name is accepted.
 * @param what kind of name for the message: "host name", "user name"
 * @param offset position of the name in the text that the user wrote, for the error
 * @param extra characters allowed besides letters, digits, dot, dash and underscore
 * @throws HostsError names the first character that is not allowed, with its position
 */
export function requirePlain(what: string, text: string, offset: number, extra = ''): void {
  if (text.startsWith('-')) {
    throw new HostsError(
      `${visibleText(text)}: a ${what} does not start with a dash, which would make it an option`,
      offset,
    );
  }
  // The names "." and ".." would be folders.
  if (text.startsWith('.'))
    throw new HostsError(`${visibleText(text)}: a ${what} does not start with a dot`, offset);
  let at = offset;
  for (const character of text) {
    if (!/[\p{L}\p{M}\p{N}._-]/u.test(character) && !extra.includes(character)) {
      throw new HostsError(`${visibleText(text)}: ${nameOf(character)} is not allowed in a ${what}`, at);
    }
    at += character.length;
  }
}
