import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { root, run, skipUnless, withFolder } from './harness.ts';

/** Tests completion in real shells: types a line and the Tab key, then checks the words that the shell parsed. */

const small = '--sizes 8 --launches 1 --iters 3 --warmup 0 --sample-interval off'.split(' ');

/** Calls `body` with a folder that has two labelled runs and two files. One label and one file name contain a blank. */
async function furnished(body: (folder: string) => Promise<void>): Promise<void> {
  await withFolder(async (cwd) => {
    for (const label of ['before', 'new cable'])
      assert.equal((await run(['allreduce', ...small, '--label', label], { cwd })).code, 0);
    for (const name of ['plain.yaml', 'other one.yaml']) await writeFile(path.join(cwd, name), 'iters: 3\n');
    await mkdir(path.join(cwd, 'home'));
    await body(cwd);
  });
}

/** Lines before the Tab key is pressed, each with the words that the shell must have afterwards. */
const typed: readonly (readonly [line: string, words: string[]])[] = [
  ['collbench allr', ['collbench', 'allreduce']],
  ['collbench compare befo', ['collbench', 'compare', 'before']],
  ['collbench compare ne', ['collbench', 'compare', 'new cable']],
  ['collbench compare new\\ c', ['collbench', 'compare', 'new cable']],
  ['collbench compare "new c', ['collbench', 'compare', 'new cable']],
  ['collbench allreduce --transport socket,s', ['collbench', 'allreduce', '--transport', 'socket,s']],
  ['collbench allreduce --transport socket,ibg', ['collbench', 'allreduce', '--transport', 'socket,ibgda']],
  ['collbench allreduce --dtype=float8e5', ['collbench', 'allreduce', '--dtype=float8e5m2']],
  ['collbench allreduce --config pl', ['collbench', 'allreduce', '--config', 'plain.yaml']],
  ['collbench allreduce --config=pl', ['collbench', 'allreduce', '--config=plain.yaml']],
  ['collbench allreduce --config ot', ['collbench', 'allreduce', '--config', 'other one.yaml']],
  ['collbench baseline lea', ['collbench', 'baseline', 'learn']],
  ['collbench nosuch ', ['collbench', 'nosuch']],
];

const shells: Record<string, { start: string; setUp: string }> = {
  bash: {
    start: 'bash --norc --noprofile -i',
    setUp: 'bind "set enable-bracketed-paste off"; source <(collbench completion bash)',
  },
  zsh: { start: 'zsh -f -i', setUp: 'unset zle_bracketed_paste; source <(collbench completion zsh)' },
};

/** Types all lines into a shell in a pseudo-terminal, which the program `script` provides. @returns all output of the terminal */
async function type(shell: { start: string; setUp: string }, cwd: string): Promise<string> {
  const child = spawn('script', ['-qfec', shell.start, '/dev/null'], {
    cwd,
    env: {
      PATH: `${path.join(root, 'bin')}:${process.env.PATH}`,
      ...{ HOME: path.join(cwd, 'home'), TERM: 'dumb', LC_ALL: 'C.UTF-8', INPUTRC: '/dev/null' },
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('COLLBENCH_'))),
    },
  });
  let seen = '';
  const ended = once(child, 'close');
  const saw = async (pattern: RegExp) => {
    while (!pattern.test(seen)) {
      const more = await Promise.race([once(child.stdout, 'data'), ended.then(() => null)]);
      if (more === null) throw new Error(`ended without ${pattern}:\n${seen}`);
    }
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    seen += text;
  });
  child.stdin.write(`${shell.setUp}; echo set-"up"\n`);
  await saw(/set-up/);
  for (const [i, [line]] of typed.entries()) {
    // Ctrl-A moves to the start of the line, where printf is inserted: the shell then prints the words that it has parsed.
    child.stdin.write(`${line}\t\u0001printf '<%s>' \u0005; printf '\\n=%s\\n' end${i}\n`);
    await saw(new RegExp(`\n=end${i}`));
  }
  child.stdin.end('exit\n');
  await ended;
  return seen;
}

for (const [name, shell] of Object.entries(shells)) {
  const isThere = ['script', name].every((one) => spawnSync(one, ['--version']).error === undefined);
  test(
    `${name}: labels, values, files and verbs, quoted as they must be; nothing else lands in the prompt`,
    {
      skip: skipUnless(isThere, `completion is tried with ${name} and script (util-linux)`),
    },
    () =>
      furnished(async (cwd) => {
        const seen = await type(shell, cwd);
        for (const [i, [line, words]] of typed.entries()) {
          const got = new RegExp(`(<[^%\n]*>)\r?\n=end${i}`).exec(seen)?.[1];
          assert.equal(got, words.map((word) => `<${word}>`).join(''), `${line}\n${seen}`);
        }
        assert.doesNotMatch(seen, /error|not found|bad substitution/i);
      }),
  );
}

const hasFish = spawnSync('fish', ['--version']).error === undefined;
test('fish: the same, names before ids', { skip: skipUnless(hasFish, 'there is no fish') }, () =>
  furnished(async (cwd) => {
    const script = [
      'collbench completion fish | source',
      ...typed.map(([line], i) => `echo "=${i}"; complete -C ${quoted(line)}`),
      'echo =ids; complete -C "collbench compare "',
    ].join('\n');
    const env = { ...process.env, PATH: `${path.join(root, 'bin')}:${process.env.PATH}` };
    const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', script], {
      ...{ cwd, encoding: 'utf8' },
      env: { ...env, HOME: path.join(cwd, 'home'), LC_ALL: 'C.UTF-8' },
    });
    assert.equal(stderr, '');
    const offered = new Map(
      stdout.split(/^=/m).map((part) => {
        const [key = '', ...lines] = part.trimEnd().split('\n');
        return [key, lines.map((text) => text.split('\t')[0])];
      }),
    );
    for (const [i, [line, words]] of typed.entries()) {
      if (line.endsWith('socket,s') || line.endsWith(' ')) continue;
      assert.deepEqual(offered.get(String(i)), [words.at(-1)], line);
    }
    assert.deepEqual(offered.get('5'), ['socket,sisci', 'socket,shm']);
    // Both runs may have started within the same second; then their order is undefined.
    const [last, one = '', other = '', ...ids] = offered.get('ids') ?? [];
    assert.deepEqual([last, ...[one, other].sort()], ['last', 'before', 'new cable']);
    assert.ok(ids.length === 2 && ids.every((id) => /^[0-9a-f]{6}$/.test(id ?? '')), `${ids}`);
  }),
);

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
