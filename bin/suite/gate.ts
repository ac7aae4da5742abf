// The gate: tonight held against its anchor or a baseline; what looks slower is measured again before it is called so.
import path from 'node:path';
import { flagMeaning } from '../../reports/gate.ts';
import { plural } from '../../reports/wording.ts';
import {
  changedAround,
  conclude,
  confirm,
  decide,
  type EntryComparison,
  failuresAgain,
  failuresOf,
  learnedFor,
  poolRuns,
  readBaseline,
  suspects,
  unheldCells,
} from '../../results/baseline/index.ts';
import { compareRuns, type LearnedScatter, type ReadRun } from '../../results/compare/index.ts';
import { nightScatter } from '../../results/judge/index.ts';
import type {
  Baseline,
  GateFailure,
  GateResult,
  SuiteArm,
  SuiteEntry,
  SuiteMembership,
  SuiteRecord,
} from '../../results/schema/index.ts';
import { openRun } from '../../results/store/index.ts';
import { CommandError } from '../exit.ts';
import type { SuiteRunner, Work } from './runner.ts';

export interface GateSource {
  baseline: Baseline | null;
  /** Whether the suite measures an anchor. */
  hasAnchor: boolean;
}

/** @throws CommandError a baseline that was named and is not there */
export async function gateSource(
  suiteName: string,
  hasAnchor: boolean,
  { baseline: named, baselines }: { baseline: string | null; baselines: string },
): Promise<GateSource> {
  const baseline = await readBaseline(baselines, named ?? suiteName);
  if (baseline === null && named !== null) {
    throw new CommandError(`--baseline ${named}: there is none in ${baselines}`, [
      `Next: collbench baseline list --baselines ${baselines}`,
    ]);
  }
  return { baseline, hasAnchor };
}

export class Gate {
  private readonly record: SuiteRecord;
  private readonly dir: string;
  private readonly source: GateSource;
  private readonly mustDetect: number;

  constructor(record: SuiteRecord, dir: string, source: GateSource, mustDetect: number) {
    this.record = record;
    this.dir = dir;
    this.source = source;
    this.mustDetect = mustDetect;
  }

  /** @param again measures an entry once more, both arms where there is an anchor */
  async judge(works: readonly Work[], runner: SuiteRunner): Promise<GateResult> {
    const tonight = await this.armOf('tonight', 'first');
    const compared = await this.compare('first', tonight);
    let decision = decide(
      compared.filter((one) => one !== null),
      this.mustDetect,
    );
    const names = suspects(decision);
    for (const work of works.filter(({ ready }) => names.includes(ready.entry.name))) {
      if (!runner.isInterrupted) await runner.measure(work, 'again');
    }
    const tonightAgain = await this.armOf('tonight', 'again');
    const comparedAgain = await this.compare('again', tonightAgain);
    if (names.length > 0) {
      decision = confirm(
        decision,
        comparedAgain.filter((one) => one !== null),
      );
    }
    const cells = [...tonight.values()].flatMap((run) => run.cells);
    const unlike = [...tonight].reduce((sum, [name, run]) => sum + this.learnedOf(run, name).unlike, 0);
    const [pairs, pairsAgain] = [pairsOf(compared), pairsOf(comparedAgain)];
    const passOf = ({ name }: SuiteEntry) => ({
      tonight: tonight.get(name)?.cells ?? [],
      pair: pairs.get(name) ?? null,
    });
    const { entries } = this.record;
    const failures = entries.flatMap((entry): GateFailure[] => {
      const first = passOf(entry);
      const own = failuresOf(entry, first.tonight, first.pair, this.knownCells(entry.name));
      const told = new Set(own.map(({ kind, cell }) => `${kind} ${cell}`));
      const second = failuresAgain(entry, {
        tonight: tonightAgain.get(entry.name)?.cells ?? [],
        pair: pairsAgain.get(entry.name) ?? null,
      });
      return [...own, ...second.filter(({ kind, cell }) => !told.has(`${kind} ${cell}`))];
    });
    return conclude(
      {
        suite: { id: this.record.id, name: this.record.name },
        reference: this.reference(unlike),
        mustDetect: this.mustDetect,
        decision,
        failures,
        changed: changedAround(compared.filter((one) => one !== null)),
        cells,
        unknownCells: entries.reduce((sum, entry) => sum + unheldCells(passOf(entry)), 0),
        goneEntries: this.goneEntries(),
      },
      flagMeaning,
    );
  }

  /** Entries of the baseline that the suite does not have: nothing was measured of them. */
  private goneEntries(): string[] {
    const { baseline, hasAnchor } = this.source;
    const names = new Set(this.record.entries.map(({ name }) => name));
    if (baseline === null || hasAnchor) return [];
    return baseline.entries.flatMap(({ entry }) => (names.has(entry) ? [] : [entry]));
  }

  private knownCells(name: string): number {
    const { baseline, hasAnchor } = this.source;
    if (hasAnchor) return 0;
    return baseline?.entries.find(({ entry }) => entry === name)?.cells.length ?? 0;
  }

  /** Runs of one arm, by entry, each as one. */
  private async armOf(arm: SuiteArm, pass: SuiteMembership['pass']): Promise<Map<string, ReadRun>> {
    const found = new Map<string, ReadRun>();
    for (const entry of this.record.entries) {
      const runs: ReadRun[] = [];
      for (const run of entry.runs) {
        if (run.arm === arm && run.pass === pass) runs.push(await openRun(path.join(this.dir, run.folder)));
      }
      if (runs.length > 0) found.set(entry.name, poolRuns(runs));
    }
    return found;
  }

  private async compare(
    pass: SuiteMembership['pass'],
    tonight: ReadonlyMap<string, ReadRun>,
  ): Promise<(EntryComparison | null)[]> {
    const { hasAnchor } = this.source;
    const anchors = hasAnchor ? await this.armOf('anchor', pass) : new Map<string, ReadRun>();
    return this.record.entries.map((entry: SuiteEntry): EntryComparison | null => {
      const own = tonight.get(entry.name);
      const stored = this.source.baseline?.entries.find((one) => one.entry === entry.name);
      const reference = hasAnchor ? anchors.get(entry.name) : stored;
      if (own === undefined || reference === undefined) return null;
      const { used } = this.learnedOf(own, entry.name);
      const learned = new Map(used.map((group) => [group.key, group]));
      const scatter = Object.fromEntries(
        [...learned].map(([key, { cell, group }]): [string, LearnedScatter] => [key, { cell, group }]),
      );
      const { pairs } = compareRuns([reference, own], { learned: scatter });
      const [pair] = pairs;
      if (pair === undefined) return null;
      const night = hasAnchor ? null : (key: string) => nightScatter(learned.get(key)?.night ?? null);
      return { entry: entry.name, pair, night };
    });
  }

  private learnedOf(own: ReadRun, entry: string) {
    const groups = this.source.baseline?.learned?.groups.filter((group) => group.entry === entry) ?? [];
    return learnedFor(groups, own);
  }

  /** @param unlike groups whose scatter was learned of other sizes, or sampled otherwise */
  private reference(unlike: number): GateResult['reference'] {
    const { baseline, hasAnchor } = this.source;
    const nights = baseline?.learned?.from.length ?? 0;
    const unused =
      unlike === 0
        ? ''
        : `; not for ${plural(unlike, 'group')}, learned of other sizes or another sampling (collbench baseline learn)`;
    if (hasAnchor) {
      const scatter = nights > 0 ? `; scatter between launches learned from ${nights} runs${unused}` : '';
      return {
        kind: 'anchor',
        name: 'anchor',
        method: `Held against the anchor of the suite, measured in turns with it, launch by launch${scatter}.`,
      };
    }
    if (baseline === null) return null;
    const scatter =
      nights > 0
        ? `scatter between nights learned from ${nights} runs${unused}`
        : 'scatter between nights not learned, 1 % assumed (collbench baseline learn)';
    const { name, setAt, source } = baseline;
    const when = setAt.slice(0, 10);
    return {
      kind: 'baseline',
      name,
      method: `Held against baseline ${name} (${source.kind} ${source.id}, ${when}), which is of another hour: ${scatter}. An anchor would see less of the machine's moods.`,
    };
  }
}

const pairsOf = (compared: readonly (EntryComparison | null)[]): Map<string, EntryComparison['pair']> =>
  new Map(compared.flatMap((one) => (one === null ? [] : [[one.entry, one.pair] as const])));
