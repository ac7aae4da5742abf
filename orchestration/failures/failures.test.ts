import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testPlan, testPoint } from '../../results/testing/plan.ts';
import { FailureError } from '../../results/verdicts/failure.ts';
import { failedMessage, rankProgress } from '../testing/agent-messages.ts';
import { type FailedMessage, firstCause, type HostOutcome } from './blame.ts';
import { errorCodes } from './error-codes.ts';
import { type LaunchContext, seconds } from './failure-text.ts';
import { agentLost, launchContextOf, launchFailed, unexpectedFailure } from './failures.ts';

const plan = testPlan({
  points: [testPoint({ collective: 'reduce', dtype: 'float16', op: 'max', root: 1, count: 32 * 2 ** 20 })],
});
const where: LaunchContext = { ...launchContextOf(plan, 0, 0, 'measure'), deadlineMs: 10_000 };
const starting: LaunchContext = {
  ...where,
  doing: 'setting up sisci (launch 1)',
  launchName: 'sisci (launch 1)',
  phase: 'setup',
};

test('a place is named with collective, size and transport, and the command repeats it alone', () => {
  assert.equal(where.doing, 'reduce 64 MiB over socket');
  assert.equal(
    where.again,
    'collbench reduce --sizes 64M --dtype float16 --op max --ranks 2 --transport socket --launches 1',
  );
});

test('a hang among many ranks names the one behind and groups the others', () => {
  const ranks = [0, 1, 2, 3, 4, 5].map((rank) =>
    rankProgress(rank, rank === 3 ? { iterationsDone: 16 } : {}),
  );
  const failure = launchFailed('gpu04', failedMessage({ ranks }), where);
  assert.equal(failure.rank, 3);
  assert.match(
    failure.message,
    /^rank 3 on gpu04 stopped answering in reduce 64 MiB over socket, operation 17 \(deadline 10 s\)$/,
  );
  assert.ok(failure.details.includes('ranks 0-2, 4-5: in phase running, 17 operations done'));
});

test('an adapter that ended an operation with an error is named with its rank', () => {
  const engineTail = [
    'vm:5063:5063 [1] NCCL INFO GIN Proxy will not be using GDRCopy',
    '[2026-11-27 16:33:06] vm:5063:5199 [0] transport/net_ib.cc:3191 NCCL WARN NET/IB/GIN: Got completion from peer 192.0.2.2<53617> with status=2 opcode=0 len=0 vendor err 0 (IPut) hca mlx5_0',
  ];
  const ranks = [rankProgress(0), rankProgress(1, { engineTail })];
  const { details } = launchFailed('gpu04', failedMessage({ ranks }), where);
  assert.match(
    details.at(-1) ?? '',
    /the adapter of rank 1 ended an operation with status 2 \(ibv_wc_status\)/,
  );
});

test('a hang in which nobody is behind accuses no rank', () => {
  const failure = launchFailed('gpu04', failedMessage({ ranks: [rankProgress(0), rankProgress(1)] }), where);
  assert.equal(failure.rank, null);
  assert.match(
    failure.message,
    /^no rank on gpu04 made progress in reduce 64 MiB over socket, operation 18 \(deadline 10 s\)$/,
  );
  assert.match(failure.details.join('\n'), /Likely cause: no rank is behind the others/);
});

test('last words of a rank come with the way out', () => {
  const cause = (reason: string) => {
    const { details } = launchFailed(
      'gpu04',
      failedMessage({ kind: 'setup', code: 'internal', reason }),
      where,
    );
    return details.find((line) => line.startsWith('Likely cause: ')) ?? '';
  };
  assert.match(cause("making a rank's control socket: Too many open files (errno 24)"), /ulimit -n/);
  assert.match(cause('starting a rank process: Resource temporarily unavailable (errno 11)'), /ulimit -u/);
  for (const why of ['Network is unreachable (errno 101)', 'Connection refused (errno 111)'])
    assert.match(cause(`socket: cannot connect to 10.9.0.2:34601: ${why}`), /doctor --hosts .*--interface/);
  assert.match(cause('cannot reach rank 0 on a at [fd77::1]:3: No route to host'), /firewall/);
  assert.equal(cause('no adapter 3'), '');
});

test('an agent that cannot be started for want of descriptors or processes comes with the way out', () => {
  const lost = (code: string) => {
    const startError = Object.assign(new Error(`spawn collbench-agent ${code}`), { code });
    return agentLost('gpu04', { code: null, signal: null, startError }, [], where);
  };
  assert.match(lost('EMFILE').details.join(), /ulimit -n/);
  assert.match(lost('EAGAIN').details.join(), /ulimit -u/);
  assert.equal(lost('EMFILE').next, 'collbench doctor');
  assert.equal(lost('ENOENT').next, 'npm run build:native');
});

test('every way in which a rank ends is one sentence with rank, host and operation', () => {
  const died = failedMessage({ kind: 'rank-died', code: 'SIGKILL', rank: 1 });
  const cases: [FailedMessage, sentence: string, cause: RegExp | null][] = [
    [
      died,
      'rank 1 on gpu04 was killed by SIGKILL in reduce 64 MiB over socket, operation 18',
      /^Likely cause: killed by a user/,
    ],
    [
      { ...died, outOfMemory: true },
      "rank 1 on gpu04 was killed by the kernel's out-of-memory killer (SIGKILL) in reduce 64 MiB over socket, operation 18",
      /^Out of memory: lower --max or --ranks/,
    ],
    [
      { ...died, code: 'exit', exitStatus: 7, activity: 'idle' },
      'rank 1 on gpu04 exited with code 7 before reduce 64 MiB over socket',
      null,
    ],
    [
      failedMessage({ rank: 1, processState: 'T' }),
      'rank 1 on gpu04 stopped answering in reduce 64 MiB over socket, operation 18 (deadline 10 s): it is stopped by a signal (process state T)',
      /^Likely cause: rank 1 is behind the others/,
    ],
    [
      failedMessage({ rank: 1, code: 'never_joined', workerPid: 7 }),
      'rank 1 on gpu04 never joined: its process 7 has no connection to the rendezvous (deadline 10 s)',
      /--join-timeout/,
    ],
  ];
  for (const [message, sentence, cause] of cases) {
    const ranks = [rankProgress(0), rankProgress(1)];
    const failure = launchFailed('gpu04', { ...message, ranks }, where);
    assert.equal(failure.message, sentence);
    assert.equal(failure.rank, 1, sentence);
    if (cause !== null) assert.match(failure.details.at(-1) ?? '', cause);
  }
});

test('a start that fails points at what can run here', () => {
  const failed = failedMessage({
    ...{ kind: 'setup', rank: 0, code: 'unavailable', reason: 'no adapter 3' },
    ...{ activity: 'connecting' },
  });
  const failure = launchFailed('a', failed, starting);
  assert.equal(failure.kind, 'setup');
  assert.equal(failure.message, 'rank 0 on a failed while connecting over sisci (launch 1): no adapter 3');
  assert.equal(failure.next, 'collbench transports --explain');
  const unstarted = launchFailed('a', { ...failed, rank: null, activity: 'starting' }, starting);
  assert.equal(unstarted.message, 'a rank on a could not be started: no adapter 3');
});

test('SIGKILL of the agent suggests who does such things', () => {
  const { message, details } = agentLost(
    'a',
    { code: null, signal: 'SIGKILL', startError: null },
    ['bye'],
    where,
  );
  assert.equal(message, 'the agent on a was killed by SIGKILL while measuring reduce 64 MiB over socket');
  assert.equal(details[0], 'a: bye');
  assert.match(details[1] ?? '', /memory/);
});

test('a failure on its way is passed on as it is, anything else is put into a sentence', () => {
  const failure = launchFailed('a', failedMessage(), where);
  assert.equal(unexpectedFailure(new FailureError(failure), where), failure);
  assert.equal(
    unexpectedFailure('plain text', where).message,
    'plain text (while measuring reduce 64 MiB over socket)',
  );
});

test('times in words', () => {
  assert.deepEqual([50, 1000, 10_500].map(seconds), ['50 ms', '1 s', '10.5 s']);
});

const causes: [reason: string, cause: RegExp][] = [
  ['worker: OutOfMemoryError while step: CUDA out of memory', /--batch-size/],
  ['ended with status 1: RuntimeError: op.preamble.length <= op.nbytes', /shapes/],
];
for (const [reason, cause] of causes)
  test(`last words of a rank have their cause beside them: ${cause.source}`, () => {
    const { details } = launchFailed('gpu04', failedMessage({ kind: 'rank-error', rank: 1, reason }), where);
    assert.match(details.at(-1) ?? '', cause);
  });

test('ranks that never connect are not said to have lost a message', () => {
  const causeOf = (phase: string) => {
    const ranks = [0, 1].map((rank) => rankProgress(rank, { phase }));
    return launchFailed('gpu04', failedMessage({ ranks, activity: 'connecting' }), where).details.join('\n');
  };
  assert.match(causeOf('connecting'), /connect or accept of the transport never ends/);
  assert.match(causeOf('running'), /lost a message, or never took one/);
});

test('ranks with the same stack share its lines, so that a hang of hundreds of ranks can be read', () => {
  const frames = (rank: number) => [
    `poll+0x${rank.toString(16)}`,
    rank < 290 ? 'meet+0x1' : `own_${rank}+0x1`,
  ];
  const ranks = Array.from({ length: 300 }, (_, rank) => rankProgress(rank, { stack: frames(rank) }));
  const stacks = launchFailed('a', failedMessage({ ranks }), where).details.filter((line) =>
    line.includes('stack:'),
  );
  assert.deepEqual(stacks.slice(0, 2), ['ranks 0-289 stack: poll+0x0', 'ranks 0-289 stack: meet+0x1']);
  assert.equal(stacks.length, 13);
  assert.equal(stacks.at(-1), 'ranks 295-299 stack: others than these');
});

test('workers of Python that wait for each other are compared by their stacks, those that never joined by --join-timeout', () => {
  const ranks = [0, 1].map((rank) => rankProgress(rank, { stack: [`train.py:${rank + 7} in step`] }));
  const hang = launchFailed('gpu04', failedMessage({ ranks }), where);
  assert.match(hang.details.join('\n'), /rank 1 stack: train\.py:8 in step[\s\S]*Compare their stacks/);
  const absent = launchFailed('gpu04', failedMessage({ ranks, rank: 1, code: 'never_joined' }), where);
  assert.match(absent.details.at(-1) ?? '', /--join-timeout/);
});

for (const [code, { cause, consequence, hang }] of errorCodes) {
  const kind = hang === undefined ? 'rank-error' : 'hang';
  const ranks = [rankProgress(0), rankProgress(1, { iterationsDone: 16 })];
  const message = failedMessage({
    kind,
    code,
    rank: 1,
    reason: hang === undefined ? 'it failed' : '',
    ranks,
  });

  test(`${code}: the failure names the rank and ends with the cause of the code`, () => {
    const { kind: found, rank, details } = launchFailed('gpu04', message, where);
    assert.deepEqual([found, rank], [kind === 'hang' ? 'hang' : 'rank-died', 1]);
    if (cause !== undefined) assert.equal(details.at(-1), cause);
  });

  test(`${code}: ${consequence === undefined ? 'blamed before' : 'not blamed before'} a rank that lost a peer`, () => {
    const endOf = (host: string, one: FailedMessage, heardMs: number): HostOutcome => ({
      ...{ host, ranks: [0] },
      end: { is: 'failed', message: one, heardMs },
    });
    const lost = failedMessage({ kind: 'rank-error', code: 'connection_lost', rank: 0, reason: 'lost' });
    const first = firstCause([endOf('early', lost, 1), endOf('late', message, 2)]);
    assert.equal(first.host, consequence === undefined ? 'late' : 'early');
  });
}
