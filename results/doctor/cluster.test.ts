import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineOf } from '../machine/index.ts';
import { clusterCases, content } from '../testing/machines/clusters.ts';
import { alterServer } from '../testing/machines/server.ts';
import type { DoctorRequest } from './check.ts';
import { checks, clusterChecks } from './checks/index.ts';
import type { ClusterView } from './cluster.ts';
import { examine, worstSeverity } from './examine.ts';

const request: DoctorRequest = { transports: null, interface: null, spansHosts: true };

test('every check has a case, and every case a check', () => {
  assert.deepEqual(Object.keys(clusterCases).sort(), clusterChecks.map(({ id }) => id).sort());
});

for (const check of clusterChecks) {
  test(`${check.id}: content with two hosts that are alike`, () => {
    const seen = check.look(content(), request);
    assert.equal(seen?.severity, 'ok', seen?.observation);
  });

  for (const one of clusterCases[check.id] ?? []) {
    test(`${check.id}: ${one.severity} where ${one.observation.source}`, () => {
      const seen = check.look(one.view, request);
      assert.ok(seen !== null);
      assert.match(seen.observation, one.observation);
      assert.equal(seen.severity, one.severity);
    });
  }
}

/** Two hosts, of which the second has another CPU governor. */
function twoHosts(): ClusterView {
  const view = content();
  const governor = '/sys/devices/system/cpu/cpufreq/policy1/scaling_governor';
  const [, second] = view.hosts;
  if (second !== undefined) second.machine = machineOf(alterServer({ [governor]: 'powersave\n' }));
  return view;
}

test('hosts that say the same share a finding, others have their own', () => {
  const { findings } = examine(twoHosts(), request);
  const of = (id: string) => findings.filter((one) => one.id === id);
  assert.deepEqual(
    of('cpu.turbo').map(({ hosts }) => hosts),
    [['a', 'b']],
  );
  assert.deepEqual(
    of('cpu.governor').map(({ hosts, severity }) => [hosts, severity]),
    [
      [['a'], 'ok'],
      [['b'], 'warning'],
    ],
  );
  assert.deepEqual(
    of('skew.kernel').map(({ hosts }) => hosts),
    [[]],
  );
  assert.equal(worstSeverity(findings), 'warning');
});

test('with transports named, checks of others are passed over and told', () => {
  const { findings, skipped } = examine(content(), { ...request, transports: ['sisci'] });
  assert.ok(findings.some(({ id }) => id === 'iommu.sisci'));
  assert.ok(findings.some(({ id }) => id === 'cpu.governor'));
  assert.ok(!findings.some(({ id }) => id.startsWith('net.') || id.startsWith('rdma.')));
  assert.ok(skipped.some(({ id, reason }) => id === 'net.mtu' && reason === 'other transports'));
  const told = new Set([...findings, ...skipped].map(({ id }) => id));
  assert.equal(told.size, checks.length + clusterChecks.length);
});

test('of nothing the worst is ok', () => {
  assert.equal(worstSeverity([]), 'ok');
});
