// test: core
// Checks that the files of this repository that pages and comments name exist, and have the functions that pages name in them.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { root } from '../e2e/harness.ts';

const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
const folders = files.flatMap((file) => {
  const parts = file.split('/').slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
});
const known = new Set([...files, ...folders]);
const rooms = new Set(folders.filter((folder) => !folder.includes('/')));
const own = files.filter((file) => !/(^|\/)(fixtures|third_party)\//.test(file));

const source = /\.(?:ts|mjs|cjs|cc|cu|h|md|yaml)$/;

/** True if a path exists. @param word such as `reports/charts/NAME.ts`: words in capitals and stars match any name */
function exists(word: string, folder: string): boolean {
  const wanted = word.replace(/\/$/, '');
  const tried = [wanted, path.posix.join(folder, wanted)];
  if (tried.some((one) => known.has(one))) return true;
  const [room = ''] = folder.split('/');
  if (folders.some((one) => one.startsWith(`${room}/`) && one.endsWith(`/${wanted}`))) return true;
  // A path without a room may be the end of a longer path.
  if (!rooms.has(wanted.split('/')[0] ?? '') && files.some((file) => file.endsWith(`/${wanted}`)))
    return true;
  if (!/\*|\b[A-Z]{3,}(?![a-z])/.test(wanted)) return false;
  const anyName = (text: string) =>
    new RegExp(`^${text.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*+|[A-Z]{3,}(?![a-z])/g, '[^/]+')}$`);
  return tried.some((one) => [...known].some((file) => anyName(one).test(file)));
}

/** Repository paths in a text: paths that begin with a room or, in pages, are relative to the page. Imports do not count. */
function pathsIn(text: string, isPage: boolean, ofRoom = false): string[] {
  const inTicks = [...text.matchAll(/`([\w./*-]+\/[\w./*-]*)(?:: [\w.]+)?`/g)].flatMap(
    ([, word = '']) => word,
  );
  const bare = [...text.matchAll(/(?<![\w./@`-])[\w-]+(?:\/[\w.*-]+)+/g)].map(([word]) =>
    word.replace(/\.$/, ''),
  );
  const inRoom = (word: string) => rooms.has(word.split('/')[0] ?? '');
  return isPage
    ? inTicks.filter(
        (word) =>
          inRoom(word) || (/[^/]\/$/.test(word) && ofRoom) || (source.test(word) && !/^[./]/.test(word)),
      )
    : bare.filter((word) => inRoom(word) && source.test(word));
}

function missing(file: string, text: string, isPage: boolean): string[] {
  const folder = path.posix.dirname(file);
  return pathsIn(text, isPage, rooms.has(folder.split('/')[0] ?? '') && !/^(docs|tests)/.test(folder))
    .filter((word) => !exists(word, folder))
    .map((word) => `${file}: ${word}`);
}

/** Names of functions with their file: `FILE: NAME` in backticks, and rows of a table that has the columns file and function. */
function functionsIn(text: string): [file: string, name: string][] {
  const named = [...text.matchAll(/`([\w./-]+(?:\/|\.\w+)): ([\w.:]+)`/g)].map(
    ([, file = '', name = '']) => ({
      file,
      name,
    }),
  );
  const tables = text.split(/\n(?!\|)/).filter((table) => /\| file \| function \|/.test(table));
  const rows = tables.flatMap((table) => [...table.matchAll(/^\|[^|]*\| `([\w./-]+)` \| ([^|]*)\|/gm)]);
  const listed = rows.flatMap(([, file = '', names = '']) =>
    [...names.matchAll(/`([\w.:]+)(?:\(\w+\))?`/g)].map(([, name = '']) => ({ file, name })),
  );
  return [...named, ...listed].map(({ file, name }) => [file, name]);
}

/** Functions that a page names in a file, or in a folder of files, that has no such word. */
function missingFunctions(page: string, text: string): string[] {
  return functionsIn(text).flatMap(([file, name]) => {
    const found = files.filter((one) => one === file || one.startsWith(file) || one.endsWith(`/${file}`));
    const last = name.split(/[.:]+/).at(-1);
    const isThere = new RegExp(`\\b${last}\\b`);
    return found.some((one) => isThere.test(readFileSync(path.join(root, one), 'utf8')))
      ? []
      : [`${page}: ${file}: ${name}`];
  });
}

const pages = own.filter((file) => file.endsWith('.md') && file !== 'CHANGELOG.md');
const pageText = (file: string) => readFileSync(path.join(root, file), 'utf8');

test('every path that a page names exists', () => {
  assert.ok(pages.length > 20, `${pages.length} pages`);
  assert.deepEqual(
    pages.flatMap((file) => missing(file, pageText(file), true)),
    [],
  );
});

test('every function that a page names with its file occurs in that file', () => {
  assert.ok(functionsIn(pageText('docs/architecture.md')).length > 20);
  assert.ok(functionsIn(pageText('docs/hops.md')).length > 30);
  assert.deepEqual(
    pages.flatMap((file) => missingFunctions(file, pageText(file))),
    [],
  );
});

test('every source file that a comment names with its room exists', () => {
  const sources = own.filter((file) => /\.(?:ts|mjs|cjs|cc|cu|h)$/.test(file));
  const comments = (text: string) =>
    text
      .split('\n')
      .filter((line) => /^\s*(?:\/\/|\*|\/\*)/.test(line))
      .join('\n');
  assert.deepEqual(
    sources.flatMap((file) => missing(file, comments(readFileSync(path.join(root, file), 'utf8')), false)),
    [],
  );
});

test('the README of a room names every folder in it', () => {
  for (const room of ['orchestration', 'results', 'reports', 'native/agent', 'native/metrics']) {
    const inRoom = folders
      .filter((folder) => path.posix.dirname(folder) === room)
      .map((folder) => path.posix.basename(folder));
    const unnamed = inRoom.filter(
      (name) => !/^(testing|tests)$/.test(name) && !pageText(`${room}/README.md`).includes(`\`${name}/`),
    );
    assert.deepEqual([...new Set(unnamed)], [], room);
  }
});

test('a path that is gone is found', () => {
  assert.deepEqual(missing('docs/x.md', 'See `bin/options.ts` and `bin/options/NAME.ts`.', true), [
    'docs/x.md: bin/options.ts',
  ]);
  assert.deepEqual(missing('orchestration/README.md', 'In `hosts/` and `tuning/`.', true), [
    'orchestration/README.md: tuning/',
  ]);
});

test('a function that is gone is found', () => {
  const table =
    '| | file | function | what |\n|---|---|---|---|\n| 1 | `bin/collbench.ts` | `noSuchFunction` | |\n';
  assert.deepEqual(missingFunctions('docs/x.md', `See \`bin/report-error.ts: reportErrors\`.\n\n${table}`), [
    'docs/x.md: bin/report-error.ts: reportErrors',
    'docs/x.md: bin/collbench.ts: noSuchFunction',
  ]);
});
