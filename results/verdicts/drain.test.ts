import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { overview, type PairFigure } from '../derive/index.ts';
import type { HostConnection } from '../doctor/cluster.ts';
import { failureWith } from '../schema/index.ts';
import { testPlan } from '../testing/plan.ts';
import { drainText } from './drain.ts';
import { foundByDoctor } from './drain-doctor.ts';
import { foundByPairs, foundBySearch, type SearchVerdict } from './drain-pairs.ts';

const names = ['gpu01', 'gpu02', 'gpu03', 'gpu04', 'gpu05', 'gpu06'];
const plan = { ...testPlan(), hosts: names.map((name, rank) => ({ name, ranks: [rank] })) };
const record = { plan, failures: [] };

/** Lines of six nodes: the given ones have a verdict, all others pass. */
const lines = (others: Record<string, string>) =>
  names.map((name) => `${name} ${others[name] ?? 'pass'}\n`).join('');

/** Pairs with 10 GB/s, or 2 GB/s if `isSlow`; pairs with `isBroken` did not run. */
function seen(isSlow: (a: string, b: string) => boolean, isBroken = (_: string, __: string) => false) {
  const pairs = names.flatMap((a, i) =>
    names.slice(i + 1).map((b): PairFigure => {
      if (isBroken(a, b))
        return {
          ...{ a, b, latencyNs: null, fastNs: null, timeNs: null, GBps: null },
          reason: 'it was not reached',
        };
      const GBps = isSlow(a, b) ? 2 : 10;
      return { a, b, latencyNs: 5000, fastNs: 4900, timeNs: 1e9 / GBps, GBps, reason: null };
    }),
  );
  return [overview('socket', names, pairs, [])];
}
const no = () => false;

test('a host that is slow with all others fails, with what was seen; the others pass', () => {
  const found = foundByPairs(
    record,
    seen((a, b) => [a, b].includes('gpu03')),
  );
  const fail = 'fail collbench pairs: bandwidth over socket: 2.00 GB/s, typical 10.0 GB/s';
  assert.equal(drainText('pairs', found), lines({ gpu03: fail }));
  assert.equal(drainText('pairs', foundByPairs(record, seen(no))), lines({}));
});

test('a ring that drops fails the host that joins if one of its pairs is slow, or the ring breaks; else it is unknown', () => {
  const ringDrop = { ranks: 5, last: 'gpu05', fromGBps: 10, toGBps: 2 };
  const told = (isPairSlow: boolean, toGBps: number | null) =>
    drainText(
      'pairs',
      foundByPairs(
        record,
        seen((a, b) => isPairSlow && a === 'gpu02' && b === 'gpu05').map((one) => ({
          ...one,
          ringDrop: { ...ringDrop, toGBps },
        })),
      ),
    );
  const drop = 'ring of 5 over socket: from 10.0 GB/s to';
  assert.equal(told(false, 2), lines({ gpu05: `unknown collbench pairs: ${drop} 2.00 GB/s` }));
  assert.equal(told(false, null), lines({ gpu05: `fail collbench pairs: ${drop} nothing` }));
  const pair = 'collbench pairs: gpu02 - gpu05 bandwidth over socket: 2.00 GB/s, typical 10.0 GB/s';
  assert.match(told(true, 2), new RegExp(`^gpu05 fail collbench pairs: ${drop} 2\\.00 GB/s`, 'm'));
  assert.match(told(true, 2), new RegExp(`^gpu02 unknown ${pair}`, 'm'));
});

test('of a single slow pair, and of one that was not reached, neither node is known to pass or to fail', () => {
  const slow = foundByPairs(
    record,
    seen((a, b) => a === 'gpu02' && b === 'gpu05'),
  );
  const pair = 'unknown collbench pairs: gpu02 - gpu05 bandwidth over socket: 2.00 GB/s, typical 10.0 GB/s';
  assert.equal(drainText('pairs', slow), lines({ gpu02: pair, gpu05: pair }));
  const unreached = foundByPairs(
    record,
    seen(no, (a, b) => a === 'gpu01' && b === 'gpu02'),
  );
  const why = 'unknown collbench pairs: gpu01 - gpu02 over socket: it was not reached';
  assert.equal(drainText('pairs', unreached), lines({ gpu01: why, gpu02: why }));
});

test('a host at which something failed fails; those whose pairs with it did not run pass', () => {
  const lost = failureWith({ kind: 'agent-lost', message: 'the agent of gpu04 is gone', host: 'gpu04' });
  const found = foundByPairs(
    { plan, failures: [lost] },
    seen(no, (a, b) => a === 'gpu04' && b === 'gpu05'),
  );
  assert.equal(
    drainText('pairs', found),
    lines({ gpu04: 'fail collbench pairs: the agent of gpu04 is gone' }),
  );
});

test('a search: the host that it names fails, with its smallest bad run; who took part in a good run passes', () => {
  const planned = { ...plan, pairs: { names, sets: [], isConcurrent: false } };
  const trials = [
    { names, isBad: true, why: '3.00 MB/s' },
    { names: ['gpu01', 'gpu02', 'gpu03', 'gpu05'], isBad: false, why: '11.0 MB/s' },
    { names: ['gpu04', 'gpu05'], isBad: true, why: '2.90 MB/s' },
  ];
  const told = (culprit: SearchVerdict['culprit']) =>
    drainText('pairs', foundBySearch({ plan: planned, failures: [] }, { culprit, trials }));
  const unseen = 'unknown collbench pairs: took part in no good run';
  assert.equal(
    told({ kind: 'host', hosts: ['gpu04'], isCertain: true }),
    lines({ gpu04: 'fail collbench pairs: breaks every run: 2.90 MB/s', gpu06: unseen }),
  );
  const once = 'unknown collbench pairs: broke every run, but not when tried again: 2.90 MB/s';
  assert.equal(
    told({ kind: 'host', hosts: ['gpu04'], isCertain: false }),
    lines({ gpu04: `${once}; took part in no good run`, gpu06: unseen }),
  );
  const pair = 'unknown collbench pairs: broke with gpu04, gpu05, but not when tried again: 2.90 MB/s';
  assert.equal(
    told({ kind: 'pair', hosts: ['gpu04', 'gpu05'], isCertain: false }),
    lines({ gpu04: `${pair}; took part in no good run`, gpu05: pair, gpu06: unseen }),
  );
  assert.equal(told(null), lines({ gpu04: unseen, gpu06: unseen }), 'interrupted');
});

const host = (name: string, unreached: string | null = null) => ({
  ...{ name, unreached, machine: null, agentVersion: null, probed: [], interface: null },
  ...{ listener: null, clock: null },
});
const finding = (id: string, hosts: string[], severity: 'error' | 'warning') => ({
  ...{ id, severity, hosts, title: 'memory.locked', observation: '64 KiB\n$(reboot) `x` "y"' },
  ...{ why: '', transports: 'all' as const },
});
const connection = (from: string, to: string, outcome: string): HostConnection => ({
  ...{ from, to, outcome, detail: '', connectNs: 0, elapsedNs: 0, pathMtu: null, segmentBytes: null },
});

test('doctor: hosts not reached and those with an error fail; nothing in a line acts on a shell', () => {
  const found = foundByDoctor({
    findings: [
      finding('x', ['gpu01'], 'error'),
      finding('x', ['gpu02'], 'warning'),
      finding('reach.host', [], 'error'),
    ],
    view: {
      hosts: [host('gpu01'), host('gpu02'), host('gpu03', 'no route')],
      connections: [],
      untriedPairs: 0,
    },
  });
  assert.equal(
    drainText('doctor', found),
    `gpu01 fail collbench doctor: memory.locked: 64 KiB (reboot) x y
gpu02 pass
gpu03 fail collbench doctor: not reached: no route
`,
  );
});

test('doctor: a host that nobody reaches fails; of a path between two, and of what differs, neither is known', () => {
  const three = [host('gpu01'), host('gpu02'), host('gpu03')];
  const at = (connections: HostConnection[], id = 'reach.data') =>
    drainText(
      'doctor',
      foundByDoctor({
        findings: [finding(id, [], 'error')],
        view: { hosts: three, connections, untriedPairs: 0 },
      }),
    );
  const closed = [
    connection('gpu01', 'gpu02', 'unanswered'),
    connection('gpu03', 'gpu02', 'unanswered'),
    connection('gpu02', 'gpu01', 'through'),
  ];
  assert.equal(at(closed), 'gpu01 pass\ngpu02 fail collbench doctor: no other host reaches it\ngpu03 pass\n');
  const path = 'unknown collbench doctor: gpu01 - gpu02: refused';
  assert.equal(
    at([connection('gpu01', 'gpu02', 'refused'), connection('gpu03', 'gpu02', 'through')]),
    `gpu01 ${path}\ngpu02 ${path}\ngpu03 pass\n`,
  );
  const differs = 'unknown collbench doctor: memory.locked: 64 KiB (reboot) x y';
  assert.equal(at([], 'skew.nccl'), three.map(({ name }) => `${name} ${differs}\n`).join(''));
});

/** Runs a script with programs that note their words, by name the exit code of each, and returns the notes and the exit code. */
function runScript(script: string, codes: Record<string, number>): { code: number | null; notes: string[] } {
  const folder = mkdtempSync(path.join(tmpdir(), 'collbench-drain-'));
  try {
    const notes = path.join(folder, 'notes');
    writeFileSync(notes, '');
    for (const [name, code] of Object.entries(codes)) {
      const body = `printf '%s|' ${name} "$@" >>${notes}; echo >>${notes}; exit ${code}`;
      writeFileSync(path.join(folder, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    }
    const { status } = spawnSync('sh', { input: script, env: { PATH: `${folder}:/usr/bin:/bin` } });
    const lines = readFileSync(notes, 'utf8').split('\n');
    return { code: status, notes: lines.filter((line) => line !== '') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
const faulty = {
  nodes: ['gpu01', 'gpu02', 'gpu03'],
  failing: [{ node: 'gpu02', reason: "2 GB/s'; reboot; '" }],
  unknown: [{ node: 'gpu03', reason: 'not measured\nreboot' }],
};

test('a script for Slurm drains the nodes that fail with the reason, and no other; each reason is one word', () => {
  const text = drainText('pairs', faulty, 'slurm');
  assert.match(text, /^# gpu03 unknown: collbench pairs: not measured reboot$/m);
  assert.deepEqual(runScript(text, { sinfo: 0, scontrol: 0, reboot: 0 }), {
    code: 0,
    notes: [
      'sinfo|--noheader|--nodes=gpu02|--states=drain|--format=%n|',
      'scontrol|update|NodeName=gpu02|State=DRAIN|Reason=collbench pairs: 2 GB/s ; reboot;|',
    ],
  });
});

test('a script for Kubernetes taints the nodes; a command that fails sets the exit code, and the others still run', () => {
  const two = { ...faulty, failing: [...faulty.failing, { node: 'gpu01', reason: 'no GPU' }] };
  const text = drainText('doctor', two, 'kubernetes');
  const taint = (node: string) =>
    `kubectl|taint|node|${node}|--overwrite|collbench/faulty=doctor:NoSchedule|`;
  assert.deepEqual(runScript(text, { kubectl: 3, reboot: 0 }), {
    code: 1,
    notes: [taint('gpu01'), taint('gpu02')],
  });
  assert.deepEqual(runScript(drainText('doctor', faulty, 'kubernetes'), { kubectl: 0, reboot: 0 }), {
    code: 0,
    notes: [
      taint('gpu02'),
      'kubectl|annotate|node|gpu02|--overwrite|collbench/reason=collbench doctor: 2 GB/s ; reboot;|',
    ],
  });
  assert.deepEqual(runScript(drainText('doctor', { ...faulty, failing: [] }, 'kubernetes'), { kubectl: 0 }), {
    code: 0,
    notes: [],
  });
});

test('a cause that more than half of the hosts share makes none of them fail', () => {
  const unreached = (...down: string[]) =>
    drainText(
      'doctor',
      foundByDoctor({
        findings: [],
        view: {
          hosts: names.map((name) => host(name, down.includes(name) ? 'no route' : null)),
          connections: [],
          untriedPairs: 0,
        },
      }),
    );
  const fail = 'fail collbench doctor: not reached: no route';
  assert.equal(unreached(...names.slice(0, 3)), lines({ gpu01: fail, gpu02: fail, gpu03: fail }));
  const common =
    'unknown collbench doctor: as on 4 of 6 hosts, which points to a common cause: not reached: no route';
  assert.equal(
    unreached(...names.slice(0, 4)),
    lines({ gpu01: common, gpu02: common, gpu03: common, gpu04: common }),
  );
});

test('containers of one machine are one line, with the name of the machine', () => {
  const found = { ...faulty, nodes: ['pod-0', 'pod-1', 'pod-2'], unknown: [] };
  const failing = [{ node: 'pod-1', reason: 'no GPU' }];
  const machines = new Map([
    ['pod-0', 'gpu01'],
    ['pod-1', 'gpu01'],
  ]);
  assert.equal(
    drainText('doctor', { ...found, failing }, 'list', (pod) => machines.get(pod) ?? pod),
    'gpu01 fail collbench doctor: no GPU\npod-2 pass\n',
  );
});
