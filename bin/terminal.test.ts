import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTime } from '../results/units.ts';
import { printText } from './terminal.ts';
import { TestScreen } from './testing/screen.ts';

for (const [variables, printed] of [
  [{ LC_ALL: 'C.UTF-8' }, '4.71 µs'],
  [{ LC_CTYPE: 'de_DE.utf8', LANG: 'C' }, '4.71 µs'],
  [{ LC_ALL: 'C', LANG: 'en_US.UTF-8' }, '4.71 us'],
  [{ LANG: 'en_US.ISO-8859-1' }, '4.71 us'],
  [{}, '4.71 us'],
] as const)
  test(`${JSON.stringify(variables)}: a time is printed as ${printed}, in colour and without`, () => {
    const screen = new TestScreen(80, 24);
    try {
      for (const name of ['LC_ALL', 'LC_CTYPE', 'LANG']) delete process.env[name];
      Object.assign(process.env, variables);
      for (const colour of ['0', '1']) {
        delete process.env.NO_COLOR;
        process.env.FORCE_COLOR = colour;
        printText(`${formatTime(4712)}\n`);
      }
    } finally {
      screen.end();
    }
    assert.equal(screen.text(), `${printed}\n${printed}\n`);
  });

test('without UTF-8 signs are ASCII, columns stay aligned, and names keep their letters', () => {
  const screen = new TestScreen(80, 24);
  try {
    process.env.LC_ALL = 'C';
    printText('    time        ±      busbw\n 4.71 µs    0.8 %   1.7 MB/s\n');
    printText('a · b → c … ±1.0 % ✓ ▕██▌▏ /home/müller\n');
  } finally {
    screen.end();
  }
  assert.equal(
    screen.text(),
    '    time       +-      busbw\n 4.71 us    0.8 %   1.7 MB/s\na - b -> c . +-1.0 % + |###| /home/müller\n',
  );
});
