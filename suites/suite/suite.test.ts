import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { SuiteError } from './error.ts';
import { expand } from './expand.ts';
import { loadSuite } from './load.ts';
import { readSuite } from './read.ts';
import { testReading, withFolder } from './testing.ts';

/** Entries of main.yaml, with other files in its folder, as "name: collective key=value ...". */
async function entriesOf(main: string, others: Record<string, string> = {}): Promise<string[]> {
  return withFolder(async (folder) => {
    for (const [name, text] of Object.entries({ 'main.yaml': main, ...others })) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), text);
    }
    const reading = testReading(path.join(folder, 'library'));
    const suite = await readSuite(path.join(folder, 'main.yaml'), 'main.yaml', reading);
    return expand(suite, reading).map(({ name, collective, options, environment }) => {
      const words = [...options, ...environment].map(([key, { text }]) => `${key}=${text}`);
      return [`${name}:`, collective, ...words].join(' ');
    });
  });
}

const refused = async (main: string, others: Record<string, string> = {}): Promise<string> => {
  try {
    await entriesOf(main, others);
  } catch (error) {
    assert.ok(error instanceof SuiteError, String(error));
    return [error.message, ...error.lines].join('\n');
  }
  assert.fail('it was taken');
};

test('an entry is a run; options of the suite hold for all, and what is closer goes before', async () => {
  const found = await entriesOf(`
options: {launches: 5, min: 8}
environment: {NCCL_DEBUG: WARN}
entries:
  plain: {collective: allreduce, transport: [socket, sisci]}
  sized:
    collective: broadcast
    sizes: [8, 1K]
    launches: 8
    environment: {NCCL_DEBUG: INFO}
`);
  assert.deepEqual(found, [
    'plain: allreduce launches=5 min=8 transport=socket,sisci NCCL_DEBUG=WARN',
    'sized: broadcast launches=8 sizes=8,1K NCCL_DEBUG=INFO',
  ]);
});

test('some entries alone: by their names or that of one run, in the order of the file; another name is refused', async () => {
  await withFolder(async (folder) => {
    const file = path.join(folder, 'main.yaml');
    mkdirSync(path.join(folder, 'library'));
    writeFileSync(
      file,
      `
entries:
  gpu: {collective: [allreduce, broadcast], sizes: 8}
  plain: {collective: barrier, sizes: 8}
`,
    );
    const chosen = async (...only: string[]): Promise<string[]> =>
      (await loadSuite(file, testReading(path.join(folder, 'library')), new Map(), only)).entries.map(
        ({ name }) => name,
      );
    assert.deepEqual(await chosen('plain', 'gpu'), ['gpu/allreduce', 'gpu/broadcast', 'plain']);
    assert.deepEqual(await chosen('gpu/broadcast'), ['gpu/broadcast']);
    await assert.rejects(chosen('plain', 'gpus'), /no-such-entry.*"gpus"/);
  });
});

test('values of a matrix are multiplied out, but for those that are excluded', async () => {
  const found = await entriesOf(
    `
entries:
  grid:
    collective: [allreduce, barrier]
    matrix: {ranks: [2, 4], transport: [socket, [socket, sisci]]}
    exclude:
      - {collective: barrier, ranks: 4}
      - {transport: "socket", ranks: [2, 4], collective: barrier}
`.replace('{transport: "socket"', '{transport: socket'),
  );
  assert.deepEqual(found, [
    'grid/allreduce/ranks=2/transport=socket: allreduce ranks=2 transport=socket',
    'grid/allreduce/ranks=2/transport=socket,sisci: allreduce ranks=2 transport=socket,sisci',
    'grid/allreduce/ranks=4/transport=socket: allreduce ranks=4 transport=socket',
    'grid/allreduce/ranks=4/transport=socket,sisci: allreduce ranks=4 transport=socket,sisci',
    'grid/barrier/ranks=2/transport=socket,sisci: barrier ranks=2 transport=socket,sisci',
  ]);
});

test('what is included can be changed and dropped, shipped suites among it', async () => {
  const found = await entriesOf(
    `
include: [parts/common.yaml, library:base]
options: {launches: 9}
drop: [second]
override:
  first: {ranks: 8}
entries:
  own: {collective: broadcast}
`,
    {
      'parts/common.yaml':
        'options: {launches: 3}\nentries:\n  first: {collective: allreduce, matrix: {ranks: [2, 4]}}\n  second: {collective: barrier}\n',
      'library/base.yaml': 'entries: {shipped: {collective: barrier}}\n',
    },
  );
  assert.deepEqual(found, [
    'first: allreduce launches=9 ranks=8',
    'shipped: barrier launches=9',
    'own: broadcast launches=9',
  ]);
});

test('an entry names others that make it needless, dropped ones and those of an override too', async () => {
  await withFolder(async (folder) => {
    const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
    write('base.yaml', 'entries: {a: {collective: barrier}, b: {collective: barrier}}\n');
    write(
      'main.yaml',
      'include: base.yaml\ndrop: [a]\noverride: {b: {unless: a}}\nentries: {c: {collective: barrier, unless: [a, b]}}\n',
    );
    const reading = testReading(folder);
    const suite = await readSuite(path.join(folder, 'main.yaml'), 'main.yaml', reading);
    assert.deepEqual(
      expand(suite, reading).map(({ name, unless }) => [name, unless]),
      [
        ['b', ['a']],
        ['c', ['a', 'b']],
      ],
    );
  });
});

for (const [name, text, pattern] of [
  [
    'needless beside an entry that is none',
    'entries: {gpu: {collective: barrier}, b: {collective: barrier, unless: gpus}}\n',
    /main\.yaml:1:\d+: unless gpus: no other entry has that name$/m,
  ],
  ['needless beside itself', 'entries: {b: {collective: barrier, unless: b}}\n', /unless b: no other entry/],
  ['no entries', 'title: nothing\n', /main\.yaml: no entries/],
  ['not a map', '- a\n', /main\.yaml:1:1: not a suite/],
  ['nothing at all', '# hello\n', /not a suite/],
  [
    'an unknown key',
    'entries:\n  a:\n    collective: allreduce\n    rank: 2\n',
    /main\.yaml:4:5: rank: entries\.a has no such key/,
  ],
  [
    'an unknown collective',
    'entries: {a: {collective: alreduce}}\n',
    /main\.yaml:1:27: entries\.a\.collective: alreduce/,
  ],
  [
    'a value that is none',
    'entries:\n  a: {collective: barrier, ranks: two}\n',
    /main\.yaml:2:35: ranks two: not understood\n {2}allowed: a whole number/,
  ],
  [
    'a value in a matrix that is none',
    'entries:\n  a: {collective: barrier, matrix: {ranks: [2, x]}}\n',
    /main\.yaml:2:48: ranks x/,
  ],
  [
    'a variable that is not recorded',
    'environment: {LD_PRELOAD: evil.so}\nentries: {a: {collective: barrier}}\n',
    /main\.yaml:1:15: LD_PRELOAD: no variable/,
  ],
  [
    'a secret',
    'environment: {NCCL_AUTH_TOKEN: x}\nentries: {a: {collective: barrier}}\n',
    /NCCL_AUTH_TOKEN: a secret/,
  ],
  ['an entry without collective', 'entries: {a: {ranks: 2}}\n', /entries\.a\.collective/],
  ['a name with a slash', 'entries: {a/b: {collective: barrier}}\n', /'a\/b': no name of an entry/],
  [
    'an exclusion of nothing',
    'entries: {a: {collective: barrier, matrix: {ranks: [2]}, exclude: [{ranks: 4}]}}\n',
    /exclude: matches nothing/,
  ],
  [
    'an exclusion of all',
    'entries: {a: {collective: barrier, matrix: {ranks: [2]}, exclude: [{ranks: 2}]}}\n',
    /everything is excluded/,
  ],
  [
    'an exclusion beside the matrix',
    'entries: {a: {collective: barrier, exclude: [{ranks: 2}]}}\n',
    /exclude ranks: not in the matrix of a/,
  ],
  [
    'an option twice',
    'entries: {a: {collective: barrier, ranks: 2, matrix: {ranks: [2]}}}\n',
    /ranks: both an option and in the matrix/,
  ],
  [
    'a change of nothing',
    'override: {b: {ranks: 2}}\nentries: {a: {collective: barrier}}\n',
    /override b: no included entry/,
  ],
  ['an anchor that says nothing', 'anchor: {}\nentries: {a: {collective: barrier}}\n', /anchor: empty/],
  ['a share that is none', 'detect: lots\nentries: {a: {collective: barrier}}\n', /detect lots/],
  [
    'a value twice in a matrix',
    'entries: {a: {collective: barrier, matrix: {ranks: [2, 4, 2]}}}\n',
    /main\.yaml:1:11: a\/ranks=2: two runs of that name/,
  ],
  [
    'a collective twice',
    'entries: {a: {collective: [barrier, barrier]}}\n',
    /a\/barrier: two runs of that name/,
  ],
  [
    'too many combinations',
    `entries: {a: {collective: barrier, matrix: {ranks: [${'1,'.repeat(60)}1], launches: [${'1,'.repeat(60)}1]}}}\n`,
    /combinations are too many/,
  ],
] as const) {
  test(`refused with its place: ${name}`, async () => assert.match(await refused(text), pattern));
}

test('a name that two files have is refused with both places', async () => {
  const entry = 'entries: {a: {collective: barrier}}\n';
  assert.match(
    await refused(`include: b.yaml\n${entry}`, { 'b.yaml': entry }),
    /main\.yaml:2:11.*\n.*b\.yaml:1/,
  );
});
