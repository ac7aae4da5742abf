// Rejects words that are hard to understand in texts for users: string literals of the product, prose of README, docs and
// CHANGELOG, descriptions in YAML and CMake. `node tests/words.mjs` prints each occurrence with the word to use instead, and
// exits with 1 if there is one. `collbench help terms` explains the terms of collbench.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Rejected patterns, each with the words to write instead. */
const banned = [
  [/\btold\b(?!\.\w|\))|\btells? of\b/, 'reported, printed, known'],
  [/\bheld against\b/, 'compared with'],
  [/\bgoes? before\b/, 'overrides, takes precedence'],
  [/\b(?:says?|said) nothing (?:to|of)\b/, 'has no effect with'],
  [/\bwhat is there\b/, 'name it'],
  [/\bst(?:ands|and|ood) in\b/, 'is in, is stored in'],
  [/\bas said above\b/, 'same cause as above'],
  [/\bis open\b/, 'unknown; no verdict'],
  [/\bmood\b/, 'drift, noise'],
  [/\bworth it\b|\bby luck\b|\bat all\b|\bof another hour\b/, 'nothing: leave it out'],
  [/\b(?:gone|goes|go) on with\b/, 'resumed, continued'],
  [/\bone (?:word )?too many\b|\btoo many by one\b/, 'unexpected argument'],
  [/\bin turns\b/, 'interleaved'],
  [/(?<!`)\bmeanwhile\b(?![-/])/, 'during the run; system load'],
  [/\bbegun\b/, 'started'],
  [/\bcan(?:not| not) be told\b/, 'no verdict; unknown'],
  [/\btonight\b/, 'candidate'],
  [/(?<![-`])\banchors?\b(?![`:'])/, 'reference build'],
  [/(?:\d| {3}) us\b/, 'µs; printText() writes us where the locale is not UTF-8'],
];

/** Exceptions in which the word is a term of the field: [file, text around the word]. */
const allowed = [];

const quoted = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`/g;

/** Texts of a file for users, with their offsets: the string literals of code, or the whole of another file. */
function* texts(file, content) {
  if (!/\.(?:ts|mjs|cjs|cc|cu|h)$/.test(file)) yield [0, content];
  else
    for (const match of content.matchAll(quoted))
      if (!/^\/[/*]|^(['"])[\w./-]*\1$/.test(match[0]))
        yield [match.index, match[0].replace(/\$\{[^}]*\}/g, (hole) => ' '.repeat(hole.length))];
}

const product = /^(?:bin|results|reports|suites|orchestration|native|docs)\/|^[A-Z]+\.md$/;
const notRead =
  /\.test\.ts$|\/testing\/|\/fixtures\/|\/tests\/|\/fake\/|^results\/reference\/|^docs\/generated\//;
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter(
    (file) => /\.(?:ts|mjs|cjs|md|ya?ml|cc|cu|h)$/.test(file) && product.test(file) && !notRead.test(file),
  )
  .filter((file) => existsSync(path.join(root, file)));

let found = 0;
for (const file of files) {
  const content = readFileSync(path.join(root, file), 'utf8');
  for (const [offset, text] of texts(file, content))
    for (const [pattern, instead] of banned)
      for (const match of text.matchAll(new RegExp(pattern, 'gi'))) {
        const at = offset + match.index;
        const line = content.slice(0, at).split('\n').length;
        const around = content.slice(Math.max(0, at - 40), at + 40).replaceAll('\n', ' ');
        if (allowed.some(([where, part]) => where === file && around.includes(part))) continue;
        found += 1;
        console.log(`${file}:${line}: "${match[0]}" (write: ${instead}): ...${around}...`);
      }
}
if (found > 0) console.log(`${found} words to replace, see tests/words.mjs`);
process.exitCode = found > 0 ? 1 : 0;
