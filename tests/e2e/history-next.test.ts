// test: up to 90 s
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { writeNight } from '../../results/testing/nights.ts';
import { run, withFolder } from './harness.ts';
import { commandProblem, suggestedCommands } from './support/next.ts';

/** Folders of runs with names that a shell must see quoted: nights, a night in which all sizes scatter, and no runs. */
const [nights, wild, empty] = ['all nights', 'wild nights', 'no nights'];

/** Command lines that cannot be carried out, and the part of the command that is suggested instead. */
const cases: [words: string[], next: RegExp][] = [
  [['history', '--root', empty], /^allreduce /],
  [['history', 'none', '--root', nights], /^history --root 'all nights'$/],
  [['history', '--since', '2030-01-01', '--root', nights], /^history --root 'all nights'$/],
  [['history', '--by', 'commit', '--root', nights], /^allreduce --tag commit=/],
  [
    ['history', '--trial', 'pipelined', '--group', 'large', '--root', nights],
    /^history --root 'all nights'$/,
  ],
  [['history', '--root', wild], /^runs --root 'wild nights'$/],
  [['site', 'public', '--runs', empty], /^allreduce /],
  [
    ['site', 'of others', '--runs', nights, '--nights=9'],
    /^site 'of others\/collbench' --runs 'all nights' --nights=9$/,
  ],
  [['site', 'file/site', '--runs', nights], /^site public --runs 'all nights'$/],
  [['compare', 'last', '--root', nights], /^compare last~1 last --root 'all nights'$/],
  [['compare', 'last~1', 'last', '--visible', '5%', '--root', nights], /^compare .* --root 'all nights'$/],
  [['compare', 'last~1', 'last', '--threshold', '0', '--root', nights], /^compare /],
  [['baseline', 'show', 'none', '--root', nights], /^runs --root 'all nights'$/],
  [['baseline', 'learn', 'last~1', 'last', '--root', 'one night'], /^baseline learn .* --force$/],
  [['suite', 'smoke', '--gate', '--transport', 'socket', '--root', nights], /^suite smoke .*--launches \d+$/],
];

test('the next command that history, site, compare, baseline and gate suggest works, in other folders too', async () => {
  await withFolder(async (cwd) => {
    for (const night of [0, 1, 2]) await writeNight(path.join(cwd, nights), { night, sizes: [8] });
    await writeNight(path.join(cwd, wild), { night: 0, sizes: [8, 64], sd: 4, launches: 5 });
    for (const turn of [0, 1]) await writeNight(path.join(cwd, 'one night'), { night: 0, turn, sizes: [8] });
    await mkdir(path.join(cwd, empty));
    await mkdir(path.join(cwd, 'of others'));
    await writeFile(path.join(cwd, 'of others', 'index.html'), 'mine');
    await writeFile(path.join(cwd, 'file'), '');
    for (const [words, expected] of cases) {
      const typed = words.join(' ');
      const ended = await run(words, { cwd });
      assert.ok(
        ended.code === 1 || ended.code === 2,
        `${typed}: ${ended.code}\n${ended.stdout}${ended.stderr}`,
      );
      const next = suggestedCommands(ended);
      assert.equal(next.length, 1, `${typed}: ${ended.stderr}`);
      // The shell replaces $(...) before collbench sees it.
      const line = (next[0] ?? '').replaceAll(/\$\([^)]*\)/g, 'abcdef');
      assert.match(line, expected, typed);
      assert.equal(await commandProblem(line, cwd), null, typed);
    }
  });
});
