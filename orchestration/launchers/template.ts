import { StartError } from './launcher.ts';

/**
 * Splits a command line into words (an argv) by the quoting rules of shells, without any other expansion. Quotes group characters
 * and are removed. A backslash keeps the next character, except within single quotes.
 * @throws StartError if there are no words, or a quote does not end
 */
export function splitCommandWords(line: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote = '';
  for (let i = 0; i < line.length; i += 1) {
    const c = line[i] as string;
    if (quote !== '') {
      if (c === quote) quote = '';
      else if (c === '\\' && quote === '"' && i + 1 < line.length) word = (word ?? '') + line[++i];
      else word = (word ?? '') + c;
    } else if (c === "'" || c === '"') {
      quote = c;
      word ??= '';
    } else if (c === '\\' && i + 1 < line.length) {
      word = (word ?? '') + line[++i];
    } else if (/\s/.test(c)) {
      if (word !== null) words.push(word);
      word = null;
    } else {
      word = (word ?? '') + c;
    }
  }
  if (quote !== '') throw new StartError(`the quote ${quote} does not end in: ${line}`);
  if (word !== null) words.push(word);
  if (words.length === 0) throw new StartError('there is no command', [example]);
  return words;
}

const example = "Example: --launcher 'command:kubectl exec -i {host} -- sh'";

/** True if a command template starts an agent that is on the host already; false if it starts a shell there. */
export const namesAgent = (template: string): boolean => template.includes('{agent}');

/**
 * Returns the argv of a command template, with `{host}` and `{agent}` replaced by the values. No shell reads the words, so special
 * characters in a value have no effect.
 * @throws StartError if the template is empty, {host} is missing, a word in braces is unknown, or a quote does not end
 */
export function fill(template: string, values: { host: string; agent: string }): string[] {
  const words = splitCommandWords(template);
  for (const found of template.matchAll(/\{(\w+)\}/g)) {
    if (found[1] === 'host' || found[1] === 'agent') continue;
    throw new StartError(`{${found[1]}} is not known`, ['allowed: {host}, {agent}', example]);
  }
  if (!words.some((word) => word.includes('{host}'))) {
    throw new StartError('{host} is missing, so all agents would run in one place', [example]);
  }
  return words.map((word) =>
    word.replaceAll(/\{(host|agent)\}/g, (_, name: 'host' | 'agent') => values[name]),
  );
}
