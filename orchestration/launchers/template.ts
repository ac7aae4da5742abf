import { StartError } from './launcher.ts';

/**
 * Splits a command line into words as a shell would, and does nothing else a shell would: quotes group, a backslash takes
 * the next character as it is (not within single quotes), everything else stands for itself.
 * @throws StartError nothing there, or a quote that does not end
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
  if (quote !== '') throw new StartError(`--launcher command: the quote ${quote} does not end in: ${line}`);
  if (word !== null) words.push(word);
  if (words.length === 0) throw new StartError('--launcher command: there is no command', [example]);
  return words;
}

const example = "Example: --launcher 'command:kubectl exec -i {host} -- {agent}'";

/**
 * The words of a template with `{host}` and `{agent}` put in. Words are arguments of a process, no shell reads them, so
 * that a value can be nothing but itself.
 * @throws StartError a template without {host}, or with a word in braces that is not known
 */
export function fill(template: string, values: { host: string; agent: string }): string[] {
  const words = splitCommandWords(template);
  for (const found of template.matchAll(/\{(\w+)\}/g)) {
    if (found[1] === 'host' || found[1] === 'agent') continue;
    throw new StartError(`--launcher command: {${found[1]}} is not known`, [
      'allowed: {host}, {agent}',
      example,
    ]);
  }
  if (!words.some((word) => word.includes('{host}'))) {
    throw new StartError('--launcher command: {host} is missing, so all agents would run in one place', [
      example,
    ]);
  }
  const filled = words.map((word) =>
    word.replaceAll(/\{(host|agent)\}/g, (_, name: 'host' | 'agent') => values[name]),
  );
  return template.includes('{agent}') ? filled : [...filled, values.agent];
}
