import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { PausableDeadline } from './running-time.ts';

/** Lets `ms` milliseconds pass on the mocked clock, in steps of one timer, as on a machine that runs. */
function pass(ms: number): void {
  for (let left = ms; left > 0; left -= 500) mock.timers.tick(Math.min(left, 500));
}

test('a deadline expires once after the running time, not while a question is open, and not after its end', () => {
  mock.timers.enable({ apis: ['setTimeout', 'setImmediate'] });
  try {
    let expired = 0;
    const deadline = new PausableDeadline(2000);
    deadline.hold(true);
    deadline.start(() => {
      expired += 1;
    });
    pass(10_000);
    assert.equal(expired, 0, 'a question was open from before the start');
    deadline.hold(false);
    pass(1000);
    deadline.hold(true);
    deadline.hold(true);
    deadline.hold(false);
    pass(10_000);
    assert.equal(expired, 0, 'one of two questions is open');
    deadline.hold(false);
    pass(900);
    assert.equal(expired, 0);
    pass(5000);
    assert.equal(expired, 1);

    const ended = new PausableDeadline(1000);
    ended.start(() => assert.fail('it had ended'));
    pass(500);
    ended.end();
    pass(5000);
  } finally {
    mock.timers.reset();
  }
});
