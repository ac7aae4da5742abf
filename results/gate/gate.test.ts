import assert from 'node:assert/strict';
import { test } from 'node:test';
import { learnScatter } from '../baseline/learn.ts';
import { poolRuns } from '../baseline/pool.ts';
import { usableScatter } from '../baseline/scatter.ts';
import { type ComparableRun, compareRuns } from '../compare/compare-runs.ts';
import {
  type BaselineGroup,
  type CellRecord,
  gateResult,
  measuredOf,
  type SuiteEntry,
} from '../schema/index.ts';
import { seededNormal } from '../testing/block.ts';
import { cellFacts } from '../testing/cell.ts';
import { type SyntheticRun, syntheticRecord } from '../testing/run.ts';
import { conclude } from './conclude.ts';
import { confirm, decide, type EntryComparison, type GateDecision, suspects } from './decide.ts';
import { countUnknownCells, failuresAgain, failuresOf } from './failures.ts';

const entry = 'small';
const compared = (
  reference: ComparableRun,
  tonight: ComparableRun,
  learned: readonly BaselineGroup[] = [],
): EntryComparison => {
  const scatter = Object.fromEntries(learned.map(({ key, cell, group }) => [key, { cell, group }]));
  const [pair] = compareRuns([reference, tonight], { learned: scatter }).pairs;
  assert.ok(pair);
  return { entry, pair, night: null };
};
const nightly = (parts: SyntheticRun = {}): ComparableRun =>
  syntheticRecord({ id: 'bbbbbb', seed: 7, ...parts });
const verdicts = ({ groups }: GateDecision) => groups.map(({ verdict }) => verdict);

const anEntry = (parts: Partial<SuiteEntry> = {}): SuiteEntry => ({
  name: entry,
  command: 'allreduce',
  words: [],
  environment: {},
  optional: false,
  status: 'measured',
  reason: null,
  leftOut: [],
  cells: { expected: 1, measured: 1 },
  runs: [],
  ...parts,
});

const gate = (decision: GateDecision, parts: Partial<Parameters<typeof conclude>[0]> = {}) =>
  gateResult.parse(
    conclude({
      ...{ suite: { id: 'abcdef', name: 'nightly' }, dir: 'collbench-runs/nightly-abcdef' },
      reference: { kind: 'anchor', name: 'anchor', method: 'In turns.' },
      decision,
      failures: [],
      changed: [],
      cells: [],
      unknownCells: 0,
      goneEntries: [],
      ...parts,
    }),
  );

function busyCell(): CellRecord {
  const { cell } = cellFacts(nightly().cells[0] as CellRecord);
  return { ...cell, flags: [{ name: 'cpu-busy', level: 'disturbs', reason: null }] };
}

test('an unchanged night passes, and names the smallest detectable change', () => {
  const decision = decide([compared(syntheticRecord(), nightly())], 0.1);
  assert.deepEqual(verdicts(decision), ['same', 'same', 'same']);
  const { verdict, exitCode, sentence } = gate(decision);
  assert.deepEqual([verdict, exitCode], ['pass', 0]);
  assert.match(sentence, /^PASS: none of 3 size ranges is slower \(smallest detectable change \d\.\d %\)\.$/);
});

test('a group that is 5 % slower in both measurements is a regression, named with its sizes', () => {
  const slow = { factor: (bytes: number) => (bytes >= 4 * 2 ** 20 ? 1.05 : 1) };
  const first = decide([compared(syntheticRecord(), nightly(slow))], 0.1);
  assert.deepEqual(suspects(first), [entry]);
  const again = compared(syntheticRecord({ seed: 21 }), nightly({ ...slow, seed: 22 }));
  const decision = confirm(first, [again]);
  const bad = decision.groups.filter(({ verdict }) => verdict === 'slower');
  assert.deepEqual(
    bad.map(({ xs }) => xs),
    [[2 ** 22, 2 ** 24, 2 ** 26]],
  );
  const { ratio, lowRatio, highRatio } = bad[0]?.confirmation ?? {};
  assert.ok(
    ratio && lowRatio && highRatio && lowRatio < 1.05 && highRatio > 1.05,
    `${lowRatio} ${highRatio}`,
  );
  const { exitCode, sentence } = gate(decision);
  assert.equal(exitCode, 4);
  assert.match(sentence, /^REGRESSION: up to [45]\.\d % slower in 1 of 3 size ranges\.$/);
});

test('slower than another night: what disturbed the machine tonight stands beside it', () => {
  const slow = { factor: () => 1.2 };
  const first = decide([compared(syntheticRecord(), nightly(slow))], 0.1);
  const decision = confirm(first, [compared(syntheticRecord({ seed: 5 }), nightly({ ...slow, seed: 6 }))]);
  const baseline = { kind: 'baseline', name: 'main', method: 'Of another night.' } as const;
  const { exitCode, advice, flags } = gate(decision, { cells: [busyCell()], reference: baseline });
  assert.deepEqual([exitCode, advice, flags], [4, [], { 'cpu-busy': 1 }]);
});

test('one size that is 10 % slower is found in a group that is not', () => {
  const slow = { factor: (bytes: number) => (bytes === 512 ? 1.1 : 1) };
  const decision = confirm(decide([compared(syntheticRecord(), nightly(slow))], 0.1), [
    compared(syntheticRecord({ seed: 5 }), nightly({ ...slow, seed: 6 })),
  ]);
  const slower = decision.cells.filter(({ verdict }) => verdict === 'slower');
  assert.deepEqual(
    slower.map(({ x }) => x),
    [512],
  );
  assert.equal(gate(decision).exitCode, 4);
});

test('slower once and not again is transient: no red light', () => {
  const first = decide([compared(syntheticRecord(), nightly({ factor: () => 1.06 }))], 0.1);
  const decision = confirm(first, [compared(syntheticRecord({ seed: 5 }), nightly({ seed: 6 }))]);
  assert.deepEqual(verdicts(decision), ['transient', 'transient', 'transient']);
  assert.equal(gate(decision).exitCode, 0);
});

test('slower once, and the second measurement too noisy to show it: not confirmed, with the first change', () => {
  const noisy = { sd: 0.15, launches: 4 };
  const again = compared(syntheticRecord({ ...noisy, seed: 7 }), nightly({ ...noisy, seed: 8 }));
  const after = (factor: (bytes: number) => number) =>
    confirm(decide([compared(syntheticRecord(), nightly({ factor }))], 0.1), [again]);
  const everywhere = after(() => 1.06);
  assert.deepEqual(new Set(verdicts(everywhere)), new Set(['unconfirmed']));
  const { verdict, exitCode, sentence } = gate(everywhere);
  assert.deepEqual([verdict, exitCode], ['unconfirmed', 5]);
  assert.match(
    sentence,
    /^NOT CONFIRMED: up to \d+(\.\d)? % slower in 3 of 3 size ranges; too noisy, only changes/,
  );
  const atOneSize = after((bytes) => (bytes === 512 ? 1.1 : 1));
  assert.deepEqual(
    atOneSize.cells.flatMap((cell) => (cell.verdict === 'unconfirmed' ? [cell.x] : [])),
    [512],
  );
  assert.equal(gate(atOneSize).exitCode, 5);
});

test('every verdict of the second measurement: only one that would have shown a change clears a suspicion', () => {
  const firsts = { slower: { factor: () => 1.06 }, unconfirmed: { factor: () => 2, launches: 1 } };
  for (const [name, first] of Object.entries(firsts)) {
    const launches = 'launches' in first ? { launches: 1 } : {};
    const suspected = decide([compared(syntheticRecord(launches), nightly(first))], 0.1);
    assert.deepEqual(new Set(verdicts(suspected)), new Set([name]));
    for (const [sd, clears] of [
      [0.005, true],
      [0.15, false],
    ] as const) {
      const second = compared(syntheticRecord({ sd, seed: 5 }), nightly({ sd, seed: 6 }));
      for (const { verdict, confirmation } of confirm(suspected, [second]).groups) {
        assert.equal((confirmation?.detectable ?? 1) <= 0.1, clears, `${name} ${sd}`);
        assert.equal(verdict === 'transient', clears, `${name} ${sd}: ${verdict}`);
      }
    }
  }
});

test('slower, and not measured again, is no pass and no regression', () => {
  const decision = confirm(decide([compared(syntheticRecord(), nightly({ factor: () => 1.06 }))], 0.1), []);
  assert.deepEqual(verdicts(decision), ['unconfirmed', 'unconfirmed', 'unconfirmed']);
  const { verdict, exitCode, sentence } = gate(decision);
  assert.deepEqual([verdict, exitCode], ['unconfirmed', 5]);
  assert.match(
    sentence,
    /^NOT CONFIRMED: up to [56]\.\d % slower in 3 of 3 size ranges; it could not be measured again\.$/,
  );
});

test('faster is told and is no regression', () => {
  const decision = decide([compared(syntheticRecord(), nightly({ factor: () => 0.9 }))], 0.1);
  assert.deepEqual(verdicts(decision), ['faster', 'faster', 'faster']);
  assert.equal(gate(decision).exitCode, 0);
});

test('too noisy to see what must be seen: no verdict, and how many launches would do', () => {
  const noisy = { sd: 0.06, launches: 4 };
  const decision = decide(
    [compared(syntheticRecord({ ...noisy, seed: 3 }), nightly({ ...noisy, seed: 4 }))],
    0.1,
  );
  const cell = busyCell();
  const { exitCode, sentence, advice, flags } = gate(decision, { cells: [cell] });
  assert.equal(exitCode, 5);
  assert.match(
    sentence,
    /^NO VERDICT in [1-3] of 3 size ranges \([-+.\d %]+( to [-+.\d %]+)? time\): too noisy, smallest detectable change \d+(\.\d)? %\.$/,
  );
  assert.match(advice[0] ?? '', /^try --launches \d+, or use a quieter machine$/);
  const reference = { kind: 'baseline' as const, name: 'nightly', method: 'Of another hour.' };
  assert.match(gate(decision, { reference }).advice[1] ?? '', /^nights differ .* a reference build/);
  assert.deepEqual(flags, { 'cpu-busy': 1 });
});

test('nights that differ too much: no number of launches is promised, an anchor is named', () => {
  const one = compared(syntheticRecord({ sd: 0.03, launches: 4 }), nightly({ sd: 0.03, launches: 4 }));
  const reference = { kind: 'baseline', name: 'main', method: 'Of another night.' } as const;
  const adviceWith = (sd: number) => {
    const night = () => ({ variance: sd ** 2, degrees: 20, from: 'learned' as const, runs: 0 });
    const decision = decide([{ ...one, night }], 0.03);
    assert.equal(decision.groups[0]?.change.betweenNights, sd);
    return gate(decision, { reference }).advice.join('\n');
  };
  assert.match(adviceWith(0.002), /try --launches \d+/);
  assert.match(adviceWith(0.02), /no number of launches up to 100 .*3\.0 %\n.*a reference build/);
});

test('one launch says nothing of another start: no verdict', () => {
  const decision = decide([compared(syntheticRecord({ launches: 1 }), nightly({ launches: 1 }))], 0.1);
  assert.equal(gate(decision).exitCode, 5);
});

test('nothing to hold it against: no verdict, and the way out', () => {
  const { exitCode, next } = gate({ groups: [], cells: [], mustDetect: 0.1 }, { reference: null });
  assert.equal(exitCode, 5);
  assert.match(next ?? '', /^collbench baseline set abcdef/);
});

test('a suite that failed or is slower is not to be stored as the baseline', () => {
  const failures = failuresOf(anEntry({ status: 'cannot-run', reason: 'no GPU was found' }), [], null);
  const none = { groups: [], cells: [], mustDetect: 0.1 };
  const failed = gate(none, { reference: null, failures });
  assert.equal(failed.verdict, 'failed');
  assert.equal(failed.next, undefined);
  assert.deepEqual(failed.advice, []);
  const slower = decide([compared(syntheticRecord(), nightly({ factor: () => 2 }))], 0.1);
  const goneEntries = ['large'];
  assert.deepEqual(
    [gate(slower, { goneEntries }), gate(none, { failures, goneEntries })].map(({ next }) => next),
    [undefined, undefined],
  );
  assert.match(gate(none, { goneEntries }).next ?? '', /^collbench baseline set/);
});

test('what is missing, wrong, contradicted or incomparable fails with a sentence of its own', () => {
  const base = syntheticRecord();
  const [first, second, third, ...rest] = nightly().cells;
  assert.ok(first?.status === 'ok' && second?.status === 'ok' && third?.status === 'ok');
  const wrong = {
    ...second,
    verification: { ...second.verification, wrongElements: 9, comparedElements: 10 },
  };
  const elsewhere = {
    ...third,
    evidence: { verdict: 'contradicted' as const, reason: 'lo carried nothing' },
  };
  const tonight = { ...nightly(), cells: [wrong, elsewhere, ...rest] };
  const failures = failuresOf(anEntry(), tonight.cells, compared(base, tonight).pair);
  assert.deepEqual(
    failures.map(({ kind, cell }) => [kind, cell]),
    [
      ['wrong-data', second.id],
      ['contradicted', third.id],
      ['missing', first.id],
    ],
  );
  assert.match(failures[1]?.sentence ?? '', /used another transport: lo carried nothing/);
  const decision = decide([compared(base, nightly())], 0.1);
  assert.equal(gate(decision, { failures }).exitCode, 3);
  assert.equal(gate(decision, { failures: failures.slice(1) }).exitCode, 2);
});

test('an entry that cannot run is a failure, unless the suite says it is optional', () => {
  const cannot = { status: 'cannot-run' as const, reason: 'no GPU was found' };
  assert.match(failuresOf(anEntry(cannot), [], null)[0]?.sentence ?? '', /cannot run here: no GPU/);
  assert.deepEqual(failuresOf(anEntry({ ...cannot, optional: true }), [], null), []);
  const leftOut = [{ transport: 'ib', reason: 'no device' }];
  assert.equal(failuresOf(anEntry({ leftOut }), [], null)[0]?.kind, 'not-run');
});

test('an optional entry that a baseline has is missed when it cannot run any more', () => {
  const cannot = anEntry({ status: 'cannot-run', reason: 'no GPU was found', optional: true });
  const [failure] = failuresOf(cannot, [], null, 12);
  assert.equal(failure?.kind, 'missing');
  assert.match(failure?.sentence ?? '', /cannot run here any more, the baseline has it: no GPU/);
});

test('what is wrong in the second measurement is wrong, whatever it was to confirm', () => {
  const again = nightly();
  const [first] = again.cells;
  assert.ok(first?.status === 'ok');
  const verification = { ...first.verification, wrongElements: 9, comparedElements: 10 };
  const bad = { ...again, cells: [{ ...first, verification }, ...again.cells.slice(1)] };
  const { pair } = compared(syntheticRecord(), bad);
  const [failure] = failuresAgain(anEntry(), { tonight: bad.cells, pair });
  assert.equal(failure?.kind, 'wrong-data');
  assert.match(failure?.sentence ?? '', /, measured again: wrong data, 9 of 10/);
  const turn = { id: 'aaaaaa', folder: 'x', arm: 'anchor' as const, turn: 0, exitCode: 2 };
  const failed = anEntry({ runs: [{ ...turn, pass: 'again' }] });
  const passed = { tonight: again.cells, pair: compared(syntheticRecord(), again).pair };
  assert.equal(failuresAgain(failed, passed)[0]?.kind, 'not-run');
  assert.deepEqual(failuresAgain(anEntry({ runs: [{ ...turn, pass: 'first' }] }), passed), []);
});

test('cells that nothing was held against are counted, those that failed are not among them', () => {
  const tonight = nightly();
  const [first, second] = tonight.cells as [CellRecord, CellRecord];
  const few = { ...syntheticRecord(), cells: syntheticRecord().cells.filter(({ id }) => id !== first.id) };
  const failed = { ...second, status: 'failed', reason: 'rank died' } as unknown as CellRecord;
  const own = { ...tonight, cells: [first, failed, ...tonight.cells.slice(2)] };
  assert.equal(countUnknownCells({ tonight: own.cells, pair: compared(few, own).pair }), 1);
  assert.equal(countUnknownCells({ tonight: own.cells, pair: null }), own.cells.length - 1);
});

test('entries that only the baseline has are named', () => {
  const decision = decide([compared(syntheticRecord(), nightly())], 0.1);
  const { exitCode, advice } = gate(decision, { goneEntries: ['large'] });
  assert.equal(exitCode, 0);
  assert.match(advice[0] ?? '', /^in the baseline but not in the suite: large; set it again/);
});

test('runs of one launch each, pooled, are as one run with all launches', () => {
  const runs = [1, 2, 3].map((seed) => syntheticRecord({ launches: 1, seed, sizes: [8, 1024] }));
  const { cells } = poolRuns(runs);
  const [cell] = cells;
  assert.ok(cell !== undefined && cells.length === 2);
  assert.equal(measuredOf(cell, 'latency')?.launches, 3);
  const medians = runs.map((run) => measuredOf(run.cells[0], 'latency')?.value);
  assert.deepEqual(measuredOf(cell, 'latency')?.launchValues, medians);
  const failed = {
    ...runs[1],
    cells: [{ ...cell, status: 'failed', reason: 'rank died' }],
  } as unknown as ComparableRun;
  assert.equal(poolRuns([runs[0] as ComparableRun, failed]).cells[0]?.status, 'failed');
});

/** Nights of an unchanged build: all launches of a night share a random factor. */
function nights(count: number, nightSd: number, launchSd: number, seed: number): ComparableRun[] {
  const normal = seededNormal(seed);
  return Array.from({ length: count }, (_, n) => {
    const mood = Math.exp(nightSd * normal());
    return syntheticRecord({
      seed: seed * 100 + n,
      sd: launchSd,
      sizes: [8, 64, 512, 4096],
      factor: () => mood,
    });
  });
}

test('what is learned from unchanged runs is how launches and nights scatter', () => {
  const [group] = learnScatter(entry, nights(30, 0.02, 0.01, 5));
  assert.ok(group);
  assert.equal(group.title, 'allreduce float32 sum, cpu over socket (emulated), 2 ranks, up to 32 KiB');
  const sd = (variance: number) => Math.sqrt(variance);
  // Scatter is independent at every size here, so the mean of four sizes has half of it.
  assert.ok(Math.abs(sd(group.cell.variance) - 0.01) < 0.002, `${sd(group.cell.variance)}`);
  assert.ok(Math.abs(sd(group.group.variance) - 0.005) < 0.001, `${sd(group.group.variance)}`);
  assert.ok(Math.abs(sd(group.night.variance) - 0.02) < 0.006, `${sd(group.night.variance)}`);
  assert.deepEqual([group.cell.degrees, group.night.degrees], [20, 20]);
  assert.throws(() => learnScatter(entry, nights(1, 0, 0.01, 1)), /two runs or more/);
});

test('against another night the scatter of nights counts: few red lights where plain tests show many', () => {
  const learned = learnScatter(entry, nights(12, 0.02, 0.005, 11));
  const night = () => ({ ...(learned[0] as BaselineGroup).night, from: 'learned' as const, runs: 0 });
  const reds = { counted: 0, ignored: 0 };
  const others = nights(40, 0.02, 0.005, 13);
  const [baseline, ...tonights] = others as [ComparableRun, ...ComparableRun[]];
  for (const tonight of tonights) {
    const pair = compared(baseline, tonight, learned);
    // The second measurement is of the same night and has the same random factor.
    const judged = (one: EntryComparison) => confirm(decide([one], 0.1), [one]);
    const isRed = (decision: GateDecision) => decision.groups.some(({ verdict }) => verdict === 'slower');
    if (isRed(judged(pair))) reds.ignored += 1;
    if (isRed(judged({ ...pair, night }))) reds.counted += 1;
  }
  assert.ok(reds.ignored >= 4, `${reds.ignored} of 39 red without it`);
  assert.ok(reds.counted <= 1, `${reds.counted} of 39 red with it`);
});

test('what was learned is of its sizes and its sampling, and of no others', () => {
  const learned = learnScatter(entry, nights(3, 0, 0.01, 3));
  const tonight = (parts: SyntheticRun = {}) => syntheticRecord({ sizes: [8, 64, 512, 4096], ...parts });
  const count = (run: ComparableRun) => {
    const { used, unlike } = usableScatter(learned, run);
    return [used.length, unlike];
  };
  assert.deepEqual(count(tonight({ launches: 9 })), [1, 0]);
  assert.deepEqual(count(tonight({ sizes: [8, 64] })), [0, 1]);
  assert.deepEqual(count(tonight({ sizes: [65536] })), [0, 0]);
  const plan = tonight().record.plan;
  const quick = { ...plan, sampling: { ...plan.sampling, iterations: 3 } };
  assert.deepEqual(count(tonight({ record: { plan: quick } })), [0, 1]);
  const older = learned.map(({ holdsFor: _, ...group }) => group);
  assert.equal(usableScatter(older, tonight({ sizes: [8] })).used.length, 1);
  const mixed = [tonight(), tonight({ record: { plan: quick } })];
  assert.throws(() => learnScatter(entry, mixed), /used different sampling/);
});
