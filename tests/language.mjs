// Rejects names and comments that a new reader cannot understand: types named by a participle, generic names of exported
// types, type names that several files share, exported functions without a verb or a noun, comments without a subject.
// `node tests/language.mjs` prints each one and exits with 1 if there is one. tests/language-lists.mjs has the words.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  bannedTypedNames,
  bannedVariables,
  bannedWords,
  emptyFunctions,
  emptyNames,
  genericNames,
  headlessWords,
} from './language-lists.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(?:ts|mjs|cjs|cc|h|cu)$/.test(file) && !/^third_party\//.test(file))
  .filter((file) => existsSync(path.join(root, file)));

/** Types that a file declares, without nested ones: readers see the name of a nested type together with its owner's. */
function* types(file, content) {
  const pattern = file.endsWith('.ts')
    ? /^(export )?(?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)(?=[\s<={])/gm
    : /^(export )?(?:template ?<[^\n]*> ?)?(?:struct|class|union|enum(?: class)?) (\w+)(?= (?:final )?[:{])/gm;
  for (const match of content.matchAll(pattern))
    yield { name: match[2], offset: match.index, isExported: match[1] !== undefined };
}

/** Functions and constants that a TypeScript file exports. */
function* exportedValues(content) {
  for (const match of content.matchAll(/^export (?:async )?(?:function\*? |const |let )(\w+)/gm))
    yield { name: match[1], offset: match.index };
}

/** Names that begin with "most", "least" or "fewest", except those that are no limits. */
function* namesOfLimits(content) {
  for (const match of content.matchAll(
    /\b(?:k(?=Most|Least))?(?:[mM]ost|[lL]east|fewest)(?:[A-Z]\w*|_\w+)\b/g,
  ))
    if (!['mostCommon', 'leastSquares', 'leastCommonMultiple'].includes(match[0]))
      yield { name: match[0], offset: match.index };
}

/** Parameters, constants and variables of TypeScript whose names say nothing: `crew`, `told: ImportHints`. */
function* unclearVariables(content) {
  const pattern = new RegExp(
    `\\b(?:const|let) (${bannedVariables.join('|')})\\b|\\b(${bannedVariables.join('|')})\\??: [A-Z]|\\b(${bannedTypedNames.join('|')})\\??: [A-Z]`,
    'g',
  );
  for (const match of content.matchAll(pattern))
    yield { name: match[1] ?? match[2] ?? match[3], offset: match.index };
}

/** First words of comments: block comments, and the first of several `//` lines. */
function* commentHeads(content) {
  let lastLineEnd = -1;
  const pattern =
    /\/\*\*?\s*(?:\* )?([A-Z][a-z]+)\b|^[ \t]*\/\/\/?[ \t]?(.*)$|[;{},)][ \t]+\/\/\/?<?[ \t]([^\n]*)$/gm;
  for (const match of content.matchAll(pattern)) {
    if (match[2] !== undefined) {
      const follows = match.index === lastLineEnd + 1;
      lastLineEnd = match.index + match[0].length;
      if (follows) continue;
    }
    const word = /^<?\s*([A-Z][a-z]+)\b/.exec(match[1] ?? match[2] ?? match[3] ?? '')?.[1];
    if (word !== undefined) yield { word, offset: match.index };
  }
}

const wordsIn = (name) => name.match(/[A-Z][a-z0-9]*|[a-z0-9]+/g) ?? [];
const capital = (name) => name.charAt(0).toUpperCase() + name.slice(1);

/** Rejected names and comments, each as `FILE:LINE: TEXT`. */
const rejected = [];
const reject = (file, line, text) => rejected.push(`${file}:${line}: ${text}`);

const headless = new Set(headlessWords);
const declared = { ts: new Map(), native: new Map() };
for (const file of files) {
  const content = readFileSync(path.join(root, file), 'utf8');
  const lineAt = (offset) => content.slice(0, offset).split('\n').length;
  for (const { word, offset } of commentHeads(content))
    if (headless.has(word)) reject(file, lineAt(offset), `comment begins with "${word}": name its subject`);
  if (/\.[cm]js$/.test(file)) continue;
  const names = file.endsWith('.ts') ? declared.ts : declared.native;
  for (const { name, offset, isExported } of types(file, content)) {
    names.set(name, (names.get(name) ?? new Map()).set(file, lineAt(offset)));
    const banned = wordsIn(name).find((word) => bannedWords.has(word));
    if (emptyNames.has(name)) reject(file, lineAt(offset), `type ${name}: name what it holds`);
    else if (banned !== undefined)
      reject(file, lineAt(offset), `type ${name}: no word of the field: ${banned}`);
    else if (isExported && genericNames.has(name))
      reject(file, lineAt(offset), `exported type ${name}: say whose it is`);
  }
  for (const { name, offset } of namesOfLimits(content))
    reject(file, lineAt(offset), `${name}: a limit is named max... or min...`);
  if (file.endsWith('.ts'))
    for (const { name, offset } of unclearVariables(content))
      reject(file, lineAt(offset), `${name}: name what the parameter or variable holds`);
  if (file.endsWith('.ts'))
    for (const { name, offset } of exportedValues(content))
      if (emptyFunctions.has(name) || emptyNames.has(capital(name)))
        reject(file, lineAt(offset), `exported ${name}: a function is a verb, a value a noun`);
}
for (const names of Object.values(declared))
  for (const [name, places] of names)
    if (places.size >= 3)
      for (const [file, line] of places)
        reject(file, line, `type ${name} is declared in ${places.size} files: one word, one meaning`);

for (const line of rejected) console.log(line);
console.log(
  rejected.length === 0
    ? `language: ${files.length} files, no name or comment to mend`
    : `${rejected.length} names and comments to mend: docs/glossary.md, tests/language-lists.mjs`,
);
process.exitCode = rejected.length > 0 ? 1 : 0;
