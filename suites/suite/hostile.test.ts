import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { SuiteError } from './error.ts';
import { readSuite } from './read.ts';
import { testReading, withFolder } from './testing.ts';
import { readYaml } from './yaml.ts';

/** Untrusted suite files that must be rejected in limited time and memory. */

const deep = (open: string, times: number): string => `entries: ${open.repeat(times)}`;
const anEntry = 'entries: {a: {collective: barrier}}\n';

const texts: readonly (readonly [name: string, text: string, pattern: RegExp])[] = [
  ['a bomb of aliases', `a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n`, /:1:4: '&a': an anchor/],
  ['an alias', 'title: *x\n', /'\*x': an alias/],
  ['a tag', "title: !!js/function 'function(){}'\n", /:1:8: '!!js\/function': a tag/],
  ['a tag of its own', 'title: !exec ls\n', /a tag/],
  ['merge keys', 'options:\n  <<: {ranks: 2}\n', /:2:3: '<<': keys are not merged/],
  ['a key twice', 'title: a\ntitle: b\n', /:2:1: not YAML: .*unique/],
  ['__proto__', 'options: {__proto__: {ranks: 2}}\n', /'__proto__': no key/],
  ['constructor', 'constructor: {prototype: {x: 1}}\n', /'constructor': no key/],
  ['brackets without end', deep('[', 300), /nested too deep/],
  ['brackets over lines', deep('[\n', 20_000), /nested too deep/],
  ['braces', deep('{a: ', 90), /nested too deep/],
  ['lists in a line', '- '.repeat(32_000), /the line is too long/],
  [
    'lists over lines',
    Array.from({ length: 180 }, (_, i) => `${' '.repeat(i)}-\n`).join(''),
    /nested too deep/,
  ],
  [
    'maps over lines',
    Array.from({ length: 180 }, (_, i) => `${' '.repeat(i)}a:\n`).join(''),
    /nested too deep/,
  ],
  ['keys that are lists', '? [a]\n: b\n', /a key that is no word/],
  ['many small things', `a: [\n${' 1,1,1,1,1,1,\n'.repeat(4_000)}]\n`, /too much for a suite/],
  ['many keys', Array.from({ length: 8_000 }, (_, i) => `k${i}:\n`).join(''), /too much for a suite/],
  ['a hundred thousand bytes', `title: a\n${'# x\n'.repeat(25_000)}`, /too large for a suite/],
  ['several documents', `${anEntry}---\n${anEntry}`, /a second document/],
  ['a directive', `%TAG ! tag:x,2000:\n---\n${anEntry}`, /a second document, or the mark/],
  ['no YAML', 'title: "\n', /not YAML/],
  [
    'control characters',
    'environment: {NCCL_X: "a\\u0007b"}\nentries: {a: {collective: barrier}}\n',
    /control characters/,
  ],
];

/** Time limit far above any of these cases; an unlimited one takes minutes or crashes the process. */
const boundMs = 20_000;

for (const [name, text, pattern] of texts) {
  test(`refused: ${name}`, { timeout: boundMs }, async () => {
    await withFolder(async (folder) => {
      const file = path.join(folder, 'hostile.yaml');
      writeFileSync(file, text);
      await assert.rejects(readSuite(file, 'hostile.yaml', testReading(folder)), (error) => {
        assert.ok(error instanceof SuiteError, String(error));
        assert.match(error.message, pattern);
        return true;
      });
    });
  });
}

test('what looks like code or a number stays text', () => {
  const tree = readYaml('x', 'a: yes\nb: 0x10\nc: 1e3\nd: ~\ne: "*not an alias"\nf: $HOME $(ls)\n');
  assert.equal(tree?.kind, 'map');
  const texts =
    tree?.kind === 'map' ? tree.items.map(({ value }) => (value.kind === 'text' ? value.text : '')) : [];
  assert.deepEqual(texts, ['yes', '0x10', '1e3', '~', '*not an alias', '$HOME $(ls)']);
});

const refusal = async (body: (folder: string) => string): Promise<string> =>
  withFolder(async (folder) => {
    const file = path.join(folder, 'suite', 'main.yaml');
    mkdirSync(path.dirname(file));
    writeFileSync(path.join(folder, 'outside.yaml'), anEntry);
    const shown = body(path.dirname(file)) || file;
    const error = await readSuite(shown, 'main.yaml', testReading(folder)).catch((found: unknown) => found);
    assert.ok(error instanceof SuiteError, `taken, or another error: ${error}`);
    return error.message;
  });
const including = (name: string) => (folder: string) => {
  writeFileSync(path.join(folder, 'main.yaml'), `include: ${JSON.stringify(name)}\n${anEntry}`);
  return '';
};

test('includes stay below the folder of the suite', async () => {
  for (const name of ['../outside.yaml', '/etc/hostname', 'a/../../outside.yaml', 'library:../outside', '']) {
    assert.match(await refusal(including(name)), /main\.yaml:1:10: include .*: not below the suite/, name);
  }
  assert.match(await refusal(including('gone.yaml')), /there is no such file/);
});

test('includes over links are refused, and files that are none', async () => {
  const linked = (folder: string) => {
    symlinkSync('../outside.yaml', path.join(folder, 'link.yaml'));
    return including('link.yaml')(folder);
  };
  assert.match(await refusal(linked), /reached over a link/);
  const linkedFolder = (folder: string) => {
    symlinkSync('..', path.join(folder, 'up'));
    return including('up/outside.yaml')(folder);
  };
  assert.match(await refusal(linkedFolder), /reached over a link/);
  const aFolder = (folder: string) => {
    mkdirSync(path.join(folder, 'x.yaml'));
    return including('x.yaml')(folder);
  };
  assert.match(await refusal(aFolder), /it is a folder/);
});

test('includes that go round, too deep or too many are refused', async () => {
  assert.match(await refusal(including('main.yaml')), /it includes itself/);
  const round = (folder: string) => {
    writeFileSync(path.join(folder, 'b.yaml'), 'include: main.yaml\n');
    return including('b.yaml')(folder);
  };
  assert.match(await refusal(round), /b\.yaml:1:10: .*it includes itself/);
  const deepFiles = (folder: string) => {
    for (let i = 0; i < 6; i += 1)
      writeFileSync(path.join(folder, `d${i}.yaml`), `include: d${i + 1}.yaml\n`);
    return including('d0.yaml')(folder);
  };
  assert.match(await refusal(deepFiles), /too deep/);
  const fan = (folder: string) => {
    const names = Array.from({ length: 16 }, (_, i) => `f${i}.yaml`);
    for (const name of names)
      writeFileSync(path.join(folder, name), anEntry.replace('a:', `${name.slice(0, -5)}:`));
    writeFileSync(path.join(folder, 'main.yaml'), `include: [${names.join(', ')}]\n${anEntry}`);
    return '';
  };
  assert.match(await refusal(fan), /too many files/);
});

test('a file of 100 MB is refused unread, and a pipe without being waited for', {
  timeout: boundMs,
}, async () => {
  const huge = (folder: string) => {
    const file = path.join(folder, 'main.yaml');
    writeFileSync(file, '');
    truncateSync(file, 100 * 2 ** 20);
    return '';
  };
  const before = process.memoryUsage().rss;
  assert.match(await refusal(huge), /too large for a suite/);
  assert.ok(process.memoryUsage().rss - before < 50 * 2 ** 20);
  const pipe = (folder: string) => {
    execFileSync('mkfifo', [path.join(folder, 'main.yaml')]);
    return '';
  };
  assert.match(await refusal(pipe), /not a file/);
  const binary = (folder: string) => {
    writeFileSync(path.join(folder, 'main.yaml'), Buffer.from([0xff, 0xfe, 0x00]));
    return '';
  };
  assert.match(await refusal(binary), /not text in UTF-8/);
});
