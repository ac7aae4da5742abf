// Simulates nights of the gate with real launches: both arms are drawn from a pool of equal recorded launches. Every red result
// is therefore false, or caused by an added change. The code of `collbench suite --gate` for a fixed number of launches judges them.

import { learnScatter } from '../../../results/baseline/learn.ts';
import { type ComparableRun, compareRuns } from '../../../results/compare/compare-runs.ts';
import type { ScatterPrior } from '../../../results/compare/options.ts';
import { groupOf, type Regime, regimeOf } from '../../../results/derive/cells/cell-group.ts';
import { conclude } from '../../../results/gate/conclude.ts';
import {
  confirm,
  decide,
  type EntryComparison,
  type GateDecision,
  suspects,
} from '../../../results/gate/decide.ts';
import { collective, idOf, type OkCell } from '../../../results/schema/index.ts';
import { syntheticRecord } from '../../../results/testing/run.ts';
import { defaultDetect } from '../../../suites/suite/merge.ts';
import type { LaunchPool, PooledSeries } from './pool-file.ts';
import { RandomDraws, type SimulatedShare, shareOf } from './random.ts';

/** Number of arms' worth of launches that a pool needs: two measurements of two arms, and one to learn from. */
const minNights = 5;

/** Launches per arm as in suites/library/nightly.yaml, or fewer if the pool is too small. */
const launchesOf = (regime: Regime, recorded: number): number =>
  Math.min(regime === 'small' ? 8 : 5, Math.floor(recorded / minNights));

/** Cells that a suite would measure together as one entry. */
export interface PooledEntry {
  name: string;
  launches: number;
  /** Number of recorded launches. */
  recorded: number;
  /** Cells without figures, and their recorded launch medians in ns. */
  cells: { cell: OkCell; times: number[] }[];
}

export interface PoolRow {
  what: string;
  nights: number;
  suspected: SimulatedShare;
  red: SimulatedShare;
  noVerdict: SimulatedShare;
  /** Share of nights in which the slowed group, or one of its sizes, is red; null = there was no change. */
  found: SimulatedShare | null;
}

const template = (): { run: ComparableRun; cell: OkCell } => {
  const run = syntheticRecord({ sizes: [1024], launches: 1 });
  return { run, cell: run.cells[0] as OkCell };
};

/**
 * Entries of a pool. Small sizes have entries of their own, because they get more launches.
 * @throws RangeError if the pool is too small for two launches per arm
 */
export function entriesOf(pool: LaunchPool): PooledEntry[] {
  const entries = new Map<string, PooledEntry>();
  for (const [at, series] of pool.series.entries()) {
    for (const [column, bytes] of series.sizesBytes.entries()) {
      const launches = launchesOf(regimeOf(bytes), series.launchMediansNs.length);
      if (launches < 2) {
        throw new RangeError(
          `${series.title}: ${series.launchMediansNs.length} launches recorded, ${2 * minNights} are needed`,
        );
      }
      const name = `${series.measured}, ${launches} launches`;
      const recorded = series.launchMediansNs.length;
      const entry = entries.get(name) ?? { name, launches, recorded, cells: [] };
      entry.cells.push(cellOf(series, at, column));
      entries.set(name, entry);
    }
  }
  return [...entries.values()];
}

function cellOf(series: PooledSeries, at: number, column: number): PooledEntry['cells'][number] {
  const { cell } = template();
  const trial = series.trials[column];
  const payloadBytes = series.sizesBytes[column] as number;
  const { engine, transport } = series;
  // Series with equal properties need different ids, so their index in the pool is used as root.
  const axes = { ...cell.axes, root: at, bytes: payloadBytes };
  const named = { ...cell, engine, transport, axes };
  return {
    cell: {
      ...cell,
      ...named,
      id: idOf(collective, named),
      figures: cell.figures.filter(({ name }) => name === (trial === 'isolated' ? 'latency' : 'pipelined')),
    },
    times: series.launchMediansNs.map((launch) => launch[column] as number),
  };
}

/**
 * A run with these launches of the pool.
 * @param factor factor on the times of a cell
 */
function runOf(
  entry: PooledEntry,
  picked: readonly number[],
  factor: (cell: OkCell) => number,
): ComparableRun {
  const cells = entry.cells.map(({ cell, times }) => {
    const launchMediansNs = picked.map((l) => (times[l] as number) * factor(cell));
    const medianNs = Math.exp(launchMediansNs.reduce((sum, ns) => sum + Math.log(ns), 0) / picked.length);
    const figures = cell.figures.map((one) =>
      one.kind === 'measured'
        ? { ...one, launches: picked.length, launchValues: launchMediansNs, value: medianNs }
        : one,
    );
    return { ...cell, figures };
  });
  return { record: template().run.record, cells };
}

/** Indices of the launches in one night: two arms of the first and of the second measurement, and all other launches. */
interface NightDraw {
  first: [number[], number[]];
  again: [number[], number[]];
  rest: number[];
}

/** Draws a random contiguous range of launches. Of two neighbours one goes to each arm, at random. */
function draw({ launches, recorded }: PooledEntry, draws: RandomDraws): NightDraw {
  const from = draws.below(recorded - 4 * launches + 1);
  const arms = (start: number): [number[], number[]] => {
    const found: [number[], number[]] = [[], []];
    for (let i = 0; i < launches; i += 1) {
      const swap = draws.below(2);
      found[0].push(start + 2 * i + swap);
      found[1].push(start + 2 * i + 1 - swap);
    }
    return found;
  };
  const halves = [arms(from), arms(from + 2 * launches)] as const;
  const which = draws.below(2);
  return {
    first: halves[which] as NightDraw['first'],
    again: halves[1 - which] as NightDraw['again'],
    rest: Array.from({ length: recorded }, (_, l) => l).filter((l) => l < from || l >= from + 4 * launches),
  };
}

const unchanged = (): number => 1;

/** Scatter learned from launches outside of this night, as `collbench baseline learn` does. */
function learnedOf(entry: PooledEntry, rest: readonly number[]): Record<string, ScatterPrior> {
  const each = Math.max(2, Math.min(entry.launches, Math.floor(rest.length / 2)));
  const nights = Array.from({ length: Math.floor(rest.length / each) }, (_, i) =>
    runOf(entry, rest.slice(i * each, (i + 1) * each), unchanged),
  );
  if (nights.length < 2) return {};
  return Object.fromEntries(
    learnScatter(entry.name, nights).map(({ key, cell, group }): [string, ScatterPrior] => [
      key,
      { cell, group },
    ]),
  );
}

/** Keys of the groups that are tested as one. */
export const groupsOf = (entries: readonly PooledEntry[]): string[] => [
  ...new Set(entries.flatMap(({ cells }) => cells.map(({ cell }) => groupOf(cell).key))),
];

interface NightEffect {
  regime: Regime;
  factor: number;
}

interface NightVerdict {
  isSuspected: boolean;
  verdict: ReturnType<typeof conclude>['verdict'];
  isFound: boolean;
}

function night(
  entries: readonly PooledEntry[],
  draws: RandomDraws,
  effect: NightEffect | null,
): NightVerdict {
  const ofRegime = groupsOf(entries).filter((key) => key.endsWith(`/${effect?.regime}`));
  const target = ofRegime.length === 0 ? null : ofRegime[draws.below(ofRegime.length)];
  const factor = (cell: OkCell): number => (groupOf(cell).key === target ? (effect?.factor ?? 1) : 1);
  const drawn = entries.map((entry) => ({ entry, lots: draw(entry, draws) }));
  const compared = (pass: 'first' | 'again', only: readonly string[] | null): EntryComparison[] =>
    drawn
      .filter(({ entry }) => only === null || only.includes(entry.name))
      .map(({ entry, lots }) => {
        const [reference, tonight] = lots[pass];
        const runs = [runOf(entry, reference, unchanged), runOf(entry, tonight, factor)];
        const [pair] = compareRuns(runs, { learned: learnedOf(entry, lots.rest) }).pairs;
        if (pair === undefined || pair.refused.length > 0)
          throw new RangeError(`${entry.name}: not compared`);
        return { entry: entry.name, pair, night: null };
      });
  const first = decide(compared('first', null), defaultDetect);
  const names = suspects(first);
  const decision = names.length === 0 ? first : confirm(first, compared('again', names));
  return {
    isSuspected: names.length > 0,
    verdict: verdictOf(decision),
    isFound: isRed(decision, target ?? null),
  };
}

function verdictOf(decision: GateDecision): ReturnType<typeof conclude>['verdict'] {
  const findings = {
    ...{ suite: { id: 'pool', name: 'pool' }, dir: '' },
    reference: { kind: 'anchor', name: 'anchor', method: '' } as const,
    mustDetect: defaultDetect,
    ...{ decision, failures: [], changed: [], cells: [], unknownCells: 0, goneEntries: [] },
  };
  return conclude(findings).verdict;
}

const isRed = ({ groups, cells }: GateDecision, target: string | null): boolean =>
  groups.some(({ key, verdict }) => key === target && verdict === 'slower') ||
  cells.some(({ group, verdict }) => group === target && verdict === 'slower');

function rowOf(
  say: (text: string) => void,
  what: string,
  entries: readonly PooledEntry[],
  nights: number,
  seed: number,
  effect: NightEffect | null,
): PoolRow {
  say(what);
  const draws = new RandomDraws(seed);
  const outcomes = Array.from({ length: nights }, () => night(entries, draws, effect));
  const share = (is: (outcome: NightVerdict) => boolean): SimulatedShare =>
    shareOf(outcomes.filter(is).length, nights);
  return {
    what,
    nights,
    suspected: share(({ isSuspected }) => isSuspected),
    red: share(({ verdict }) => verdict === 'regression'),
    noVerdict: share(({ verdict }) => verdict === 'no-verdict'),
    found: effect === null ? null : share(({ isFound }) => isFound),
  };
}

/** @param count number of nights without a change; each change gets a quarter of it */
export function poolRows(pool: LaunchPool, count: number, say: (text: string) => void = () => {}): PoolRow[] {
  const entries = entriesOf(pool);
  const regimes = new Set(entries.flatMap(({ cells }) => cells.map(({ cell }) => groupOf(cell).regime)));
  const changes = [3, 5].flatMap((percent) =>
    [...regimes].map((regime) =>
      rowOf(say, `+${percent} % of a ${regime} group`, entries, Math.ceil(count / 4), 70 + percent, {
        regime,
        factor: 1 + percent / 100,
      }),
    ),
  );
  return [rowOf(say, 'no change', entries, count, 71, null), ...changes];
}
