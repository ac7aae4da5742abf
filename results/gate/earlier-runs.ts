// Selects the earlier runs that show how much nights differ without a change of the build: runs in which the gate found no change.
import type { ComparableRun } from '../compare/compare-runs.ts';
import { showNights, spreadOverNights } from '../judge/nights.ts';
import type { GateResult, RunRecord } from '../schema/index.ts';

/** An earlier run of a suite entry, with whether the gate found a change in this run. Earlier runs show how much nights differ. */
export interface EarlierRun {
  run: ComparableRun;
  /** True if the gate (pass-or-fail decision) of that night found a change, slower or faster, certain or not (foundChange()). */
  isChanged: boolean;
}

export interface EarlierRuns {
  runs: readonly ComparableRun[];
  /** True if the runs are of enough different nights, with one run each, to show how much nights differ. */
  areNights: boolean;
}

/**
 * True if the gate found a change: a regression, a slowdown that is not confirmed, or a size range that became faster.
 * @param gate result of the gate; null = the suite had no gate
 */
export const foundChange = (gate: GateResult | null): boolean =>
  gate !== null &&
  (gate.verdict === 'regression' ||
    gate.verdict === 'unconfirmed' ||
    gate.groups.some(({ verdict }) => verdict === 'faster'));

const startOf = ({ record }: { record: Pick<RunRecord, 'startedAt'> }): string => record.startedAt;

/**
 * Returns the earlier runs that show the scatter of an unchanged build, one of each night if there are enough nights. Changed
 * nights after the baseline and directly before tonight are left out: they may be a lasting regression, which the gate must not
 * accept as scatter. If the baseline itself is of a changed night, that change was accepted, so the nights before the change are
 * left out. A single changed night among unchanged ones may be chance and is kept.
 * @param runs runs of one suite entry, in any order
 */
export function unchangedRuns(
  runs: readonly EarlierRun[],
  baseline: { startedAt: string; isChanged: boolean },
): EarlierRuns {
  const newest = [...runs].sort((a, b) => (startOf(a.run) < startOf(b.run) ? 1 : -1));
  const since = newest.filter(({ run }) => startOf(run) > baseline.startedAt);
  const before = newest.slice(since.length);
  const end = since.findIndex(({ isChanged }) => !isChanged);
  const accepted = before.findIndex(({ isChanged }) => !isChanged);
  const kept = [
    ...(end === -1 ? [] : since.slice(end)),
    ...(baseline.isChanged ? before.slice(0, accepted === -1 ? before.length : accepted) : before),
  ].map(({ run }) => ({ run, startedAt: startOf(run) }));
  const chosen = spreadOverNights(kept);
  return { runs: chosen.map(({ run }) => run), areNights: showNights(chosen) };
}
