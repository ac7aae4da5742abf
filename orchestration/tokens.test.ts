import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LaunchTokens } from './launch.ts';

test('what logs say of a launch holds none of its secrets', () => {
  const tokens = new LaunchTokens();
  const [first, second] = [tokens.make(), tokens.make()];
  assert.match(first, /^[0-9a-f]{32}$/);
  assert.notEqual(first, second);
  assert.equal(
    tokens.clean(`TOKEN=${second} then ${first}, ${first}`),
    'TOKEN=(token) then (token), (token)',
  );
});
