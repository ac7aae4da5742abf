// test: e2e
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../results/package.ts';
import { isSwitch, optionName, shownRows } from '../../suites/options/option.ts';
import { isMeasuring } from '../../suites/workloads/index.ts';
import { commandHelp } from '../line/help.ts';
import { readOptions } from '../line/read-options.ts';
import { argumentsOf } from '../line/syntax.ts';
import { optionKeys } from '../options/index.ts';
import { allCommands, commandGroups } from './index.ts';

const command = path.join(packageRoot, 'bin', 'collbench');
const commands = await allCommands();
const call = (...words: string[]) => spawnSync(command, words, { encoding: 'utf8' });

test('help names every command but those for tests, once, and explains the first', async () => {
  const { status, stdout } = call('--help');
  assert.equal(status, 0);
  const names = (await commandGroups()).flatMap((group) => group.names);
  assert.deepEqual([...names, 'null'].sort(), commands.map(({ name }) => name).sort());
  const [, listed = ''] = /^All commands:\n(.*?)\n\n/ms.exec(stdout) ?? [];
  assert.deepEqual(
    listed.split(/,\s+|\n? {2,}/).filter((word) => names.includes(word)),
    names,
  );
  const [, first = ''] = /^Start with:\n(.*?)\n\n/ms.exec(stdout) ?? [];
  assert.equal(first.match(/^ {2}\w/gm)?.length, 10);
  const long = call('help', 'commands').stdout;
  for (const { command, describe } of commands.filter(({ name }) => names.includes(name))) {
    assert.match(long, new RegExp(`^  ${command.replaceAll(/[.[\]]/g, '\\$&')}(?: |$)`, 'm'));
    assert.ok(long.replaceAll(/\s+/g, ' ').includes(describe), describe);
  }
});

test('no line of help is wider than 80 columns, and each group has its heading', async () => {
  for (const command of commands) {
    const lines = (await commandHelp(command, true, 80)).split('\n');
    assert.deepEqual(
      lines.filter((line) => line.length > 80),
      [],
      command.name,
    );
    for (const { group = 'Options' } of Object.values(shownRows(command.options)))
      assert.ok(lines.includes(`${group}:`), group);
    assert.ok(!lines.some((line) => /\[array\]|default: \[\]/.test(line)), command.name);
    // A long example is pasted as it stands.
    const pasted = lines.join('\n').replaceAll(/ \\\n */g, ' ');
    for (const [line] of command.examples) assert.ok(pasted.includes(`\n  ${line}\n`), line);
  }
});

test('no argument of a command has the name of one of its options', () => {
  for (const { command, options } of commands)
    for (const { name } of argumentsOf(command))
      assert.ok(!Object.keys(options).some((key) => optionName(key) === name), `${command}: ${name}`);
});

test('each command has help of its own with examples that exist', () => {
  for (const { name, describe, examples } of commands) {
    const { status, stdout } = name === 'help' ? call(name, name) : call(name, '--help');
    assert.equal(status, 0);
    assert.ok(stdout.replaceAll(/\s+/g, ' ').includes(describe), stdout);
    assert.ok(examples.length > 0);
    for (const [line] of examples) {
      assert.ok(stdout.includes(line), line);
      const words = line
        .replace(/ > .*$/, '')
        .split(' ')
        .slice(1)
        .map((word) => word.replace(/^'(.*)'$/, '$1'));
      if (isMeasuring(name)) readOptions(name, words.slice(1));
    }
  }
});

test('help names the value of every option, not the option once more', () => {
  for (const { name, options } of commands)
    for (const [key, row] of Object.entries(options))
      assert.ok(
        isSwitch(row) !== (row.value !== undefined),
        `${name} --${optionName(key)} has no name for its value`,
      );
});

test('help options shows every option, help of a collective those that it uses', () => {
  const options = call('help', 'options').stdout;
  const broadcast = call('broadcast', '-h').stdout;
  for (const key of optionKeys) {
    const name = new RegExp(`--${optionName(key)}\\b`);
    assert.match(options, name);
    if (key === 'op') assert.doesNotMatch(broadcast, name, 'broadcast reduces nothing');
    else assert.match(broadcast, name);
  }
});

for (const [words, pattern, exit = 1] of [
  [['alreduce'], /alreduce: no such command\n {2}did you mean allreduce\?\nNext: collbench allreduce\n/],
  [['alreduce', '--maxx', '1M'], /\nNext: collbench allreduce --max 1M\n/],
  [['--algoo', 'ring'], /--algoo: a command must come first\n.*\nNext: collbench allreduce --algo ring\n/],
  [['-b', '8', '-e', '1G'], /\nNext: collbench allreduce -b 8 -e 1G\n/],
  [['--engine', 'nccl', 'broadcast'], /\nNext: collbench broadcast --engine nccl\n/],
  [['--jsn', 'runs'], /\nNext: collbench runs --json\n/],
  [['--vesrion'], /\nNext: collbench --version\n/],
  [['--frobnicate'], /\nNext: collbench --help\n/],
  [['allreduce,broadcast'], /one command at a time; a suite measures several\nNext: collbench suite --list/],
  [['frobnicate'], /allowed: (?!.*\bnull\b).*allreduce/],
  [['nul'], /nul: no such command(?!.*\n.*null)/],
  [['help', 'metod'], /did you mean method\?\nNext: collbench help method\n/],
  [
    ['runs', '--jsn'],
    /--jsn: runs has no such option\n {2}did you mean --json\?\nNext: collbench runs --json\n/,
  ],
  [['runs', '--root'], /--root needs a value\nNext: collbench runs --help/],
  [['show'], /show needs one run\n {2}allowed: id or folder[\s\S]*collbench runs/],
  [['baseline'], /baseline needs one action\n {2}allowed: set RUN, show NAME, list/],
  [['link'], /link needs one action\n {2}allowed: fit RUN/],
  [['site'], /site needs one folder\n {2}allowed: folder of the site/],
  [['show', 'a', 'b'], /unexpected argument 'b'/],
  [['show', 'nosuchrun'], /nosuchrun/, 2],
  [['report'], /report needs one run/],
  [['report', 'nosuchrun', 'b'], /nosuchrun/, 2],
  [['export', 'x', '--csv', '--json'], /two formats/],
  [['completion'], /bash, zsh/],
  [['completion', 'tcsh'], /completion tcsh[\s\S]*bash, zsh/],
] as const) {
  test(`${words.join(' ')}: one clear error, exit ${exit}`, () => {
    const { status, stdout, stderr } = call(...words);
    assert.equal(status, exit);
    assert.equal(stdout, '');
    assert.match(stderr, /^collbench: /);
    assert.match(stderr, pattern);
    assert.doesNotMatch(stderr, /\n\s+at /, 'no stack trace');
  });
}

test('a reader that leaves early gets no stack trace', () => {
  const line = `"${command}" help options | true`;
  for (let i = 0; i < 3; i++) assert.equal(spawnSync('bash', ['-c', line], { encoding: 'utf8' }).stderr, '');
});

test('--version is the version of the package', () => {
  const { version } = JSON.parse(
    execFileSync('cat', [path.join(packageRoot, 'package.json')], { encoding: 'utf8' }),
  );
  assert.equal(call('--version').stdout, `${version}\n`);
});

const offered = (...words: string[]) =>
  call('--complete', ...words)
    .stdout.split('\n')
    .slice(0, -1)
    .map((line) => line.replace(/\t.*$/, ''));

test('completion offers commands, options, their values and the words of commands', () => {
  assert.deepEqual(offered('allg'), ['allgather']);
  assert.ok(offered('allreduce', '--').includes('--transport'));
  assert.ok(!offered('allreduce', '--transport', 'socket', '--').includes('--transport'), 'once');
  assert.ok(offered('allreduce', '-d', '').includes('bfloat16'));
  assert.deepEqual(offered('allreduce', '--op', 'm'), ['min', 'max']);
  assert.deepEqual(offered('allreduce', '--op=mi'), ['--op=min']);
  assert.deepEqual(offered('allreduce', '--op', '=', 'mi'), ['min'], 'as bash takes words apart');
  assert.deepEqual(offered('allreduce', '--transport', 'socket,si'), ['socket,sisci']);
  assert.ok(!offered('allreduce', '--transport', 'socket,').includes('socket,socket'));
  assert.deepEqual(offered('allreduce', '--config', ''), [':files']);
  assert.deepEqual(offered('export', '--out', ''), [':files']);
  assert.deepEqual(offered('import', ''), [':files']);
  assert.ok(offered('show', '--').includes('--json'));
  assert.deepEqual(offered('completion', ''), ['bash', 'zsh', 'fish']);
  assert.deepEqual(offered('baseline', ''), ['set', 'show', 'list', 'learn']);
  assert.deepEqual(offered('suite', 's'), ['scaling', 'smoke', 'stencil', 'sweep']);
  assert.deepEqual(offered('help', 'meth'), ['method']);
});

test('report --figures: what does not go together is refused before a run is looked for', () => {
  const refused = (...words: string[]) => {
    const { status, stderr } = call('report', 'x', ...words);
    assert.equal(status, 1, stderr);
    return stderr;
  };
  assert.match(refused('--figures', 'paper'), /--figures paper[\s\S]*allowed: thesis/);
  assert.match(
    refused('--figures', 'thesis', '--theme', 'dark'),
    /--theme dark[\s\S]*allowed: thesis, default, talk/,
  );
  assert.match(refused('--theme', 'talk'), /--theme has no effect without --figures/);
  assert.deepEqual(offered('report', '--theme', 't'), ['thesis', 'talk']);
});

test('what cannot be completed offers nothing and says nothing', () => {
  for (const words of [['frobnicate', ''], ['constructor', ''], ['allreduce', '--frob', ''], []]) {
    const { status, stderr } = call('--complete', ...words);
    assert.deepEqual([status, stderr], [0, ''], words.join(' '));
  }
  assert.deepEqual(offered('frobnicate', ''), []);
});

test('runs and suites are completed by their ids, those of --root too', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'collbench-completion-'));
  try {
    mkdirSync(path.join(root, '2026-11-21T02-00-00Z-allreduce-7f3a2c'));
    mkdirSync(path.join(root, '2026-11-22T02-00-00Z-suite-nightly-1b2c3d'));
    assert.deepEqual(offered('show', '--root', root, ''), ['last', '1b2c3d', '7f3a2c']);
    assert.deepEqual(offered('compare', `--root=${root}`, 'last', '7'), ['7f3a2c']);
    assert.deepEqual(offered('baseline', 'set', '--root', root, 'l'), ['last']);
  } finally {
    rmSync(root, { recursive: true });
  }
});
