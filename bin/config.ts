import { readFileSync } from 'node:fs';
import { isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from 'yaml';
import { nearest } from '../results/nearest.ts';
import { CommandError } from './exit.ts';
import { flags, keyOfName, optionKeys } from './options/index.ts';
import type { KeyedWord } from './said-words.ts';

const names = optionKeys.map((key) => flags[key].name).filter((name) => name !== 'config');

/** A YAML value as it would be typed: lists joined by commas; `null` for anything nested or empty. */
function asText(node: Node | null): string | null {
  if (isSeq(node)) {
    const items = node.items.map((item) => asText(item as Node));
    return items.includes(null) ? null : items.join(',');
  }
  // The source, because YAML would read 1e3 and 0x10 as numbers of its own making.
  if (isScalar(node) && node.value !== null) return String(node.source ?? node.value);
  return null;
}

/**
 * Reads options from YAML: a map whose keys are long option names.
 * @throws CommandError with line and column for what is not understood
 */
export function readConfig(file: string): KeyedWord[] {
  let source: string;
  try {
    source = readFileSync(file, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CommandError(`--config ${file}: cannot be read (${why})`, [
      '  allowed: a YAML file with long option names as keys, for example "min: 1K"',
    ]);
  }
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines });
  const at = (offset: number | undefined) => {
    const { line, col } = lines.linePos(offset ?? 0);
    return `${file}:${line}:${col}`;
  };
  const problem = document.errors[0];
  if (problem !== undefined) {
    throw new CommandError(`${at(problem.pos[0])}: not YAML: ${problem.message.split('\n')[0]}`);
  }
  if (document.contents === null) return [];
  if (!isMap(document.contents)) {
    throw new CommandError(`${at(0)}: not a map of options`, [
      '  allowed: lines such as "transport: [socket, sisci]"',
    ]);
  }
  return (document.contents.items as Pair<Node, Node | null>[]).map(({ key: keyNode, value }) => {
    const name = isScalar(keyNode) ? String(keyNode.value) : '';
    const where = at(keyNode.range?.[0]);
    const key = keyOfName(name);
    if (key === undefined || key === 'config') {
      const match = nearest(name, names);
      throw new CommandError(`${where}: ${name}: no such option`, [
        match === null ? `  allowed: ${names.join(', ')}` : `  did you mean ${match}?`,
      ]);
    }
    const text = asText(value);
    if (text === null) {
      throw new CommandError(`${where}: ${name} needs a value or a list of values`, [
        `  allowed: ${flags[key].allowed}`,
      ]);
    }
    return { key, text, where: `${where}: ${name}`, isLetter: false, isConfig: true };
  });
}
