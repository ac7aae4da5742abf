// False alarms in comparisons of runs that were measured at different times: by `collbench compare`, and by the gate against a
// baseline. Simulated without and with ten earlier runs.

import { separateRuns } from '../../../results/compare/calibrate.ts';
import { type ComparableRun, compareRuns } from '../../../results/compare/compare-runs.ts';
import { confirm, decide, suspects } from '../../../results/gate/decide.ts';
import { unchangedRuns } from '../../../results/gate/earlier-runs.ts';
import { compareEntry, type GateSource } from '../../../results/gate/reference.ts';
import { seededNormal } from '../../../results/testing/block.ts';
import { runOfNight } from '../../../results/testing/equal-runs.ts';
import { type SimulatedShare, shareOf } from './random.ts';

export interface RunKind {
  /** Standard deviation of log time between whole runs. */
  runSd: number;
  /** Number of earlier equal runs, one per night. */
  earlier: number;
  transport: 'socket' | 'sisci';
}

export interface SeparateRuns extends RunKind {
  /** Share of pairs in which `compare` called a size or a size range slower or faster. */
  compare: SimulatedShare;
  /** Share of pairs that the gate called slower even after its second measurement in the same night (exit code 4). */
  gate: SimulatedShare;
  /** Shares of pairs whose second run is 20 % slower, in which `compare` or the gate found it in a size range. */
  found: { compare: SimulatedShare; gate: SimulatedShare };
}

const entry = 'run';
const detect = 0.1;
const slowdown = 1.2;
const isChange = (verdict: string): boolean => verdict === 'slower' || verdict === 'faster';

/** Both sides of a comparison, a second measurement of the later one, and earlier runs. */
interface Nights {
  base: ComparableRun;
  other: ComparableRun;
  again: ComparableRun;
  history: ComparableRun[];
}

function compared({ base, other, history }: Nights) {
  const records = [base.record, other.record];
  const [pair] = compareRuns([base, other], separateRuns(null, records, history)).pairs;
  return { groups: pair?.groups ?? [], cells: pair?.cells ?? [] };
}

function judged({ base, other, again, history }: Nights) {
  const source: GateSource = {
    hasAnchor: false,
    baseline: {
      ...{ schemaVersion: 3, name: 'nightly', setAt: base.record.startedAt, learned: null },
      source: { kind: 'run', id: base.record.id, name: 'allreduce', title: 'allreduce' },
      entries: [{ entry, record: base.record, cells: [...base.cells] }],
    },
  };
  const earlier = unchangedRuns(
    history.map((run) => ({ run, isChanged: false })),
    { startedAt: base.record.startedAt, isChanged: false },
  );
  const held = (run: ComparableRun) => {
    const one = compareEntry(source, entry, run, undefined, { ...earlier, zSd: null });
    return one === null ? [] : [one];
  };
  const first = decide(held(other), detect);
  return suspects(first).length === 0 ? first : confirm(first, held(again));
}

/** @param pairs number of pairs; each has its own earlier runs */
export function simulateSeparateRuns(kind: RunKind, pairs: number): SeparateRuns {
  const { runSd, earlier, transport } = kind;
  const normal = seededNormal(20261129 + Math.round(1000 * runSd) + earlier);
  const hits = { compare: 0, gate: 0, foundByCompare: 0, foundByGate: 0 };
  for (let seed = 1; seed <= pairs; seed += 1) {
    const level = (): number => Math.exp(runSd * normal());
    const history = Array.from({ length: earlier }, (_, i) =>
      runOfNight(i, { seed, transport, level: level() }),
    );
    const base = runOfNight(earlier, { seed, transport, level: level() });
    const tonight = level();
    const nights = (factor: number): Nights => ({
      ...{ base, history },
      other: runOfNight(earlier + 1, { seed, transport, level: factor * tonight }),
      again: runOfNight(earlier + 1, { seed, transport, level: factor * tonight, turn: 1 }),
    });
    const [equal, slower] = [nights(1), nights(slowdown)];
    const byCompare = compared(equal);
    const byGate = judged(equal);
    if ([...byCompare.groups, ...byCompare.cells].some(({ change }) => isChange(change.verdict)))
      hits.compare += 1;
    if ([...byGate.groups, ...byGate.cells].some(({ verdict }) => verdict === 'slower')) hits.gate += 1;
    if (compared(slower).groups.some(({ change }) => change.verdict === 'slower')) hits.foundByCompare += 1;
    if (judged(slower).groups.some(({ verdict }) => verdict === 'slower')) hits.foundByGate += 1;
  }
  return {
    ...kind,
    compare: shareOf(hits.compare, pairs),
    gate: shareOf(hits.gate, pairs),
    found: { compare: shareOf(hits.foundByCompare, pairs), gate: shareOf(hits.foundByGate, pairs) },
  };
}
