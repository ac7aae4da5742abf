import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { command, withFolder } from './harness.ts';

const hasTerminal = spawnSync('script', ['--version']).status === 0;
const skip = hasTerminal ? false : 'no script(1) of util-linux, which gives a terminal';

test(
  'on a terminal a row stands there from its first blocks on, and is replaced by the final one',
  { skip },
  () =>
    withFolder(async (folder) => {
      const words = [
        'allreduce',
        '--sizes',
        '8,16',
        '--transport',
        'socket',
        '--launches',
        '2',
        '--iters',
        '4',
      ];
      const line = [command, ...words].map((word) => `'${word}'`).join(' ');
      const { status, stdout } = spawnSync(
        'script',
        ['-qec', `stty rows 40 cols 110; exec ${line}`, '/dev/null'],
        {
          cwd: folder,
          encoding: 'utf8',
          env: { ...process.env, TERM: 'xterm', LC_ALL: 'C.UTF-8' },
          stdio: ['pipe', 'pipe', 'inherit'],
        },
      );
      assert.equal(status, 0, stdout);
      const rowsIn = (text: string) => stripVTControlCharacters(text).match(/^ *(?:8|16) +.*$/gm) ?? [];
      const screens = stdout.split('\u001b[J');
      const first = rowsIn(screens[0] ?? '');
      assert.ok(first.length > 0, stdout);
      for (const row of first)
        assert.match(row, / µs +\.\. .* 0\s*$/, 'verified, its interval still to come');
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
