import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LaunchScatter, launchesFor } from './attainable.ts';

const scatter = (degreesPerLaunch: number, fewest: number): LaunchScatter => ({
  ...{ launches: 3, within: 0, between: 1e-8 },
  ...{ degreesPerLaunch, fewest },
});

test('launches that are advised have an interval: four alone, two with other sizes', () => {
  assert.equal(launchesFor(scatter(1, 4), 0.01, 30), 4);
  assert.equal(launchesFor(scatter(3, 2), 0.01, 30), 2);
  assert.equal(launchesFor(scatter(1, 4), 0.01, 3), null);
});
