// Selects the earlier runs that show the scatter between nights: runs in which no change is known.
import type { ComparableRun } from '../compare/index.ts';
import { showNights, spreadOverNights } from '../judge/nights.ts';
import type { GateResult, RunRecord } from '../schema/index.ts';

/** An earlier run of an entry, with the result of its night's gate. */
export interface EarlierRun {
  run: ComparableRun;
  /** True if the gate of that night found a change. */
  isChanged: boolean;
}

export interface EarlierRuns {
  runs: readonly ComparableRun[];
  /** True if the runs are of enough nights; otherwise their scatter is a lower bound of the scatter between nights. */
  areNights: boolean;
}

/** True if a gate found a change, confirmed or not. @param gate null = there was no gate */
export const foundChange = (gate: GateResult | null): boolean =>
  gate !== null &&
  (gate.verdict === 'regression' ||
    gate.verdict === 'unconfirmed' ||
    gate.groups.some(({ verdict }) => verdict === 'faster'));

const startOf = ({ record }: { record: Pick<RunRecord, 'startedAt'> }): string => record.startedAt;

/**
 * Earlier runs whose scatter is that of an unchanged build. A change that lasts until tonight is no scatter: changed nights
 * right before tonight are left out, so that the gate does not accept a regression over time. If the baseline itself is of a
 * changed night, a change was accepted with it: the nights before that change have another level, and are left out.
 * A changed night among unchanged ones may have been chance and is kept.
 * @param runs runs of one entry, in any order
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
