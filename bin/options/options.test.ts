import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { collectivesOf } from '../../suites/engines/index.ts';
import { workerOptionRows } from '../../suites/engines/torch/options.ts';
import { foreignFlags } from '../../suites/options/foreign-flags.ts';
import { defaultText, letterOf, optionName } from '../../suites/options/option.ts';
import { commandNamed } from '../../suites/workloads/index.ts';
import { readConfig } from '../config.ts';
import { documents } from '../docs.ts';
import { measuringSyntax } from '../line/measuring.ts';
import { readLine } from '../line/read.ts';
import { readOptions } from '../line/read-options.ts';
import { runRefusal } from '../testing/run-refusal.ts';
import { optionKeys, optionRows } from './index.ts';

for (const key of optionKeys) {
  const { describe, example = '', allowed = '', choices = [], ...row } = optionRows[key];
  const name = optionName(key);
  test(`--${name} is documented, and its example and its words parse`, () => {
    for (const text of [describe, defaultText(optionRows[key]) ?? '', allowed, example])
      assert.notEqual(text.trim(), '');
    const words = example.split(' ');
    assert.ok(
      words.some((word) => [`--${name}`, `--no-${name}`].includes(word)),
      `the example '${example}' shows --${name}`,
    );
    const command =
      key === 'root' ? 'broadcast' : Object.hasOwn(workerOptionRows, key) ? 'train' : 'allreduce';
    const read = () => readOptions(command, words);
    if (key === 'config')
      assert.match(runRefusal(() => readConfig('nightly.yaml')).text, /nightly.yaml: cannot be read/);
    else assert.notDeepEqual(read()[key], undefined);
    for (const word of choices) if (word !== 'plugin:') row.coerce(word);
  });
}

test('a number without its unit is answered with the value that works', () => {
  const answered: string[] = [];
  for (const key of optionKeys) {
    const name = optionName(key);
    const number = (optionRows[key].choices ?? [])
      .map((word) => /^(\d+)(?:m?s|m|h|%)$/.exec(word)?.[1])
      .find((digits) => digits !== undefined);
    // --timeout takes seconds without a unit.
    if (number === undefined || name === 'timeout') continue;
    answered.push(name);
    for (const line of [[`--${name}`, number], [`--${name}=${number}`]]) {
      const { text } = runRefusal(() => readOptions('allreduce', line));
      const [message = '', allowed, next = ''] = text.split('\n');
      assert.equal(message, `--${name} ${number}: its unit is missing`);
      assert.match(allowed ?? '', /^ {2}allowed: .*\d(?:s|%)/);
      const [, value = ''] = new RegExp(`^Next: collbench .*--${name} (\\S+)$`).exec(next) ?? [];
      readOptions('allreduce', [`--${name}`, value]);
    }
  }
  assert.deepEqual(answered, ['precision', 'budget', 'wait-quiet', 'sample-interval']);
  assert.match(
    runRefusal(() => readOptions('allreduce', ['--budget', '0'])).text,
    /\nNext: collbench allreduce --help$/,
  );
});

test('docs/options.md is what the table says (npm run docs writes it)', () => {
  for (const [file, text] of documents) assert.equal(readFileSync(file, 'utf8'), text(), file);
});

test('every letter is used once, and none that nccl-tests uses for something else', () => {
  const letters = optionKeys.map((key) => letterOf(optionRows[key])).filter((letter) => letter !== undefined);
  assert.equal(new Set(letters).size, letters.length);
  assert.deepEqual(
    letters.filter((letter) => letter in foreignFlags),
    [],
  );
  assert.equal(letters.includes('h'), false);
});

test('long names of nccl-tests mean what their letters mean', () => {
  const long = ['--minbytes', '8', '--maxbytes=1G', '--stepfactor', '4', '--warmup_iters', '10'];
  const more = ['--agg_iters', '2', '--datatype', 'half', '--output_file', 'x.ndjson'];
  const short = '-b 8 -e 1G -f 4 -w 10 -m 2 -d half -J x.ndjson'.split(' ');
  const { words: _, ...options } = readOptions('allreduce', [...long, ...more]);
  const { words: __, ...same } = readOptions('allreduce', short);
  assert.deepEqual(options, same);
  assert.equal(readOptions('allreduce', ['--stepbytes', '1M']).step, 2 ** 20);
});

test('long names of nccl-tests that have no meaning here name what to use instead', () => {
  for (const [letter, { longName, instead }] of Object.entries(foreignFlags)) {
    // -g and -t are translated to ranks, and --blocking is an option of collbench too.
    if (letter === 'g' || letter === 't' || optionKeys.some((key) => optionName(key) === longName)) continue;
    const { text } = runRefusal(() => readOptions('allreduce', [`--${longName}`, '1']));
    assert.ok(text.includes(instead) && text.startsWith(`--${longName}`), text);
  }
});

test('a command of nccl-tests means the same here', () => {
  const words = '-b 8 -e 1G -f 4 -n 50 -w 10 -m 2 -o all -d half -c 1 -a 3 -T 30 -J x.ndjson'.split(' ');
  const options = readOptions('allreduce', words);
  assert.deepEqual([options.min, options.max, options.factor], [8, 2 ** 30, 4]);
  assert.deepEqual([options.iters, options.warmup, options.batch], [50, 10, 2]);
  assert.deepEqual(options.op, ['sum', 'prod', 'min', 'max', 'avg']);
  assert.deepEqual(options.dtype, ['float16']);
  assert.deepEqual([options.timeout, options.jsonFile, options.average], [30, 'x.ndjson', 'slowest']);
  assert.ok(options.check > 0);
});

for (const [text, dtype] of [
  ['float', 'float32'],
  ['double', 'float64'],
  ['half', 'float16'],
  ['bfloat16', 'bfloat16'],
  ['BF16', 'bfloat16'],
  ['char', 'int8'],
] as const) {
  test(`the data type ${text} is ${dtype}`, () => {
    assert.deepEqual(readOptions('allreduce', ['-d', text]).dtype, [dtype]);
  });
}

test('values may stand apart, behind "=" or at the letter', () => {
  for (const words of [['--max', '1M'], ['--max=1M'], ['-e1M'], ['-e=1M']]) {
    assert.equal(readOptions('allreduce', words).max, 2 ** 20, words.join(' '));
  }
});

test('the quick start of nccl-tests: GPUs and threads are ranks, one of one is nothing special', () => {
  const typed = ['-b', '8', '-e', '128M', '-f', '2'];
  for (const [words, ranks] of [
    [['-g', '1'], null],
    [['-g', '8'], 8],
    [['-t2', '-g=4'], 8],
    [['--nthreads=2', '--ngpus', '4'], 8],
    [['-g', '8', '--ranks', '4'], 4],
  ] as const) {
    const line = readLine(measuringSyntax(commandNamed('allreduce')), [...typed, ...words]);
    assert.equal(line.values.ranks ?? null, ranks, words.join(' '));
    assert.match(line.notes.join(), /\(nccl-tests\)/);
  }
});

test('said twice: what takes a list takes both, anything else is refused', () => {
  const twice = ['--transport', 'socket', '--transport', 'sisci'];
  assert.deepEqual(readOptions('allreduce', twice).transport, ['socket', 'sisci']);
  const { text, code } = runRefusal(() => readOptions('allreduce', ['-e', '8', '--max', '1M']));
  assert.match(text, /^--max 8,1M: given 2 times, but it takes one value/);
  assert.equal(code, 1);
});

test('-r -1 is every root, as in nccl-tests', () => {
  assert.equal(readOptions('broadcast', ['-r', '-1']).root, 'all');
  assert.deepEqual(readOptions('broadcast', ['--root', '0,1']).root, [0, 1]);
});

test('--check counts samples between verified ones, -c how many are verified at least', () => {
  const check = (...words: string[]) => readOptions('allreduce', words).check;
  assert.equal(check('--check', '0'), 0);
  assert.equal(check('-c', '0'), 0);
  assert.equal(check('--check', '5'), 5);
  assert.equal(
    check('-c', '1'),
    optionRows.check.default,
    'first and last of every block are verified anyway',
  );
  assert.equal(check('-c', '100'), 1, 'every sample');
});

test('--sample-interval takes a time with its unit, or off', () => {
  const asked = (text: string) => readOptions('allreduce', ['--sample-interval', text]).sampleInterval;
  assert.deepEqual(['1ms', '0.2s', '1500us', '1500\u00b5s', '1500\u03bcs', '10 s', 'off'].map(asked), [
    1000,
    200_000,
    ...[1500, 1500, 1500],
    10_000_000,
    null,
  ]);
  assert.equal(readOptions('allreduce', []).sampleInterval, 200_000);
});

test('switches are switched on by their name and off by --no- or in words', () => {
  assert.equal(readOptions('allreduce', []).pathProof, true);
  assert.equal(readOptions('allreduce', ['--no-path-proof']).pathProof, false);
  assert.equal(readOptions('allreduce', ['--path-proof=false']).pathProof, false);
  assert.equal(readOptions('allreduce', ['--json']).json, true);
});

/** Cases of refusals: name, words, and the expected message (value, allowed or meant values, solution). */
const refusedCases: [string, string[], RegExp][] = [
  ['an unknown flag', ['--transprot', 'x'], /^--transprot: .*no such option\n.*--transport/],
  ['an unknown flag without its value', ['--itres=4'], /^--itres: [\s\S]*--iters/],
  ['an unknown letter', ['-q'], /^-q: /],
  ['a letter that makes no sense here', ['-g', 'all'], /^-g .*GPUs[\s\S]*--ranks/],
  ['a word that is no flag', ['8'], /unexpected argument '8'/],
  ['a flag without its value', ['--min'], /^--min needs a value[\s\S]*1K/],
  ['a flag in place of a value', ['--min', '--max', '8'], /^--min needs a value/],
  ['a size that is none', ['--max', 'lots'], /^--max lots: not a size[\s\S]*1G/],
  ['a negative size', ['--max', '-8'], /^--max -8: not a size/],
  ['half an element', ['--min', '7', '-d', 'double'], /^--min 7: .*float64.*8 bytes[\s\S]*nearest: 8/],
  ['half an element, by letter', ['-b', '9'], /^-b 9: .*float32[\s\S]*8 or 12/],
  ['half an element in a list', ['--sizes', '8,10'], /^--sizes 10: /],
  ['half an element as step', ['--step', '6', '--min', '8'], /^--step 6: /],
  ['the widest of several types decides', ['--min', '4', '-d', 'int8,int64'], /^--min 4: .*int64/],
  ['min above max', ['--min', '1M', '--max', '1K'], /^--min 1M is above --max 1K/],
  ['sizes said twice', ['--sizes', '8', '--min', '8'], /^--sizes and --min/],
  ['factor and step', ['--factor', '2', '--step', '8'], /cannot be combined/],
  ['a factor that never grows', ['--factor', '1'], /^--factor 1: .*not grow/],
  ['a step that never grows', ['--step', '0'], /^--step 0: .*not grow/],
  ['no number', ['--factor', 'NaN'], /^--factor NaN: not a number/],
  ['NaN samples', ['--iters', 'NaN'], /^--iters NaN: not a whole number/],
  ['no samples', ['--iters', '0'], /^--iters 0: less than 1/],
  ['half a sample', ['--iters', '1.5'], /^--iters 1.5: /],
  ['no ranks', ['--ranks', '0'], /^--ranks 0: less than 1[\s\S]*1 to 4096/],
  ['endless time', ['--timeout', 'Infinity'], /^--timeout Infinity/],
  ['no time', ['--timeout', '0'], /^--timeout 0: not above 0/],
  [
    'a time without its unit',
    ['--sample-interval', '200'],
    /^--sample-interval 200: its unit[\s\S]*1ms to 10s/,
  ],
  ['too short to be known', ['--wait-quiet', '2s'], /^--wait-quiet 2s: shorter than 5s/],
  ['too often', ['--sample-interval', '500us'], /^--sample-interval 500us: shorter than 1ms/],
  ['too seldom', ['--sample-interval', '1000000s'], /^--sample-interval 1000000s: longer than 10s/],
  ['no time', ['--sample-interval', 'often'], /^--sample-interval often: not a time/],
  ['an unknown type', ['--dtype', 'float8'], /^--dtype float8: [\s\S]*bfloat16/],
  ['an unknown op', ['--op', 'xor'], /^--op xor: [\s\S]*sum/],
  ['an average over ranks', ['-a', '1'], /^-a 1: .*straggler[\s\S]*3/],
  ['an empty list', ['--transport', ','], /^--transport ,: empty/],
  ['a plugin without a path', ['--transport', 'plugin'], /plugin:\/path/],
  ['a root of what has none', ['--root', '0'], /^--root 0: allreduce has no root\n.*broadcast, reduce/],
];
for (const [name, words, pattern] of refusedCases) {
  test(`refused: ${name} (${words.join(' ')})`, () => {
    const { text, code } = runRefusal(() => readOptions('allreduce', words));
    assert.match(text, pattern);
    assert.equal(code, 1);
    assert.ok(text.includes('\n'), 'says what is allowed or what to do');
  });
}

test('a root beyond the ranks is refused where there is a root', () => {
  assert.match(
    runRefusal(() => readOptions('broadcast', ['--root', '5'])).text,
    /--root 5: there is no such rank among 2/,
  );
});

test('an op is refused for collectives that do not reduce, and only there', () => {
  for (const name of collectivesOf('nccl')) {
    const reduces = name.includes('reduce');
    const read = () => readOptions(name, ['--engine', 'nccl', '--op', 'max']);
    if (reduces) assert.deepEqual(read().op, ['max']);
    else assert.match(runRefusal(read).text, /reduces nothing/);
  }
});
