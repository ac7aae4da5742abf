// Reads YAML from untrusted sources, with limits on time and memory. The result has only maps, lists and plain text; anchors,
// aliases, tags and merge keys are rejected before anything expands them.
import { isMap, isScalar, isSeq, Lexer, LineCounter, type Node, type Pair, parseDocument } from 'yaml';
import { type SourcePosition, SuiteError } from './error.ts';

/** Parsed YAML of a suite file: maps, lists and texts, each with its position in the file. An empty value is the text "". */
export type YamlTree = { at: SourcePosition } & (
  | { kind: 'map'; items: YamlItem[] }
  | { kind: 'list'; items: YamlTree[] }
  | { kind: 'text'; text: string }
);
export interface YamlItem {
  key: string;
  keyAt: SourcePosition;
  value: YamlTree;
}

export const maxSuiteBytes = 64 * 1024;
/**
 * Maximum length of a line in characters. The YAML lexer compiles a regular expression as long as the line, and a very long
 * expression may crash the process.
 */
const maxLineLength = 400;
const maxTokens = 20_000;
const maxDepth = 8;

/** Property names that are not allowed as keys, because every JavaScript object has them. */
const reserved = ['__proto__', 'constructor', 'prototype'];

const refusals: readonly [first: RegExp, what: string][] = [
  [/^&./, 'an anchor'],
  [/^\*./, 'an alias'],
  [/^!/, 'a tag'],
  [/^\?$/, 'a key that is no word'],
  [/^(---|\.\.\.)$/, 'a second document, or the mark of one'],
];

/**
 * Reads the text of a suite file, which may come from an untrusted source.
 * @param file name of the file for messages
 * @returns null if the text is empty
 * @throws SuiteError with line and column if the text is no YAML or exceeds a limit
 */
export function readYaml(file: string, source: string): YamlTree | null {
  refuseLarge(file, source);
  const lines = new LineCounter();
  const at = (offset: number | undefined): SourcePosition => {
    const { line, col } = lines.linePos(offset ?? 0);
    return { file, line: Math.max(1, line), column: Math.max(1, col) };
  };
  refuseTokens(file, source);
  const document = parseDocument(source, {
    lineCounter: lines,
    schema: 'failsafe',
    merge: false,
    version: '1.2',
    logLevel: 'silent',
  });
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem !== undefined) {
    throw new SuiteError(at(problem.pos[0]), `not YAML: ${problem.message.split('\n')[0]}`);
  }
  return document.contents === null ? null : treeOf(document.contents as Node, at, 1);
}

function refuseLarge(file: string, source: string): void {
  if (Buffer.byteLength(source) > maxSuiteBytes) {
    throw new SuiteError(file, 'too large for a suite', [`  allowed: up to ${maxSuiteBytes} bytes`]);
  }
  let line = 1;
  for (const text of source.split('\n')) {
    if (text.length > maxLineLength) {
      throw new SuiteError({ file, line, column: maxLineLength + 1 }, 'the line is too long', [
        `  allowed: up to ${maxLineLength} characters`,
      ]);
    }
    line += 1;
  }
}

/**
 * Checks the YAML tokens before the text is parsed.
 * @throws SuiteError for forbidden syntax, too many tokens or too deep nesting
 */
function refuseTokens(file: string, source: string): void {
  let [line, column, tokens, depth] = [1, 1, 0, 0];
  let isText = false;
  for (const token of new Lexer().lex(source)) {
    tokens += 1;
    if (tokens > maxTokens) {
      throw new SuiteError({ file, line, column }, 'too much for a suite', [
        `  allowed: up to ${maxTokens} words and marks`,
      ]);
    }
    // The lexer puts a control character before text, and another at the start of a document.
    if (token === '\u001f') {
      isText = true;
      continue;
    }
    if (token === '\u0002') continue;
    if (!isText) {
      const what = refusals.find(([first]) => first.test(token))?.[1];
      if (what !== undefined) {
        throw new SuiteError({ file, line, column }, `'${token.slice(0, 40)}': ${what}`, [
          '  allowed: maps, lists and text; quote text that starts with it',
        ]);
      }
      if (token === '[' || token === '{') depth += 1;
      if (token === ']' || token === '}') depth -= 1;
      if (depth > maxDepth) throw tooDeep({ file, line, column });
    }
    isText = false;
    const breaks = token.split('\n').length - 1;
    line += breaks;
    column = breaks === 0 ? column + token.length : token.length - token.lastIndexOf('\n');
  }
}

const tooDeep = (at: SourcePosition): SuiteError =>
  new SuiteError(at, 'nested too deep', [`  allowed: ${maxDepth} maps and lists in one another`]);

function treeOf(node: Node, at: (offset?: number) => SourcePosition, depth: number): YamlTree {
  const here = at(node.range?.[0]);
  if (depth > maxDepth) throw tooDeep(here);
  if (isSeq(node)) {
    return { at: here, kind: 'list', items: node.items.map((item) => treeOf(item as Node, at, depth + 1)) };
  }
  if (isMap(node)) {
    const items = (node.items as Pair<Node, Node | null>[]).map((item) => itemOf(item, at, depth));
    return { at: here, kind: 'map', items };
  }
  return { at: here, kind: 'text', text: isScalar(node) ? String(node.value ?? '') : '' };
}

function itemOf(
  { key: node, value }: Pair<Node, Node | null>,
  at: (offset?: number) => SourcePosition,
  depth: number,
) {
  const keyAt = at(node.range?.[0]);
  if (!isScalar(node)) throw new SuiteError(keyAt, 'a key that is no word');
  const key = String(node.value ?? '');
  if (key === '<<') {
    throw new SuiteError(keyAt, "'<<': keys are not merged", [
      '  allowed: include, and options for all entries',
    ]);
  }
  if (reserved.includes(key)) throw new SuiteError(keyAt, `'${key}': no key of a suite`);
  const tree = value === null ? { at: keyAt, kind: 'text' as const, text: '' } : treeOf(value, at, depth + 1);
  return { key, keyAt, value: tree };
}

/** Converts parsed YAML to plain objects, arrays and texts without positions, for the check by the schema. */
export function toPlainValue(tree: YamlTree): unknown {
  if (tree.kind === 'text') return tree.text;
  if (tree.kind === 'list') return tree.items.map(toPlainValue);
  return Object.fromEntries(tree.items.map(({ key, value }) => [key, toPlainValue(value)]));
}

/**
 * Position of the value with this path of keys and indices. If the value does not exist, the position of its deepest existing
 * parent.
 * @param isKey true = the position of the value's key instead
 */
export function positionOf(tree: YamlTree, path: readonly PropertyKey[], isKey = false): SourcePosition {
  const [step, ...rest] = path;
  if (step === undefined || tree.kind === 'text') return tree.at;
  if (tree.kind === 'list') {
    const item = tree.items[Number(step)];
    return item === undefined ? tree.at : positionOf(item, rest, isKey);
  }
  const item = tree.items.find(({ key }) => key === step);
  if (item === undefined) return tree.at;
  return rest.length === 0 && isKey ? item.keyAt : positionOf(item.value, rest, isKey);
}
