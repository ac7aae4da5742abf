import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { Refusal } from '../../results/refusals/refusal.ts';
import { textOf } from '../../results/refusals/words.ts';
import type { DtypeName } from '../../results/schema/index.ts';
import { defaultsOnly } from '../options/parsed-options.ts';
import { ValueError } from '../options/values.ts';
import type { WorkInput } from '../plan-input.ts';
import { moePlanning } from './moe.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'moe-'));
after(() => rmSync(folder, { recursive: true }));

const input: WorkInput = {
  typed: ['collbench', 'moe'],
  command: 'moe',
  words: {
    ...{ tokens: '4', routing: 'uniform', phase: 'dispatch', experts: '4', topk: '2', hidden: '8' },
    capacity: 'dropless',
  },
  engine: 'cpu',
  algorithm: null,
  ranks: 2,
  inProcess: false,
  transports: [{ name: 'socket', medium: 'hardware', detail: {}, options: {} }],
  dtypes: ['bfloat16'],
  ops: ['sum'],
  roots: [0],
  inPlace: [false],
  sizes: { kind: 'list', sizes: [8] },
};

const planned = (words: Record<string, string>, more: Partial<WorkInput> = {}) =>
  moePlanning.points({ ...input, ...more, words: { ...input.words, ...words } }).points;

function refused(words: Record<string, string>, more: Partial<WorkInput> = {}): string {
  try {
    planned(words, more);
  } catch (error) {
    if (error instanceof Refusal) return textOf(error);
    throw error;
  }
  return 'accepted';
}

function fileOf(text: string, name = 'layer3.txt'): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

test('a point per phase and routing of one size; the script has tokens by rank and expert', () => {
  const points = planned({ routing: 'uniform,hot:2', phase: 'dispatch,combine' });
  assert.deepEqual(
    points.map(({ axes, script }) => [axes.phase, axes.routing, script]),
    [
      ['dispatch', 'uniform', '2 2 2 2\n2 2 2 2'],
      ['combine', 'uniform', '2 2 2 2\n2 2 2 2'],
      ...['dispatch', 'combine'].map((phase) => [phase, 'hot:2', points[2]?.script]),
    ],
  );
  assert.deepEqual([...new Set(points[2]?.script?.split(/\s/))].sort(), ['0', '4']);
});

test('a routing from a file states ranks, experts and tokens', () => {
  const [point] = planned({ routing: fileOf('4 2 1 1\n4 0 4 0\n') });
  assert.equal(point?.axes.tokens, 4);
  assert.equal(point?.axes.experts, 4);
  assert.deepEqual([point?.axes.busiestBytes, point?.axes.sentBytes, point?.axes.rowsBytes], [64, 96, 256]);
  const [dropped] = planned({ routing: fileOf('4 2 1 1\n4 0 4 0\n'), capacity: '1.5' });
  assert.equal(dropped?.script, '3 2 1 1\n3 0 3 0');
});

test('combined data are bfloat16 whatever tokens are dispatched as, so a combine is measured once', () => {
  const points = planned({ phase: 'dispatch,combine' }, { dtypes: ['bfloat16', 'float8e4m3'] });
  assert.deepEqual(
    points.map(({ axes }) => [axes.phase, axes.dtype]),
    [
      ['dispatch', 'bfloat16'],
      ['combine', 'bfloat16'],
      ['dispatch', 'float8e4m3'],
    ],
  );
});

/** Text of the refusal of typed options; "accepted" without one. */
function refusedTyped(typed: Record<string, string>, dtype: DtypeName[] = ['bfloat16']): string {
  const options = { words: { ...input.words, ...typed }, dtype, seed: 1 };
  const parsed = {
    ...defaultsOnly,
    typed: (key: string) =>
      typed[key] === undefined
        ? undefined
        : { text: typed[key], where: `--${key}`, isLetter: false, isConfig: false },
    get: (key: string) => parsed.typed(key),
  };
  try {
    moePlanning.requirePlannable?.('moe', options as never, parsed, 2);
  } catch (error) {
    if (error instanceof Refusal) return textOf(error);
    throw error;
  }
  return 'accepted';
}

test('tokens and experts beside a routing file must be those that it states; a combine has one data type', () => {
  const routing = fileOf('4 2 1 1\n4 0 4 0\n');
  assert.match(refusedTyped({ routing, tokens: '8' }), /--tokens 8: routing layer3.txt has tokens 4/);
  assert.match(refusedTyped({ routing, experts: '4,8' }), /--experts 4,8: routing layer3.txt has experts 4/);
  assert.equal(refusedTyped({ routing, tokens: '4', experts: '4' }), 'accepted');
  assert.equal(refusedTyped({ routing: `uniform,${routing}`, tokens: '8' }), 'accepted');
  const combined = { phase: 'combine', dtype: 'float8e4m3' };
  assert.match(
    refusedTyped(combined, ['float8e4m3']),
    /--dtype float8e4m3 has no effect: combined data are bfloat16/,
  );
  assert.equal(refusedTyped({ ...combined, phase: 'pair' }, ['float8e4m3']), 'accepted');
});

test('what no token can be sent to is refused, with what is allowed', () => {
  assert.match(refused({ experts: '5' }), /5 experts do not divide by 2 ranks/);
  assert.match(refused({ topk: '5' }), /a token cannot go to 5 different experts of 4/);
  assert.match(refused({ routing: 'hot:1' }), /hot:1: each token goes to 2 different experts/);
  assert.match(refused({ routing: 'hot:9' }), /hot:9: there are 4 experts/);
  assert.match(refused({ routing: fileOf('4 4\n4 4\n') }, { ranks: 1 }), /is for 2 ranks, not 1/);
  assert.match(refused({ routing: fileOf('4 4\n4 2\n') }), /add up to 8, 6 tokens/);
  assert.match(refused({ routing: fileOf('5 3\n4 4\n') }), /an expert has 5 of the 4 tokens/);
});

test('values that are no routing, no capacity or no size are refused as such', () => {
  const { routing, capacity, hidden } = moePlanning.options;
  for (const [option, text, why] of [
    [routing, 'diagonal', /a matrix, no routing/],
    [routing, 'zipf', /needs an exponent/],
    [routing, 'none.txt', /no file/],
    [routing, fileOf('1 2\n3\n', 'ragged.txt'), /row 2 has 1 numbers, row 1 has 2/],
    [routing, fileOf('1 -2\n3 4\n', 'negative.txt'), /row 1, column 2: '-2' is no number of tokens/],
    [capacity, '0', /neither dropless nor a factor/],
    [capacity, '-1', /neither dropless nor a factor/],
    [hidden, '12', /not a multiple of 8/],
  ] as const)
    assert.throws(
      () => option?.coerce(text),
      (error: unknown) => {
        assert.ok(error instanceof ValueError);
        assert.match(error.message, why);
        return true;
      },
    );
});
