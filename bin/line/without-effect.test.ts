import assert from 'node:assert/strict';
import { test } from 'node:test';
import { optionName, shownRows } from '../../suites/options/option.ts';
import { commandNamed, shownCommandNames } from '../../suites/workloads/index.ts';
import { runRefusal } from '../testing/run-refusal.ts';
import { measuringSyntax } from './measuring.ts';
import { readOptions } from './read-options.ts';

/** A value of each option of sizes and collectives that differs from its default. */
const values = {
  min: '16',
  max: '1M',
  factor: '4',
  step: '1M',
  sizes: '64',
  dtype: 'float16',
  op: 'max',
  root: '1',
  inPlace: 'yes',
};

for (const name of shownCommandNames) {
  const command = commandNamed(name);
  const { options } = measuringSyntax(command);
  const shown = shownRows(options);
  for (const [key, value] of Object.entries(values)) {
    const option = `--${optionName(key)}`;
    if (key in shown) continue;
    test(`${name} ${option}: help leaves it out, and the command refuses it`, () => {
      const engine = command.workload.usualEngine ?? (name === 'stencil' ? 'cuda' : 'cpu');
      const { text, code } = runRefusal(() => readOptions(name, ['--engine', engine, option, value]));
      assert.match(text, new RegExp(`^${option}`));
      assert.match(text, /leave it out/);
      assert.match(text, /\nNext: collbench /);
      assert.equal(code, 1);
    });
  }
}
