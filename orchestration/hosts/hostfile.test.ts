import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseHostfile } from './hostfile.ts';
import { parseSlurm, parseTasksPerNode } from './slurm-hosts.ts';

const read = (...lines: string[]) => parseHostfile(lines.join('\n'), 'nodes');
const slots = (...lines: string[]) => read(...lines).map(({ name, slots }) => [name, slots]);

test('Open MPI, with comments, blank lines and spaces anywhere', () => {
  assert.deepEqual(
    slots(
      '# cluster',
      '',
      'a slots=8 max_slots=16  # big',
      '  b  slots = 4',
      'c max-slots=2\r',
      'd',
      'me@e:port=22 SLOTS=1',
    ),
    [
      ['a', 8],
      ['b', 4],
      ['c', 2],
      ['d', null],
      ['e', 1],
    ],
  );
});

test('MPICH, with its interface', () => {
  const hosts = read('a:8 ifname=ib0', 'b:4');
  assert.deepEqual(hosts, [
    { name: 'a', address: 'a', user: null, port: null, slots: 8, iface: 'ib0' },
    { name: 'b', address: 'b', user: null, port: null, slots: 4 },
  ]);
});

test('Slurm names, one or several per line', () => {
  assert.deepEqual(
    slots('gpu[01-02]', 'gpu[03,07],login1 slots=2').map(([name]) => name),
    ['gpu01', 'gpu02', 'gpu03', 'gpu07', 'login1'],
  );
});

test('ours says everything', () => {
  assert.deepEqual(read('me@10.0.0.[1-2]:2222 slots=8 iface=eth1', '[fe80::1%eth0] user=you port=22')[1], {
    name: '10.0.0.2',
    address: '10.0.0.2',
    user: 'me',
    port: 2222,
    slots: 8,
    iface: 'eth1',
  });
});

test('a file that repeats hosts without slots means a slot by each line; slots of repeated hosts are added', () => {
  assert.deepEqual(slots('a', 'a', 'b'), [
    ['a', 2],
    ['b', 1],
  ]);
  assert.deepEqual(slots('a slots=2', 'b slots=1', 'a slots=3'), [
    ['a', 5],
    ['b', 1],
  ]);
});

for (const [lines, pattern] of [
  [['a', 'b$'], /^nodes:2:2: b\$: a dollar sign/],
  [['# x', 'a slots=8 b'], /^nodes:2:11: b: only settings such as/],
  [['a slots=x'], /^nodes:1:3: slots=x: slots are a whole number/],
  [['a', '', '  b slot=4'], /^nodes:3:5: slot=: unknown setting/],
  [['a:8 slots=4'], /^nodes:1:5: slots is given twice/],
  [['a slots=8 max_slots=4'], /^nodes:1:11: slots=8 is more than max_slots=4/],
  [['a slots=2', 'b', 'a'], /^nodes:3:1: a is named twice/],
  [['# nothing', ''], /^nodes:1:1: it names no host/],
  [['a[1-3', 'b'], /^nodes:1:2: .*\[ without its \]/],
  [['a[1-4096]', 'b'], /^nodes:2:1: .*4,097 hosts/],
  [['\uFEFFa', '-b'], /^nodes:2:1: .*dash/],
] as const) {
  test(`refused: ${JSON.stringify(lines)}`, () => {
    assert.throws(() => read(...lines), { name: 'HostsError', message: pattern });
  });
}

test('an allocation of Slurm', () => {
  assert.deepEqual(parseTasksPerNode('8(x3),4'), [8, 8, 8, 4]);
  assert.deepEqual(
    parseSlurm('gpu[01-03,07],login1', '8(x4),2').map(({ name, slots }) => [name, slots]),
    [
      ['gpu01', 8],
      ['gpu02', 8],
      ['gpu03', 8],
      ['gpu07', 8],
      ['login1', 2],
    ],
  );
  assert.deepEqual(parseSlurm('a', null)[0]?.slots, null);
});

for (const [nodes, tasks, pattern] of [
  ['a[1-2]', '8', /TASKS_PER_NODE=8 has 1 nodes, SLURM_JOB_NODELIST=a\[1-2\] of 2/],
  ['a', '8(x', /^SLURM_TASKS_PER_NODE:1:1: 8\(x is no number of tasks/],
  ['a', '1(x999999)', /more than 4096 nodes/],
  ['a[2-1]', null, /^SLURM_JOB_NODELIST:1:3: .*backwards/],
] as const) {
  test(`refused: ${nodes} ${tasks}`, () => {
    assert.throws(() => parseSlurm(nodes, tasks), { name: 'HostsError', message: pattern });
  });
}
