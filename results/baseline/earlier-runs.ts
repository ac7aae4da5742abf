// Which earlier runs show how nights differ: those in which nothing is known to have changed.
import type { ComparableRun } from '../compare/index.ts';
import { showNights, spreadOverNights } from '../judge/nights.ts';
import type { GateResult, RunRecord } from '../schema/index.ts';

/** An earlier run of an entry, with what the gate of its night found. */
export interface EarlierRun {
  run: ComparableRun;
  /** Whether the gate of that night called anything slower or faster. */
  isChanged: boolean;
}

export interface EarlierRuns {
  runs: readonly ComparableRun[];
  /** Whether the runs are of enough nights; otherwise they show only the least that nights differ by. */
  areNights: boolean;
}

/** Whether a gate found a change, proved or not. @param gate null = it was not judged */
export const foundChange = (gate: GateResult | null): boolean =>
  gate !== null &&
  (gate.verdict === 'regression' ||
    gate.verdict === 'unconfirmed' ||
    gate.groups.some(({ verdict }) => verdict === 'faster'));

const startOf = ({ record }: { record: Pick<RunRecord, 'startedAt'> }): string => record.startedAt;

/**
 * Earlier runs whose scatter is that of an unchanged build. A change that lasts until tonight is no scatter: changed nights
 * right before tonight are left out, so that the gate does not get used to a regression. If the baseline is itself of a
 * changed night, a change was accepted with it: the nights before that change are at another level, and are left out.
 * A changed night among unchanged ones may have been chance and counts.
 * @param runs of one entry, in any order
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
