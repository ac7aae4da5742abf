import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RepeatedWarnings } from './execution.ts';

test('a warning is shown once, whatever its numbers; the rest are counted once', () => {
  const warnings = new RepeatedWarnings();
  assert.ok(warnings.isNew('collbench[rank 0] WARN net plugin: retry 0 of connect 3'));
  assert.ok(!warnings.isNew('collbench[rank 11] WARN net plugin: retry 2 of connect 0'));
  assert.ok(!warnings.isNew('collbench[rank 0] WARN net plugin: retry 0 of connect 3'));
  assert.ok(warnings.isNew('collbench[rank 0] WARN net plugin: retry 0 of accept 3'));
  assert.equal(warnings.takeLeft(), 2);
  assert.equal(warnings.takeLeft(), 0);
});

test('ranks that do not end are one warning, wherever they stand', () => {
  const warnings = new RepeatedWarnings();
  const text = (rank: number, frame: string): string =>
    `rank ${rank} on a did not end within 3 s while closing its connections over p2p; stack: ${frame} < main+0x48`;
  assert.ok(warnings.isNew(text(0, 'cuMemUnmap+0x1f')));
  assert.ok(!warnings.isNew(text(1, 'ioctl+0x3d')));
});
