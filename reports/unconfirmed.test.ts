import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { compareRuns } from '../results/compare/compare-runs.ts';
import { gateOf } from '../results/compare/gate.ts';
import { suiteToJunit } from '../results/export/junit.ts';
import { conclude } from '../results/gate/conclude.ts';
import { confirm, decide, suspects } from '../results/gate/decide.ts';
import { compareEntry } from '../results/gate/reference.ts';
import { openIndexes } from '../results/history/together.ts';
import { matchingGroups, trendOf } from '../results/history/trend.ts';
import { explainChanges } from '../results/history/trend-report.ts';
import { type Baseline, type GateResult, gateResult } from '../results/schema/index.ts';
import { writeNight } from '../results/testing/nights.ts';
import { type SyntheticRun, syntheticRecord } from '../results/testing/run.ts';
import { ratioFigures } from './comparison/chart.ts';
import { comparisonMarkdown, comparisonPage, comparisonText } from './comparison/document.ts';
import { changesText } from './comparison/versus-last.ts';
import { endedSuite } from './fixtures/suite.ts';
import { gateMarkdown, gateText } from './gate/gate.ts';
import { trendText } from './history/document.ts';
import { suitePage } from './html/suite.ts';
import { siteComment } from './site/comment.ts';
import { writeSite } from './site/write.ts';

// If something prevents the proof of a large change, every surface still prints its ratio, "not confirmed", and the reason. The
// cells are synthetic, so the speed of the machine has no influence.

const entry = 'all';
const busy = (cores: number): Pick<SyntheticRun, 'competingCores'> => ({ competingCores: () => cores });
const reference = syntheticRecord({ seed: 1, ...busy(1.1) });
const slowed = (made: SyntheticRun = {}) =>
  syntheticRecord({ id: 'bbbbbb', seed: 2, factor: () => 20, ...busy(1.3), ...made });
const reason = 'machine busy (other processes used 1.1, then 1.3 cores)';

const baseline: Baseline = {
  ...{ schemaVersion: 3, name: 'nightly', setAt: '2026-11-20T01:00:00.000Z', learned: null },
  source: { kind: 'suite', id: 'cccccc', name: 'nightly', title: 'Suite nightly' },
  entries: [{ entry, ...reference }],
};
const held = (made?: SyntheticRun) => {
  const compared = compareEntry({ baseline, hasAnchor: false }, entry, slowed(made), undefined);
  assert.ok(compared !== null);
  return compared;
};
const gateOfNight = (first: SyntheticRun = {}, again: SyntheticRun | null = { seed: 9 }): GateResult => {
  const suspected = decide([held(first)], 0.1);
  const decision =
    suspects(suspected).length > 0 ? confirm(suspected, again === null ? [] : [held(again)]) : suspected;
  return gateResult.parse(
    conclude({
      ...{ suite: { id: 'abcdef', name: 'nightly' }, dir: 'collbench-runs/nightly-abcdef' },
      reference: { kind: 'baseline', name: 'nightly', method: 'Measured another night.' },
      ...{ decision, failures: [], changed: [], unknownCells: 0, goneEntries: [] },
      cells: slowed(first).cells,
    }),
  );
};
const suiteWith = (gate: GateResult) => ({ ...endedSuite, gate });
const flat = (text: string) =>
  text
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replaceAll('\\', '')
    .replaceAll(/\s+/g, ' ');

test('gate: 20 times slower on a busy machine is not confirmed, exit 5, and every surface says how much', () => {
  const gate = gateOfNight();
  assert.deepEqual([gate.verdict, gate.exitCode], ['unconfirmed', 5]);
  assert.equal(gate.sentence, `NOT CONFIRMED: up to 20x slower in 3 of 3 size ranges; ${reason}.`);
  const surfaces = {
    terminal: gateText(gate, 100),
    all: gateText(gate, 100, true),
    markdown: gateMarkdown(gate),
    page: suitePage(suiteWith(gate), () => false),
    junit: suiteToJunit(suiteWith(gate)),
  };
  for (const [name, text] of Object.entries(surfaces)) {
    assert.ok(flat(text).includes('up to 20x slower'), `${name}: ${text}`);
    assert.match(flat(text), /x(19|20)(\.\d)? \(x19[.\d]* to x20[.\d]*\)/, name);
    assert.ok(flat(text).includes(reason), `${name}: ${text}`);
  }
  assert.equal(
    surfaces.junit.match(/<error type="unconfirmed" message="20x slower, not confirmed: machine/g)?.length,
    14,
  );
});

test('gate: a second measurement on a quiet machine decides', () => {
  const quietNight = (made: SyntheticRun) => ({ seed: 9, ...busy(0), ...made });
  // Against the busy reference no second measurement can be tested.
  const quietBaseline = syntheticRecord({ seed: 1, ...busy(0) });
  const decideOn = (again: SyntheticRun) => {
    const against = (made: SyntheticRun) =>
      compareEntry(
        { baseline: { ...baseline, entries: [{ entry, ...quietBaseline }] }, hasAnchor: false },
        entry,
        slowed(made),
        undefined,
      );
    const [first, second] = [against({}), against(again)];
    assert.ok(first !== null && second !== null);
    // Nothing was learned for this baseline, so runs may differ by some percent and 10 % cannot be excluded.
    return confirm(decide([first], 0.3), [second]).groups.map(({ verdict }) => verdict);
  };
  assert.deepEqual(new Set(decideOn(quietNight({}))), new Set(['slower']));
  assert.deepEqual(new Set(decideOn(quietNight({ factor: () => 1 }))), new Set(['transient']));
  assert.deepEqual(new Set(decideOn({ seed: 9, factor: () => 1 })), new Set(['unclear']));
});

test('gate: few launches and scatter hide no number either', () => {
  for (const [made, why] of [
    [{ launches: 1, ...busy(0) }, /scatter between launches needs two launches|machine busy/],
    [{ sd: 2, launches: 3 }, /machine busy/],
  ] as const) {
    const { verdict, exitCode, sentence } = gateOfNight(made, { ...made, seed: 9 });
    assert.deepEqual([verdict, exitCode], ['unconfirmed', 5]);
    assert.match(sentence, /^NOT CONFIRMED: up to [\d.]+x slower in \d of 3 size ranges; /);
    assert.match(sentence, why);
  }
  assert.match(gateOfNight({}, null).sentence, /it could not be measured again/);
});

test('gate: nothing large on a busy machine is no verdict, with the range of what was measured', () => {
  const same = { factor: () => 1.02 };
  const gate = gateOfNight(same);
  assert.deepEqual([gate.verdict, gate.exitCode], ['no-verdict', 5]);
  assert.match(
    gate.sentence,
    /^NO VERDICT in 3 of 3 size ranges \(\+[12]\.\d %( to \+2\.\d %)? time\): machine busy/,
  );
  assert.match(suiteToJunit(suiteWith(gate)), /<skipped message="no verdict: \+\d/);
});

test('compare: ratio, range of launches and reason on terminal, Markdown, page and in one line', async () => {
  const comparison = compareRuns([reference, slowed()]);
  const [pair] = comparison.pairs;
  assert.ok(pair);
  assert.equal(pair.verdict, 'unconfirmed');
  const texts = {
    terminal: comparisonText(comparison, { columns: 100, color: false, all: false }),
    markdown: comparisonMarkdown(comparison),
    page: await comparisonPage(comparison),
  };
  for (const [name, text] of Object.entries(texts)) {
    assert.ok(flat(text).includes(`20x slower, not confirmed: ${reason}`), `${name}: ${text}`);
    assert.match(flat(text), /x(19|20)[.\d]* \(x19[.\d]* to x20[.\d]*\)/, name);
  }
  assert.match(
    changesText(pair),
    /^up to 20x slower, not confirmed: machine busy .*, at 11 of 11 configurations$/,
  );
  const { outcome, reasons } = gateOf(comparison, { failOn: 'slower', visible: 0.1 });
  assert.equal(outcome, 'unconfirmed');
  assert.ok(reasons[0]?.includes(`up to 20x slower, not confirmed: ${reason}`));
});

test('chart of a comparison: labels instead of ids, and a band where there is no interval', () => {
  const labelled = { ...reference, record: { ...reference.record, label: 'before' } };
  const [figure] = ratioFigures(compareRuns([labelled, slowed()]));
  assert.ok(figure);
  assert.match(figure.title, /^Time against before, /);
  assert.match(figure.caption, /where there is none, from the lowest to the highest launch/);
  for (const { low, ratio, high } of figure.rows)
    assert.ok(Number(low) < Number(ratio) && Number(ratio) < Number(high));
});

const folder = mkdtempSync(join(tmpdir(), 'collbench-unconfirmed-'));
after(() => rm(folder, { recursive: true, force: true }));

test('history, site and its comment: two nights are too few for a change, and no reason for silence', async () => {
  const root = join(folder, 'runs');
  await writeNight(root, { night: 0, ...busy(1.1) });
  await writeNight(root, { night: 1, factor: () => 20, ...busy(1.3) });
  const index = await openIndexes([root]);
  const sentence =
    /20x slower since 2026-03-02[ \d:]*, not confirmed: a change can be seen from \d+ \w+s on, there are 2; flagged cpu-busy/i;
  const [name] = matchingGroups(index, { asked: '' });
  assert.ok(name);
  const trend = trendOf(index, name, { asked: '' });
  assert.ok(trend);
  assert.match(flat(trendText(await explainChanges(index, trend, ''), 100)), sentence);
  const site = { by: null, nights: 30, anyHost: false, title: 'x', url: null, reportUrl: null, anew: false };
  const { board, index: page } = await writeSite(index, join(folder, 'site'), site);
  assert.match(flat(await readFile(page, 'utf8')), sentence);
  const comment = siteComment(board, null);
  assert.match(flat(comment), sentence);
  assert.match(comment, /^### collbench: 2 size ranges in the last 2 runs: 2 not confirmed/);
  assert.doesNotMatch(comment, /Nothing changed/);
});

test('site: "Nothing changed." is printed only where every size range could have shown a change', async () => {
  const commentOf = async (name: string, nights: number) => {
    const root = join(folder, name);
    for (let night = 0; night < nights; night += 1) await writeNight(root, { night, sizes: [8] });
    const site = {
      by: null,
      nights: 30,
      anyHost: false,
      title: 'x',
      url: null,
      reportUrl: null,
      anew: false,
    };
    const made = await writeSite(await openIndexes([root]), join(folder, `${name}-site`), site);
    return { comment: siteComment(made.board, null), page: await readFile(made.index, 'utf8') };
  };
  const few = await commentOf('few', 3);
  assert.match(few.comment, /^Unknown: 1 of 1 size range without a verdict\.$/m);
  assert.match(few.page, /Unknown: 1 of 1 size range without a verdict\./);
  const enough = await commentOf('enough', 14);
  assert.match(enough.comment, /^Nothing changed\.$/m);
});
