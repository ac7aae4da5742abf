// Checks that README is one page, that the links of all pages work, and that README's pictures show a recorded run.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { command, root } from '../e2e/harness.ts';
import { shortTable, terminalColumns } from '../pictures/terminal.ts';

const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');
const readme = read('README.md');

test('README fits on a page: 9 KB, and 450 words read aloud', () => {
  assert.ok(Buffer.byteLength(readme) <= 9_000);
  const aloud = readme
    .replaceAll(/```[\s\S]*?```|<[^>]*>/g, ' ')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .replaceAll(/[|#`*[\]-]+/g, ' ');
  const words = aloud.split(/\s+/).filter((word) => /\w/.test(word));
  assert.ok(words.length <= 450, `${words.length} words`);
});

test('README leads to every page of the guide', () => {
  for (const page of readdirSync(path.join(root, 'docs/guide')))
    assert.ok(readme.includes(`(docs/guide/${page})`), page);
});

const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((page) => !/(^|\/)(third_party|fixtures)\//.test(page));

test('every link to a file of the repository leads there', () => {
  const broken = pages.flatMap((page) => {
    const text = read(page).replaceAll(/```[\s\S]*?```/g, '');
    const links = [...text.matchAll(/\]\(([^)\s]+)\)|<img src="([^"]+)"/g)].map(([, a, b]) => a ?? b ?? '');
    return links
      .filter((link) => !/^(https?:|mailto:|#)/.test(link))
      .filter((link) => !existsSync(path.join(root, path.dirname(page), link.replace(/#.*/, ''))))
      .map((link) => `${page}: ${link}`);
  });
  assert.deepEqual(broken, []);
});

test('the picture of the terminal has the figures of its run (npm run pictures)', () => {
  const shown = execFileSync(command, ['show', 'results/reference/nccl-2-h200'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', LC_ALL: 'C.UTF-8', COLUMNS: String(terminalColumns) },
  });
  const svg = read('docs/pictures/terminal.svg');
  const rows = shortTable(shown).filter((line) => /(hardware|EMULATED) +\d/.test(line));
  assert.equal(rows.length, 18);
  for (const row of rows) assert.ok(svg.includes(`>${row}</text>`), row);
});

test('pictures are small', () => {
  for (const name of readdirSync(path.join(root, 'docs/pictures')))
    assert.ok(statSync(path.join(root, 'docs/pictures', name)).size <= 150_000, name);
});
