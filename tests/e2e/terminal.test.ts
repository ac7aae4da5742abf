// The terminal output of a run with several series and real ranks.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { command, withFolder } from './harness.ts';

const hasScript = spawnSync('script', ['--version']).status === 0;
const skip = hasScript ? false : 'no script (util-linux) to open a terminal with';
const words = [
  ...['allreduce', '--dtype', 'float32,int64', '--sizes', '8,1K,64K', '--transport', 'socket,shm'],
  ...['--launches', '3', '--iters', '30', '--sample-interval', 'off'],
];
const plain = /^[\w./,=-]+$/;

test('rows come before the end, and measurements do not go back', { skip }, async () => {
  await withFolder(async (cwd) => {
    const line = [command, ...words].map((word) => (plain.test(word) ? word : `'${word}'`)).join(' ');
    const env = { ...process.env, TERM: 'xterm', NO_COLOR: '1', COLLBENCH_LIVE: '' };
    const ended = spawnSync('script', ['-qec', `stty rows 50 cols 110; ${line}`, '/dev/null'], {
      ...{ cwd, env, encoding: 'utf8' },
    });
    assert.equal(ended.status, 0, ended.stdout);
    const text = ended.stdout;
    const end = text.lastIndexOf('verified: ');
    const provisional = [...text.slice(0, end).matchAll(/^ +(?:8|1K|64K) .*\.\. /gm)];
    assert.ok(provisional.length > 0, text);
    assert.ok(text.slice(0, end).includes(`${String.fromCharCode(27)}[J`), 'rows are replaced');
    const states = [...text.matchAll(/(\d+)\/(\d+) measurements/g)];
    assert.ok(states.length > 0, text);
    for (const [i, state] of states.entries()) {
      const before = states[i - 1] ?? state;
      assert.ok(Number(state[1]) >= Number(before[1]), `${before[0]}, then ${state[0]}`);
    }
  });
});
