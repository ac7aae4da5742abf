import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { launcherOf } from '../../orchestration/preparing/host-rules.ts';
import { readConfig } from '../config.ts';
import { readOptions } from '../line/read-options.ts';
import { runRefusal } from '../testing/run-refusal.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'collbench-nodes-'));
after(() => rmSync(folder, { recursive: true }));
function file(name: string, text: string): string {
  const at = path.join(folder, name);
  writeFileSync(at, text);
  return at;
}
const read = (...words: string[]) => readOptions('allreduce', words);
const configured = (config: string, ...words: string[]) =>
  readOptions('allreduce', ['--config', config, ...words], readConfig(config));

test('hosts are read where they are typed', () => {
  const { hosts } = read('--hosts', 'gpu[01-02]:8,me@[::1]:2222');
  assert.deepEqual(
    hosts?.map(({ name, user, port, slots }) => [name, user, port, slots]),
    [
      ['gpu01', null, null, 8],
      ['gpu02', null, null, 8],
      ['[::1]', 'me', 2222, null],
    ],
  );
});

test('the launcher: local without hosts, ssh with them, and as said', () => {
  for (const [words, wanted] of [
    [[], { kind: 'local' }],
    [['--hosts', 'a'], { kind: 'ssh' }],
    [['--hostfile', 'nodes'], { kind: 'ssh' }],
    [['--hosts', 'a', '--launcher', 'slurm'], { kind: 'slurm' }],
    [['--launcher', 'slurm'], { kind: 'slurm' }],
    [
      ['--hosts', 'a', '--launcher', 'command:kubectl exec -i {host} -- {agent}'],
      { kind: 'command', template: 'kubectl exec -i {host} -- {agent}' },
    ],
    [['--launcher', 'kubernetes', '--selector', 'app=x'], { kind: 'kubernetes' }],
    [['--hosts', 'a', '--launcher', 'docker'], { kind: 'docker' }],
  ] as const) {
    assert.deepEqual(launcherOf(read(...words)), wanted, words.join(' '));
  }
});

test('with nodes the ranks are for the placement to count, also on the cpu', () => {
  assert.equal(read().ranks, 2);
  assert.equal(read('--hosts', 'a:4,b:4').ranks, null);
  assert.equal(read('--hosts', 'a:4,b:4', '--ranks', '3').ranks, 3);
  assert.equal(read('--launcher', 'slurm').ranks, null);
});

test('files of this machine know "~", folders of the nodes begin at the home folder there', () => {
  const ssh = ['--hosts', 'a'];
  assert.deepEqual(read(...ssh, '--identity=~/.ssh/a,/b').identity, [path.join(homedir(), '.ssh/a'), '/b']);
  assert.equal(read(...ssh, '--remote-dir=~/x').remoteDir, 'x');
  assert.equal(read(...ssh, '--remote-dir=/x y').remoteDir, '/x y');
});

test('a config file says hosts, too; the command line goes before it, hosts before a hostfile', () => {
  const config = file('nodes.yaml', 'hosts: [a, b]\nrsh: openssh\nranks-per-node: 2\n');
  assert.deepEqual(
    configured(config).hosts?.map(({ name }) => name),
    ['a', 'b'],
  );
  assert.deepEqual(configured(config, '--hosts', 'c').hosts?.length, 1);
  const hostfile = configured(config, '--hostfile', 'nodes');
  assert.deepEqual([hostfile.hosts, hostfile.hostfile], [null, 'nodes']);
  const ssh = file('ssh.yaml', 'rsh: openssh\nmap: node\n');
  assert.equal(
    configured(ssh).rsh,
    'openssh',
    'no mistake without hosts: the file may serve several commands',
  );
});

const refusedCases: [string, string[], RegExp][] = [
  [
    'a character',
    ['--hosts', 'a;id'],
    /^--hosts a;id: a;id: the character ; \(U\+003B\)[\s\S]*IPv6 in brackets/,
  ],
  ['a host twice', ['--hosts', 'a,a'], /named twice.*; write a:slots=N once/],
  ['no host', ['--hosts', ''], /^--hosts needs a value\n/],
  ['hosts said twice', ['--hosts', 'a', '--hostfile', 'b'], /^--hosts and --hostfile cannot be combined/],
  ['threads on hosts', ['--hosts', 'a', '--in-process'], /^--hosts and --in-process exclude each other/],
  ['threads under Slurm', ['--launcher', 'slurm', '--in-process'], /^--launcher and --in-process exclude/],
  ['local on hosts', ['--hosts', 'a', '--launcher', 'local'], /^--hosts and --launcher local exclude/],
  ['ssh without hosts', ['--launcher', 'ssh'], /^--launcher ssh needs hosts\n.*--hosts gpu/],
  ['a template without hosts', ['--launcher', 'command:x {host}'], /^--launcher command needs hosts/],
  [
    'an unknown launcher',
    ['--launcher', 'pdsh'],
    /^--launcher pdsh: no such launcher[\s\S]*command:TEMPLATE/,
  ],
  ['a template for one place', ['--launcher', 'command:x'], /^--launcher command:x: \{host\} is missing/],
  ['an unknown place in a template', ['--launcher', 'command:x {host} {y}'], /\{y\} is not known/],
  ['ssh options alone', ['--identity', 'k'], /^--identity has no effect with --launcher local\n.*--hosts/],
  [
    'ssh options under Slurm',
    ['--launcher', 'slurm', '--rsh', 'openssh'],
    /^--rsh has no effect with --launcher slurm/,
  ],
  ['places alone', ['--map', 'node'], /^--map has no effect on this machine alone\n.*--hosts/],
  [
    'ranks per node alone',
    ['--ranks-per-node', '8'],
    /^--ranks-per-node has no effect on this machine alone/,
  ],
  ['an unknown map', ['--hosts', 'a', '--map', 'nod'], /^--map nod: neither block nor node.*\.\/nod/],
  [
    'places said twice',
    ['--hosts', 'a', '--map', './m', '--ranks-per-node', '2'],
    /^--ranks-per-node and --map \.\/m both place/,
  ],
  [
    'a container of docker',
    ['--launcher', 'docker', '--namespace', 'x'],
    /^--namespace has no effect with --launcher docker/,
  ],
  [
    'containers named twice',
    ['--launcher', 'kubernetes', '--hosts', 'a', '--selector', 'app=x'],
    /^--hosts and --selector cannot be combined/,
  ],
  [
    'a namespace that a shell reads',
    ['--launcher', 'kubernetes', '--namespace', 'a;id'],
    /lower-case letters/,
  ],
  ['another rsh', ['--hosts', 'a', '--rsh', 'rsh'], /^--rsh rsh: no such value/],
  [
    'the home of others',
    ['--hosts', 'a', '--remote-dir', '~you/x'],
    /^--remote-dir ~you\/x: not a folder below/,
  ],
  ['a newline in a folder', ['--hosts', 'a', '--remote-dir', 'x\ny'], /invisible characters/],
];
for (const [name, words, pattern] of refusedCases) {
  test(`refused: ${name}`, () => {
    const { text, code } = runRefusal(() => read(...words));
    assert.match(text, pattern);
    assert.equal(code, 1);
    assert.ok(text.includes('\n'), 'says what is allowed or what to do');
  });
}
