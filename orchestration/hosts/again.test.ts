import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testPlan } from '../../results/testing/plan.ts';
import { hostWords } from './again.ts';
import { parseHosts } from './parse.ts';

const hosts = [
  { name: 'gpu01', ranks: [0, 1] },
  { name: 'gpu02', ranks: [2, 3] },
  { name: 'login', ranks: [4] },
];
const slotsOf = (words: string[]) =>
  parseHosts(words[0]?.replace('--hosts ', '') ?? '').map(({ address, slots }) => [address, slots]);

test('the same ranks on the same hosts, and nothing for this machine alone', () => {
  const words = hostWords(testPlan({ hosts, launcher: 'ssh2' }));
  assert.deepEqual(words, ['--hosts gpu[01-02]:slots=2,login:slots=1']);
  assert.deepEqual(slotsOf(words), [
    ['gpu01', 2],
    ['gpu02', 2],
    ['login', 1],
  ]);
  assert.deepEqual(hostWords(testPlan()), []);
});

test('addresses, interfaces, round robin and how hosts are reached', () => {
  const dealt = [
    { name: 'a', at: 'me@a:port=2222', iface: 'eth1', ranks: [0, 2] },
    { name: 'b', ranks: [1, 3] },
  ];
  const template = "command:in {host} 'x' {agent}";
  const words = (launcher: string) => hostWords(testPlan({ hosts: dealt, launcher }));
  assert.deepEqual(words('openssh'), [
    '--hosts me@a:port=2222:iface=eth1:slots=2,b:slots=2',
    '--map node',
    '--rsh openssh',
  ]);
  assert.deepEqual(slotsOf(words('openssh')), [
    ['a', 2],
    ['b', 2],
  ]);
  assert.equal(words('slurm')[2], '--launcher slurm');
  assert.equal(words(template)[2], `--launcher 'command:in {host} '\\''x'\\'' {agent}'`);
});
