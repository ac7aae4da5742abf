import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { command, withFolder } from './harness.ts';

const hasTerminal = spawnSync('script', ['--version']).status === 0;
const skip = hasTerminal ? false : 'no script(1) of util-linux, which gives a terminal';

/** Output of collbench with these words in a terminal of 40 rows and 110 columns, escape sequences included. */
function shownOnTerminal(folder: string, words: string): { status: number | null; stdout: string } {
  return spawnSync('script', ['-qec', `stty rows 40 cols 110; exec '${command}' ${words}`, '/dev/null'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, TERM: 'xterm', LC_ALL: 'C.UTF-8' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

test(
  'on a terminal a row stands there from its first blocks on, and is replaced by the final one',
  { skip },
  () =>
    withFolder(async (folder) => {
      const { status, stdout } = shownOnTerminal(
        folder,
        'allreduce --sizes 8,16 --transport socket --launches 2 --iters 4',
      );
      assert.equal(status, 0, stdout);
      const rowsIn = (text: string) => stripVTControlCharacters(text).match(/^ *(?:8|16) +.*$/gm) ?? [];
      const screens = stdout.split('\u001b[J');
      const first = rowsIn(screens[0] ?? '');
      assert.ok(first.length > 0, stdout);
      // On a busy machine an operation of few bytes may take milliseconds or more.
      for (const row of first)
        assert.match(row, / (?:µs|ms|s) +\.\. .* 0\s*$/, 'verified, its interval still to come');
      const last = rowsIn(screens.at(-1) ?? '');
      assert.deepEqual(
        last.map((row) => row.trim().split(' ')[0]),
        ['8', '16'],
        'each once',
      );
      assert.ok(last.every((row) => !row.includes(' .. ')));
      assert.doesNotMatch(stdout, /final table/);
    }),
);

test('the percentages of a suite’s entry never fall, although estimates change', { skip }, () =>
  withFolder(async (folder) => {
    const suite = path.join(folder, 'mine.yaml');
    writeFileSync(
      suite,
      'options: {max: 64K, factor: 4, budget: 3s}\nentries: {one: {collective: allreduce, transport: [socket, shm]}}\n',
    );
    // On a busy machine the budget ends before all is measured, with another exit code.
    const shown = stripVTControlCharacters(shownOnTerminal(folder, `suite ${suite}`).stdout);
    const shares = [...shown.matchAll(/1 of 1: one · (\d+) %/g)].map(([, share]) => Number(share));
    assert.ok(shares.length > 3, shown);
    assert.deepEqual(
      shares,
      shares.toSorted((a, b) => a - b),
    );
  }),
);
