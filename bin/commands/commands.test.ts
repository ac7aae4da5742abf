// test: e2e
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../orchestration/build.ts';
import { isCollective } from '../../results/schema/index.ts';
import { readOptions } from '../line/measuring.ts';
import { flags, optionKeys } from '../options/index.ts';
import { commandsFor } from './index.ts';

const main = path.join(packageRoot, 'dist', 'bin', 'collbench.js');
const commands = await commandsFor();
const call = (...words: string[]) => spawnSync(process.execPath, [main, ...words], { encoding: 'utf8' });

test('help names every command; each has help of its own with examples that exist', () => {
  const overview = call('--help');
  assert.equal(overview.status, 0);
  for (const { name, describe, examples } of commands) {
    assert.match(overview.stdout, new RegExp(`^  collbench ${name} `, 'm'));
    const { status, stdout } = name === 'help' ? call(name, name) : call(name, '--help');
    assert.equal(status, 0);
    assert.ok(stdout.includes(describe), stdout);
    assert.ok(examples.length > 0);
    for (const [line] of examples) {
      assert.ok(stdout.includes(line), line);
      const words = line
        .replace(/ > .*$/, '')
        .split(' ')
        .slice(1);
      if (isCollective(name)) readOptions(name, words.slice(1));
    }
  }
});

test('help of a collective and help options show every option', () => {
  for (const { stdout } of [call('broadcast', '-h'), call('help', 'options')]) {
    for (const key of optionKeys) assert.match(stdout, new RegExp(`--${flags[key].name}\\b`));
  }
});

for (const [words, pattern] of [
  [['alreduce'], /alreduce: no such command\n {2}did you mean allreduce\?/],
  [['frobnicate'], /allowed: .*allreduce/],
  [['help', 'metod'], /did you mean method\?/],
  [['runs', '--jsn'], /--jsn: runs has no such option\n {2}did you mean --json\?/],
  [['runs', '--root'], /--root needs a value\nNext: collbench runs --help/],
  [['show'], /show needs one run[\s\S]*collbench runs/],
  [['show', 'a', 'b'], /unexpected argument 'b'/],
  [['show', 'nosuchrun'], /nosuchrun/],
  [['report'], /report needs one run/],
  [['report', 'nosuchrun', 'b'], /nosuchrun/],
  [['export', 'x', '--csv', '--json'], /two formats/],
  [['completion'], /bash, zsh/],
  [['completion', 'fish'], /completion fish[\s\S]*bash, zsh/],
] as const) {
  test(`${words.join(' ')}: one clear error, exit 1`, () => {
    const { status, stdout, stderr } = call(...words);
    assert.equal(status, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /^collbench: /);
    assert.match(stderr, pattern);
    assert.doesNotMatch(stderr, /\n\s+at /, 'no stack trace');
  });
}

test('a reader that leaves early gets no stack trace', () => {
  const line = `"${process.execPath}" "${main}" help options | true`;
  for (let i = 0; i < 3; i++) assert.equal(spawnSync('bash', ['-c', line], { encoding: 'utf8' }).stderr, '');
});

test('--version is the version of the package', () => {
  const { version } = JSON.parse(
    execFileSync('cat', [path.join(packageRoot, 'package.json')], { encoding: 'utf8' }),
  );
  assert.equal(call('--version').stdout, `${version}\n`);
});

test('completion offers commands, options and their values', () => {
  const suggestions = (...words: string[]) =>
    call('--get-yargs-completions', 'collbench', ...words)
      .stdout.split('\n')
      .slice(0, -1);
  assert.ok(suggestions('all').includes('allreduce'));
  assert.ok(suggestions('allreduce', '--').includes('--transport'));
  assert.ok(suggestions('allreduce', '-d', '').includes('bfloat16'));
  assert.ok(suggestions('allreduce', '--op', 'm').includes('max'));
  assert.deepEqual(suggestions('allreduce', '--config', ''), [], 'the shell completes files');
  assert.ok(suggestions('show', '--').includes('--json'));
  assert.ok(suggestions('completion', '').includes('zsh'));
});

test('bash completes with the printed script', () => {
  const script = `set -e
collbench() { "${process.execPath}" "${main}" "$@"; }
eval "$(collbench completion bash)"
COMP_WORDS=(collbench allreduce --transp); COMP_CWORD=2; _collbench_yargs_completions; echo "\${COMPREPLY[@]}"
COMP_WORDS=(collbench allreduce --dtype bf); COMP_CWORD=3; _collbench_yargs_completions; echo "\${COMPREPLY[@]}"
COMP_WORDS=(collbench allg); COMP_CWORD=1; _collbench_yargs_completions; echo "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  assert.deepEqual(stdout.trim().split('\n'), ['--transport', 'bfloat16', 'allgather'], stderr);
});
