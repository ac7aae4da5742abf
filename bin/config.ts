import { isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from 'yaml';
import { readPlainTextSync, writtenByHand } from '../results/files/plain.ts';
import { refuse } from '../results/refusals/refusal.ts';
import { meantOption, optionName } from '../suites/options/option.ts';
import { keyOfName, type OptionWord, optionKeys, optionRows } from './options/index.ts';

const names = optionKeys.map(optionName).filter((name) => name !== 'config');

/**
 * Converts a YAML value to the text that a user would type on the command line; a list becomes text with commas. Null if the value
 * is a map or empty, or if an item of the list is.
 */
function asText(node: Node | null): string | null {
  if (isSeq(node)) {
    const items = node.items.map((item) => asText(item as Node));
    return items.includes(null) ? null : items.join(',');
  }
  // The source text is used, because YAML would convert values such as 1e3 and 0x10.
  if (isScalar(node) && node.value !== null) return String(node.source ?? node.value);
  return null;
}

/**
 * Reads the options in a --config file: a YAML map whose keys are long option names, such as "min" or "json-file". The values are
 * not checked here. An empty file gives no options.
 * @throws Refusal if the file does not exist or cannot be read; with line and column if it is invalid or has an unknown option
 */
export function readConfig(file: string): OptionWord[] {
  let source: string;
  try {
    source = readPlainTextSync(file, writtenByHand);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw refuse('config-unreadable', { file, why });
  }
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines });
  const at = (offset: number | undefined) => {
    const { line, col } = lines.linePos(offset ?? 0);
    return `${file}:${line}:${col}`;
  };
  const problem = document.errors[0];
  if (problem !== undefined) {
    throw refuse('config-not-yaml', { at: at(problem.pos[0]), why: problem.message.split('\n')[0] ?? '' });
  }
  if (document.contents === null) return [];
  if (!isMap(document.contents)) {
    throw refuse('config-no-map', { at: at(0) });
  }
  return (document.contents.items as Pair<Node, Node | null>[]).map(({ key: keyNode, value }) => {
    const name = isScalar(keyNode) ? String(keyNode.value) : '';
    const where = at(keyNode.range?.[0]);
    const key = keyOfName(name);
    if (key === undefined || key === 'config') {
      const meant = meantOption(name, optionRows);
      throw refuse('config-option-unknown', { at: where, name, meant, known: names });
    }
    const text = asText(value);
    if (text === null) {
      throw refuse('config-value-missing', { at: where, name, allowed: optionRows[key].allowed ?? '' });
    }
    return { key, text, where: `${where}: ${name}`, isLetter: false, isConfig: true };
  });
}
