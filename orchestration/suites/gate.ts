// The gate: compares the runs of a suite with an anchor (reference build) or a stored baseline. Entries that seem
// slower are measured again before they count.

import { armOf } from '../../results/baseline/source.ts';
import { readBaseline } from '../../results/baseline/store.ts';
import type { ComparableRun } from '../../results/compare/compare-runs.ts';
import { conclude } from '../../results/gate/conclude.ts';
import {
  changesSinceReference,
  confirm,
  decide,
  type EntryComparison,
  type GateDecision,
  suspects,
} from '../../results/gate/decide.ts';
import { foundChange, unchangedRuns } from '../../results/gate/earlier-runs.ts';
import { countUnknownCells, failuresAgain, failuresOf } from '../../results/gate/failures.ts';
import {
  compareEntry,
  type GateSource,
  goneEntries,
  type KnownNights,
  knownCells,
  referenceOf,
} from '../../results/gate/reference.ts';
import type { PairedSequence } from '../../results/gate/sequence.ts';
import { runsLike } from '../../results/history/last-like.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import type {
  GateFailure,
  GateResult,
  SuiteEntry,
  SuiteMembership,
  SuiteRecord,
} from '../../results/schema/index.ts';
import { calibrationFor } from '../../results/store/calibration.ts';
import { openSuite } from '../../results/store/suites.ts';
import type { EntryWork, SuiteRunner } from './runner.ts';

/**
 * Returns the reference with which results are compared to decide whether they became slower: a stored baseline, an anchor
 * (reference build measured in the same suite), or both. Without --baseline the baseline with the suite's name is used; it is null
 * if there is none.
 * @param hasAnchor true if the suite measures an anchor
 * @param options `baseline`: name of a baseline, null = not given; `baselines`: folder of the baselines
 * @throws Refusal if the baseline that the user named does not exist
 */
export async function gateSource(
  suiteName: string,
  hasAnchor: boolean,
  { baseline: named, baselines: folder }: { baseline: string | null; baselines: string },
): Promise<GateSource> {
  const baseline = await readBaseline(folder, named ?? suiteName);
  if (baseline === null && named !== null) throw refuse('baseline-missing', { name: named, folder });
  return { baseline, hasAnchor };
}

/**
 * Runs of the first measurement, or of the repetition of suspicious entries, keyed by name of the entry, and their comparisons
 * with the reference. Runs without a counterpart have no comparison.
 */
interface GatePass {
  tonight: ReadonlyMap<string, ComparableRun>;
  compared: EntryComparison[];
}

export class SuiteGate {
  readonly record: SuiteRecord;
  readonly dir: string;
  private readonly source: GateSource;
  private readonly mustDetect: number;
  /** Folder in which all runs are stored. */
  private readonly root: string;
  /**
   * True if, for at least one judged entry, its hosts were calibrated: `collbench aa` measured there how much equal
   * runs differ.
   */
  private isCalibrated = false;
  private readonly changedSuites = new Map<string, Promise<boolean>>();

  constructor(
    { record, dir, root }: { record: SuiteRecord; dir: string; root: string },
    source: GateSource,
    mustDetect: number,
  ) {
    this.record = record;
    this.dir = dir;
    this.root = root;
    this.source = source;
    this.mustDetect = mustDetect;
  }

  /**
   * Compares the results of a suite with the reference and decides whether they became slower. Entries that seem slower are
   * measured once more. The result is returned, not stored.
   * @param works all entries of the suite
   * @param runner measures the entries that seem slower once more, which adds their runs to the record
   * @param sequence verdicts of pairs of launches, if the suite has an anchor (reference build); no entry is measured again then.
   * Null = no anchor
   */
  async judge(
    works: readonly EntryWork[],
    runner: SuiteRunner,
    sequence: PairedSequence | null = null,
  ): Promise<GateResult> {
    const { mustDetect } = this;
    const first = await this.pass('first');
    if (sequence !== null)
      return this.concluded(first, await this.pass('again'), sequence.decision(first.compared));
    const suspected = decide(first.compared, mustDetect);
    const names = suspects(suspected);
    for (const work of works.filter(({ ready }) => names.includes(ready.entry.name))) {
      if (!runner.isInterrupted) await runner.measure(work, 'again');
    }
    const again = await this.pass('again');
    const decision = names.length > 0 ? confirm(suspected, again.compared) : suspected;
    return this.concluded(first, again, decision);
  }

  private concluded(first: GatePass, again: GatePass, decision: GateDecision): GateResult {
    const { record, dir, source } = this;
    const { entries } = record;
    return conclude({
      suite: { id: record.id, name: record.name },
      dir,
      reference: referenceOf(source, first.tonight, first.compared, this.isCalibrated),
      decision,
      failures: entries.flatMap((entry) => this.failuresOf(entry, first, again)),
      changed: changesSinceReference(first.compared),
      cells: [...first.tonight.values()].flatMap((run) => run.cells),
      unknownCells: entries.reduce((sum, entry) => sum + countUnknownCells(cellsIn(first, entry)), 0),
      goneEntries: goneEntries(
        source,
        entries.map(({ name }) => name),
      ),
    });
  }

  private failuresOf(entry: SuiteEntry, first: GatePass, again: GatePass): GateFailure[] {
    const { tonight, pair } = cellsIn(first, entry);
    const own = failuresOf(entry, tonight, pair, knownCells(this.source, entry.name));
    const told = new Set(own.map(({ kind, cell }) => `${kind} ${cell}`));
    const second = failuresAgain(entry, cellsIn(again, entry));
    return [...own, ...second.filter(({ kind, cell }) => !told.has(`${kind} ${cell}`))];
  }

  private async pass(pass: SuiteMembership['pass']): Promise<GatePass> {
    const tonight = await armOf(this, 'tonight', pass);
    const anchors = this.source.hasAnchor
      ? await armOf(this, 'anchor', pass)
      : new Map<string, ComparableRun>();
    const compared: EntryComparison[] = [];
    for (const [name, run] of tonight) {
      const known = await this.knownNights(name, run);
      const one = compareEntry(this.source, name, run, anchors.get(name), known);
      if (one !== null) compared.push(one);
    }
    return { tonight, compared };
  }

  /**
   * Returns earlier runs of an entry in the folder of runs, and the calibration of its hosts, which show how much results differ
   * from night to night. Nights with a change are left out as unchangedRuns() says. Undefined if the entry is compared with an
   * anchor (reference build measured in the same suite), which such differences do not affect, or has no stored baseline.
   * @param entry name of the entry
   * @param tonight run of the entry in this suite
   */
  private async knownNights(entry: string, tonight: ComparableRun): Promise<KnownNights | undefined> {
    const { baseline, hasAnchor } = this.source;
    const reference = baseline?.entries.find((one) => one.entry === entry);
    if (baseline === null || hasAnchor || reference === undefined) return undefined;
    const runs = await runsLike(this.root, [reference, tonight]);
    const earlier = [];
    for (const run of runs) earlier.push({ run, isChanged: await this.isChanged(run.record.suite?.id) });
    const { kind, id } = baseline.source;
    const zSd = await calibrationFor(this.root, [reference.record, tonight.record]);
    this.isCalibrated ||= zSd !== null;
    const unchanged = unchangedRuns(earlier, {
      startedAt: reference.record.startedAt,
      isChanged: await this.isChanged(kind === 'suite' ? id : undefined),
    });
    return { ...unchanged, zSd };
  }

  /**
   * Returns true if an earlier suite found results slower or faster than its reference, even if a repetition did not confirm it.
   * False if the suite can no longer be read, or was not judged.
   * @param id id of the suite; undefined = the run belongs to no suite, so false
   */
  private isChanged(id: string | undefined): Promise<boolean> {
    if (id === undefined) return Promise.resolve(false);
    const known = this.changedSuites.get(id);
    if (known !== undefined) return known;
    // A suite that can no longer be read does not exclude its runs.
    const found = openSuite(id, this.root).then(
      (suite) => foundChange(suite?.record.gate ?? null),
      () => false,
    );
    this.changedSuites.set(id, found);
    return found;
  }
}

const cellsIn = ({ tonight, compared }: GatePass, { name }: SuiteEntry) => ({
  tonight: tonight.get(name)?.cells ?? [],
  pair: compared.find(({ entry }) => entry === name)?.pair ?? null,
});
