import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SettingChange } from '../../results/schema/index.ts';
import { foldSettings } from './texts.ts';

const up = 'up, MTU 1500';
const setting = (name: string, base: string | null, other: string | null): SettingChange => ({
  ...{ about: 'machine', name, base, other },
});
const virtual = [0, 1, 2, 3, 4].map((at) => setting(`interface veth${at}`, null, up));

test('interfaces that only one run has share one line, with their number and the first names', () => {
  const kernel = setting('kernel', '6.1', '6.8');
  const faster = setting('interface eth0', up, 'up, MTU 9000');
  assert.deepEqual(foldSettings([kernel, ...virtual, setting('interface gone0', up, null), faster]), [
    kernel,
    setting('6 interfaces', 'gone0', 'veth0, veth1, veth2, ...'),
    faster,
  ]);
});

test('one interface alone keeps its name and its values', () => {
  assert.deepEqual(foldSettings(virtual.slice(0, 1)), virtual.slice(0, 1));
});

test('interfaces that differ in different entries of a suite stay apart', () => {
  const rows = virtual.slice(0, 4).map((one, at) => ({ ...one, entries: [at < 2 ? 'small' : 'large'] }));
  assert.deepEqual(
    foldSettings(rows).map(({ name, entries }) => [name, ...entries]),
    [
      ['2 interfaces', 'small'],
      ['2 interfaces', 'large'],
    ],
  );
});
