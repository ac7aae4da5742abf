// test: nightly, up to 60 min
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { optionKeys, optionRows } from '../../bin/options/index.ts';
import { isSwitch, type OptionRow, optionName } from '../../suites/options/option.ts';
import { type ProcessResult, start, withFolder } from './harness.ts';
import { commandProblem, suggestedCommands } from './support/next.ts';

/** Values of every kind that an option can have (numbers, shares, times, sizes), from smallest to largest. */
const ladder = [
  '0',
  '1',
  '2',
  '3',
  '16',
  '256',
  '1024',
  '65536',
  '4294967295',
  '9007199254740991',
  '0.01%',
  '0.1%',
  '50%',
  '99%',
  '1ms',
  '1s',
  '60s',
  '24h',
  '1K',
  '1M',
  '1G',
  '1T',
  '1P',
];

const accepts = ({ coerce }: OptionRow, text: string): boolean => {
  try {
    coerce(text);
    return true;
  } catch {
    return false;
  }
};

/** The smallest and the largest value that the parser of an option accepts; a switch gets the empty text. */
function extremesOf(flag: OptionRow): string[] {
  if (isSwitch(flag)) return [''];
  const values = [...(flag.choices ?? []), ...ladder].filter((text) => accepts(flag, text));
  return [...new Set([values[0], values.at(-1)])].filter((value) => value !== undefined);
}

/** True for options without a smallest and largest value (paths, names), and for --wait-quiet, which would really wait. */
const isPlaceOrName = (name: string, { value = '', choices }: OptionRow): boolean =>
  (choices === undefined && /FILE|DIR|PATH|NAME|TEXT/.test(value)) ||
  ['hosts', 'tag', 'map', 'fault', 'interface', 'wait-quiet'].includes(name);

const problemOf = ({ code, signal, stderr }: ProcessResult): string | null => {
  if (/internal error|^ +at .*:\d+:\d+/m.test(stderr)) return 'an internal error';
  if (signal !== null) return `ended by ${signal}`;
  if (code === 0) return null;
  if (code !== 1 && code !== 2) return `exit code ${code}`;
  return stderr.startsWith('collbench') ? null : 'a failure without a message';
};

/** Milliseconds after which a command counts as hung; it takes a second or two on an idle machine. */
const hangMs = 240_000;

test('every option at its smallest and its largest value, on 1, 2 and 3 ranks, measures or is refused with a reason', async (t) => {
  const flags = optionKeys
    .map((key) => ({ ...optionRows[key], name: optionName(key) }))
    .filter((flag) => !isPlaceOrName(flag.name, flag));
  const only = process.env.COLLBENCH_EXTREMES?.split(',');
  for (const flag of flags.filter(({ name }) => only === undefined || only.includes(name)))
    for (const value of extremesOf(flag))
      for (const ranks of flag.name === 'ranks' ? [value] : ['1', '2', '3'])
        await t.test(`--${flag.name} ${value}, ranks ${ranks}`.trim(), () =>
          withFolder(async (folder) => {
            const sizes = ['min', 'max', 'factor', 'step', 'sizes'].includes(flag.name)
              ? flag.name === 'max' || flag.name === 'sizes'
                ? []
                : ['--max', '64K']
              : ['--sizes', '8,64K'];
            const words = [
              'allreduce',
              ...sizes,
              ...(flag.name === 'ranks' ? [] : ['--ranks', ranks]),
              ...(flag.name === 'budget' ? [] : ['--budget', '2s']),
              ...(flag.name === 'launches' ? [] : ['--launches', '2']),
              `--${flag.name}${isSwitch(flag) ? '' : `=${value}`}`,
            ];
            const started = start(words, { cwd: folder });
            const limit = setTimeout(() => started.child.kill('SIGKILL'), hangMs);
            const ended = await started.ended.finally(() => clearTimeout(limit));
            assert.equal(
              problemOf(ended),
              null,
              `collbench ${words.join(' ')}\n${ended.stdout.slice(-2000)}\n${ended.stderr.slice(-2000)}`,
            );
            for (const next of suggestedCommands(ended))
              assert.equal(await commandProblem(next, folder), null, `after collbench ${words.join(' ')}`);
          }),
        );
});
