// Each option that a measuring command offers changes the points of its plan, or its value is refused.
// test: up to 30 s
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '../../results/refusals/refusal.ts';
import { optionName, shownRows } from '../../suites/options/option.ts';
import { sizeRule } from '../../suites/sizes.ts';
import { commandNamed, type MeasuredCommand, shownCommandNames } from '../../suites/workloads/index.ts';
import { measuringSyntax } from './measuring.ts';
import { readOptions } from './read-options.ts';

/** A value that differs from the default, of options whose example does not show one. */
const otherValues: Readonly<Record<string, string>> = {
  ...{ min: '16', max: '1M', factor: '4', step: '64K', sizes: '64', op: 'max', root: '1', inPlace: 'yes' },
  ...{
    command: '["python3","-c","0"]',
    grid: '256',
    scaling: 'weak',
    scope: 'warp',
    job: 'resnet50',
    items: '16',
  },
};

/** Options that change which points are measured: those of sizes and collectives that a command shows, and its own. */
function pointOptions({ name, workload }: MeasuredCommand): [key: string, value: string][] {
  const shown = shownRows(measuringSyntax(commandNamed(name)).options);
  const keys = ['min', 'max', 'factor', 'step', 'sizes', 'dtype', 'op', 'root', 'inPlace'];
  return [...keys.filter((key) => key in shown), ...Object.keys(workload.options)].map((key) => {
    const row = { ...shown, ...workload.options }[key];
    const words = (row?.example ?? '').split(' ');
    const example = (words[words.indexOf(`--${optionName(key)}`) + 1] ?? '').split(',');
    const usual = String(row?.default ?? '').split(',');
    const other = [...example, ...(row?.choices ?? [])].find((one) => one !== '' && !usual.includes(one));
    return [key, otherValues[key] ?? other ?? ''];
  });
}

/** Points of a command as text, or the refusal of its options. */
function planText({ name, workload }: MeasuredCommand, words: readonly string[]): string {
  const engine = workload.usualEngine ?? (name === 'stencil' ? 'cuda' : 'cpu');
  try {
    const program = name === 'script' ? ['--command', '["python3","-c","pass"]'] : [];
    const options = readOptions(name, ['--engine', engine, ...words, ...program]);
    const { points, skipped } = workload.points({
      ...{ typed: ['collbench', name], command: name, words: options.words, engine: options.engine },
      ...{ algorithm: null, ranks: 2, inProcess: false },
      transports: [{ name: 'socket', medium: 'hardware', detail: {}, options: {} }],
      ...{
        dtypes: options.dtype,
        ops: options.op,
        roots: [options.root].flat(),
        inPlace: [options.inPlace].flat(),
      },
      sizes: sizeRule(options),
    } as Parameters<typeof workload.points>[0]);
    return JSON.stringify([points, skipped]);
  } catch (error) {
    if (error instanceof Refusal) return `refused: ${error.code}`;
    throw error;
  }
}

for (const name of shownCommandNames) {
  const command = commandNamed(name);
  const usual = planText(command, []);
  for (const [key, value] of pointOptions(command)) {
    const option = `--${optionName(key)}`;
    test(`${name} ${option}: another value plans other points, or is refused`, () => {
      assert.notEqual(value, '', 'no other value is known');
      assert.notEqual(planText(command, [option, value]), usual, value);
    });
  }
}
