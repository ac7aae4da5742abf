import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineOf } from '../machine/index.ts';
import { cases } from '../testing/machines/cases.ts';
import { syntheticServer } from '../testing/machines/server.ts';
import type { CheckContext } from './check.ts';
import { checks, clusterChecks } from './checks/index.ts';

const context: CheckContext = { transports: null, interface: null, spansHosts: true, probed: [] };
const server = machineOf(syntheticServer());

test('every check has a case, and every case a check; ids are unique and say their family', () => {
  assert.deepEqual(Object.keys(cases).sort(), checks.map(({ id }) => id).sort());
  const ids = [...checks, ...clusterChecks].map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^[a-z]+\.[a-z-]{2,}$/);
});

for (const check of checks) {
  test(`${check.id}: content with the made server`, () => {
    const seen = check.look(server, context);
    if (seen !== null) assert.equal(seen.severity, 'ok', seen.observation);
  });

  for (const one of cases[check.id] ?? []) {
    test(`${check.id}: ${one.severity} where ${one.observation.source}`, () => {
      const seen = check.look(machineOf(one.facts), { ...context, ...one.asked });
      assert.ok(seen !== null);
      assert.match(seen.observation, one.observation);
      assert.equal(seen.severity, one.severity);
      if (seen.severity === 'warning' || seen.severity === 'error') assert.ok(seen.fix, 'says what to do');
    });
  }
}

test('a machine of which nothing is known is nowhere ok', () => {
  const nothing = machineOf({
    files: { text: {}, links: {}, denied: [], cut: [], full: false },
    live: null,
    nvml: null,
    libraries: [],
  });
  for (const { id, look } of checks) {
    const seen = look(nothing, context);
    // This check is an exception: a container is recognised only by facts that are present.
    if (id !== 'system.container') assert.notEqual(seen?.severity, 'ok', `${id}: ${seen?.observation}`);
  }
});

test('nonsense in the files is unknown or left out, never a number, and never throws', () => {
  for (const junk of ['', 'x', '-', '9'.repeat(400), '\0\x1b[2J', 'NaN NaN NaN', '{}', '0x']) {
    const facts = syntheticServer();
    for (const path of Object.keys(facts.files.text)) facts.files.text[path] = junk;
    for (const path of Object.keys(facts.files.links)) facts.files.links[path] = junk;
    const machine = machineOf(facts);
    assert.equal(machine.memory.totalBytes, null);
    assert.equal(machine.cpu.online, null);
    for (const { look } of checks) look(machine, context);
  }
});
