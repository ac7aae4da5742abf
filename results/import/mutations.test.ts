// test: soak
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import {
  type CellRecord,
  cellRecord,
  derivedOf,
  headlineOf,
  imported,
  importedAxes,
} from '../schema/index.ts';
import { fixtures, importHints, readFixture } from '../testing/foreign.ts';
import { ImportError, type ImportHints } from './imported-output.ts';
import { readForeign } from './read.ts';
import { runOf } from './to-run.ts';

/** Number of changes of each kind per fixture; the seed makes them equal in every run. */
const changes = Number(process.env.COLLBENCH_IMPORT_CHANGES ?? 3);

type RandomSource = () => number;
/** mulberry32: 32 bits of state, uniform in [0, 1). */
function seeded(seed: number): RandomSource {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
const below = (random: RandomSource, n: number) => Math.floor(random() * n);
const pick = <T>(random: RandomSource, from: readonly T[]): T => from[below(random, from.length)] as T;

const inLine =
  (change: (words: string[], random: RandomSource) => string[]) => (text: string, random: RandomSource) => {
    const lines = text.split('\n');
    const i = below(random, lines.length);
    lines[i] = change((lines[i] ?? '').split(/([\s,]+)/), random).join('');
    return lines.join('\n');
  };
const odd = [
  '99999999999999999999',
  '1e999',
  '-5',
  'nan',
  'inf',
  '0x10',
  'N/A',
  '0',
  '1.2e+08',
  'Infinity',
  '""',
  '{}',
];

const mutations: Record<string, (text: string, random: RandomSource) => string> = {
  'a character changed': (text, random) => {
    const at = below(random, text.length);
    const other = pick(random, [...'0123456789.-+eE#{}[]":, \n\u001b\u0001\uFFFDxN']);
    return text.slice(0, at) + other + text.slice(at + 1);
  },
  'cut off': (text, random) => text.slice(0, below(random, text.length)),
  'its beginning cut off': (text, random) => text.slice(below(random, text.length)),
  'a line left out': (text, random) => {
    const lines = text.split('\n');
    lines.splice(below(random, lines.length), 1);
    return lines.join('\n');
  },
  'a line twice': (text, random) => {
    const lines = text.split('\n');
    const i = below(random, lines.length);
    lines.splice(i, 0, lines[i] ?? '');
    return lines.join('\n');
  },
  'a line in two': (text, random) => {
    const at = below(random, text.length);
    return `${text.slice(0, at)}\n${text.slice(at)}`;
  },
  'two words swapped': inLine((words, random) => {
    const [a, b] = [2 * below(random, (words.length + 1) / 2), 2 * below(random, (words.length + 1) / 2)];
    const kept = [...words];
    [kept[a], kept[b]] = [words[b] ?? '', words[a] ?? ''];
    return kept;
  }),
  'a word left out': inLine((words, random) => words.toSpliced(2 * below(random, (words.length + 1) / 2), 2)),
  'a number replaced': (text, random) => {
    const numbers = [...text.matchAll(/\d[\d.e+]*/g)];
    const found = pick(random, numbers);
    return text.slice(0, found.index) + pick(random, odd) + text.slice(found.index + found[0].length);
  },
};

/** All numbers in a text, whatever surrounds them; ".62" is a number, too. */
const numbersIn = (text: string): Set<number> =>
  new Set(
    [/\d+(?:\.\d*)?(?:[eE][+-]?\d+)?/g, /\.\d+(?:[eE][+-]?\d+)?/g].flatMap((form) =>
      [...text.matchAll(form)].map(([word]) => Number(word)),
    ),
  );

/** Columns that the importer counts itself, so that they are not in the text. */
const notPrinted = ['records', 'row', 'column'];
const near = (a: number, b: number) => Math.abs(a - b) <= 1e-9 * Math.abs(b);

/** Checks that the figures of a cell follow from numbers in the text by the stated conversions. */
function assertTrue(cell: CellRecord, numbers: ReadonlySet<number>, why: string): void {
  const { printed = {} } = cell;
  const values = Object.entries(printed).flatMap(([key, word]) => {
    const value = Number(word);
    if (notPrinted.includes(key) || !/^[-+]?[\d.]+(?:e[+-]?\d+)?$/i.test(word) || !Number.isFinite(value))
      return [];
    assert.ok(numbers.has(Math.abs(value)), `${why}: ${key} ${word} of ${cell.id} does not stand there`);
    return [value];
  });
  if (cell.status !== 'ok') return;
  const medianNs = headlineOf(imported, cell)?.value ?? Number.NaN;
  const { ranks } = cell;
  const { bytes: payloadBytes, operation: collective } = importedAxes.parse(cell.axes);
  assert.ok(medianNs > 0 && Number.isFinite(medianNs), why);
  const whole = [payloadBytes, payloadBytes / ranks, (payloadBytes / (ranks - 1)) * ranks];
  // Sizes in bytes, or in elements of up to 8 bytes.
  const sizes = whole.flatMap((size) => [size, size / 2, size / 4, size / 8]);
  // Numbers of messages that move at the same time: of pairs, of both directions, and to and from both neighbours.
  const together = [1, 2, ranks / 2, ranks, 2 * ranks];
  const isTime = values.some(
    (value) =>
      near(medianNs, value * 1000) ||
      near(medianNs, value * 1e6) ||
      near(medianNs, payloadBytes / value) ||
      together.some(
        (n) =>
          near(medianNs, (payloadBytes * n * 1000) / value) ||
          near(medianNs, (1000 * n) / value) ||
          // The units of perftest, MiB/s and Gbit/s.
          near(medianNs, (payloadBytes * n * 1e9) / (value * 2 ** 20)) ||
          near(medianNs, (payloadBytes * n * 8) / value) ||
          near(medianNs, (1e9 * n) / value),
      ),
  );
  assert.ok(isTime, `${why}: ${medianNs} ns of ${cell.id} follow from nothing in ${JSON.stringify(printed)}`);
  const isSize =
    collective === 'copy' ||
    collective === 'barrier' ||
    // Their payloads are means over ranks, or follow from a bandwidth.
    ['dispatch', 'combine', 'dispatch-combine'].includes(collective) ||
    sizes.some((size) => values.some((value) => near(size, value)));
  assert.ok(
    isSize,
    `${why}: ${payloadBytes} bytes of ${cell.id} follow from nothing in ${JSON.stringify(printed)}`,
  );
}

const origin = { command: [], format: '', file: { name: '', bytes: 0, sha256: '' }, label: null };

for (const [name, fixture] of Object.entries(fixtures)) {
  test(`${name}, changed: never a number that does not stand there, never another error`, () => {
    const whole = readFixture(name);
    const random = seeded(20_261_121);
    for (const [kind, change] of Object.entries(mutations)) {
      for (let i = 0; i < changes; i += 1) {
        const text = change(whole, random);
        const why = `${kind} (${i})`;
        try {
          const { found } = readForeign(text, importHints(fixture.hints));
          const { cells } = runOf(found, origin);
          // An escape character in a number hides digits, for readers at a terminal and for the importer alike.
          const numbers = new Set([...numbersIn(text), ...numbersIn(stripVTControlCharacters(text))]);
          for (const cell of cells) assertTrue(cell, numbers, why);
          for (const cell of cells.slice(0, 2))
            assert.deepEqual(cellRecord.safeParse(cell).error?.issues ?? [], [], `${why}: ${cell.id}`);
        } catch (error) {
          assert.ok(error instanceof ImportError, `${why}: ${error instanceof Error ? error.stack : error}`);
        }
      }
    }
  });
}

/** Files that contain every figure twice: a time and a rate, or a matrix and its sum. */
const redundant = [
  'nccl-tests-2.19.6-2xH200-all_reduce.txt',
  'nccl-tests-1.0.0-2xH200-all_reduce.txt',
  'nccl-tests-2.0.0-2xH200-all_gather.txt',
  'nccl-tests-2.13.9-2xH200-alltoall.txt',
  'nccl-tests-2.13.9-2xH200-hypercube.txt',
  'nccl-tests-2.13.9-2xH200-sendrecv.txt',
  'nccl-tests-2.19.6-json-3-two-gpus.json',
  'rccl-tests-made.csv',
  'rccl-tests-fragments-made.jsonl',
  'superbench-0.12.0-2xH200.jsonl',
  'perftest-6.29-write-bw.json',
  'nvbandwidth-0.8-2xH200.json',
  'nixlbench-made.txt',
  'deepep-v2-made.txt',
];

/** Medians by cell, for cells whose rate has at least three digits. */
function mediansOf(text: string, of: Partial<ImportHints>): Map<string, { ns: number; wrong: number }> {
  const { cells } = runOf(readForeign(text, importHints(of)).found, origin);
  return new Map(
    cells.flatMap((cell) => {
      if (cell.status !== 'ok') return [];
      const figure = headlineOf(imported, cell);
      const medianNs = figure?.value ?? 0;
      const algGBps = derivedOf(cell, 'algbw', figure?.name ?? '')?.value ?? 0;
      const wrong = cell.verification.wrongElements;
      return algGBps >= 1 && medianNs >= 2e3 ? [[cell.id, { ns: medianNs, wrong }]] : [];
    }),
  );
}

for (const name of redundant) {
  test(`${name}, one digit changed: a time that differs by more than 2 % is found out`, () => {
    const of = fixtures[name]?.hints ?? {};
    const whole = readFixture(name);
    const before = mediansOf(whole, of);
    assert.ok(before.size > 0);
    const random = seeded(7);
    const digits = [...whole.matchAll(/\d/g)].map(({ index }) => index);
    for (let i = 0; i < 8 * changes; i += 1) {
      const at = pick(random, digits);
      const digit = (Number(whole[at]) + 1 + below(random, 9)) % 10;
      const text = `${whole.slice(0, at)}${digit}${whole.slice(at + 1)}`;
      const context = `${digit} in ${JSON.stringify(whole.slice(Math.max(0, at - 40), at + 20))}`;
      let after: ReturnType<typeof mediansOf>;
      try {
        after = mediansOf(text, of);
      } catch (error) {
        assert.ok(error instanceof ImportError, context);
        continue;
      }
      for (const [id, { ns }] of after) {
        const was = before.get(id);
        if (was === undefined) continue;
        assert.ok(Math.abs(ns / was.ns - 1) <= 0.02, `${id}: ${was.ns} became ${ns}: ${context}`);
      }
    }
  });
}

test('nccl-tests: a digit of time or size that was changed is found, and the row has no figure', () => {
  const text = readFixture('nccl-tests-2.19.6-2xH200-all_reduce.txt');
  for (const [from, to] of [
    ['    20.81   50.40', '    90.81   50.40'],
    ['    20.81   50.40', '   208.1   50.40'],
    ['    20.81   50.40   50.40', '    50.40   20.81   50.40'],
    ['     1048576        262144', '     1048576        262145'],
    ['     1048576        262144', '      104857        262144'],
  ] as const) {
    assert.ok(text.includes(from));
    const { found } = readForeign(text.replace(from, to), importHints());
    const usable = found.rows.filter((row) => row.timeNs !== null && row.payloadBytes === 1048576);
    assert.ok(usable.length < 2, `${from} -> ${to}`);
    assert.ok(found.rows.some(({ reason }) => reason !== null) || found.notices.length > 0);
  }
});

test('a row without its end is cut off: its last digits may be missing', () => {
  const text = readFixture('osu-7.4-latency.txt');
  const { found } = readForeign(text.trimEnd(), importHints());
  assert.equal(found.rows.length, 16);
  assert.equal(found.complete, false);
});

const large = 4 * 2 ** 20;
for (const [what, text] of [
  ['brackets', '['.repeat(large)],
  ['braces', '{"a":'.repeat(large / 5)],
  ['line feeds', '\n'.repeat(large)],
  ['blanks behind a colon', `{"a":${' '.repeat(large)}`],
  ['one long word', 'a'.repeat(large)],
  ['colons', ':1'.repeat(large / 2)],
  ['words that look like tags', `${`[${'1'.repeat(16_000)}\n`.repeat(200)}# OSU MPI Latency Test v7.4\n`],
  ['long titles', `# OSU MPI${' Test'.repeat(3000)}x\n`.repeat(250)],
  ['rows of nothing', `# OSU MPI Latency Test v7.4\n${'1 2 3\n'.repeat(100_000)}`],
] as const) {
  test(`${what} without end: refused in a time that grows with its length`, { timeout: 120_000 }, () => {
    assert.throws(() => readForeign(text, importHints()), ImportError);
  });
}
