import { compareRuns, type LearnedScatter, type ReadRun } from '../compare/index.ts';
import { assumedRunScatter, nightScatter } from '../judge/index.ts';
import { type Baseline, type GateResult, partsOfKey } from '../schema/index.ts';
import { percentText, plural } from '../units.ts';
import type { EntryComparison } from './decide.ts';
import { learnedFor } from './scatter.ts';

/** What tonight is held against: an anchor, measured in turns with it, or a baseline. */
export interface GateSource {
  baseline: Baseline | null;
  /** Whether the suite measures an anchor. */
  hasAnchor: boolean;
}

const learnedOf = ({ baseline }: GateSource, tonight: ReadRun, entry: string) =>
  learnedFor(baseline?.learned?.groups.filter((group) => group.entry === entry) ?? [], tonight);

/**
 * One entry against its reference.
 * @param anchor as measured; undefined where there is none
 * @returns null where there is nothing to hold it against
 */
export function compareEntry(
  source: GateSource,
  entry: string,
  tonight: ReadRun,
  anchor: ReadRun | undefined,
): EntryComparison | null {
  const reference = source.hasAnchor ? anchor : baselineEntry(source, entry);
  if (reference === undefined) return null;
  const learned = new Map(learnedOf(source, tonight, entry).used.map((group) => [group.key, group]));
  const scatter = Object.fromEntries(
    [...learned].map(([key, { cell, group }]): [string, LearnedScatter] => [key, { cell, group }]),
  );
  const [pair] = compareRuns([reference, tonight], {
    learned: scatter,
    // Launches of an anchor take turns with those of tonight: load hits both alike.
    allow: source.hasAnchor ? ['disturbed'] : [],
  }).pairs;
  if (pair === undefined) return null;
  const night = source.hasAnchor
    ? null
    : (key: string) => nightScatter(learned.get(key)?.night ?? null, transportOf(key));
  return { entry, pair, night };
}

/** Transport of a group, by its key. */
const transportOf = (key: string): string | null => partsOfKey(key).get('transport') ?? null;

/** "1 %", or "1 to 4 %" with several transports. */
function assumedText({ entries }: Baseline): string {
  const cells = entries.flatMap((one) => one.cells);
  const sds = cells.map(({ transport }) => Math.sqrt(assumedRunScatter(transport).variance));
  const [low, high] = [Math.min(...sds), Math.max(...sds)];
  return cells.length === 0 || low === high
    ? percentText(low)
    : `${percentText(low)} to ${percentText(high)}`;
}

const baselineEntry = ({ baseline }: GateSource, entry: string) =>
  baseline?.entries.find((one) => one.entry === entry);

/** Cells of an entry that a baseline has: what cannot run any more is then missing. */
export const knownCells = (source: GateSource, entry: string): number =>
  source.hasAnchor ? 0 : (baselineEntry(source, entry)?.cells.length ?? 0);

/** Entries of the baseline that the suite does not have: nothing was measured of them. */
export function goneEntries({ baseline, hasAnchor }: GateSource, names: readonly string[]): string[] {
  if (baseline === null || hasAnchor) return [];
  return baseline.entries.flatMap(({ entry }) => (names.includes(entry) ? [] : [entry]));
}

/** The reference in words. @param tonight by entry */
export function referenceOf(
  source: GateSource,
  tonight: ReadonlyMap<string, ReadRun>,
): GateResult['reference'] {
  const { baseline, hasAnchor } = source;
  const nights = baseline?.learned?.from.length ?? 0;
  const unlike = [...tonight].reduce((sum, [name, run]) => sum + learnedOf(source, run, name).unlike, 0);
  const unused =
    unlike === 0
      ? ''
      : `; not for ${plural(unlike, 'size range')}, learned of other sizes or another sampling (collbench baseline learn)`;
  if (hasAnchor) {
    const scatter = nights > 0 ? `; scatter between launches learned from ${nights} runs${unused}` : '';
    return {
      kind: 'anchor',
      name: 'anchor',
      method: `Compared with the reference build of the suite, interleaved with it launch by launch${scatter}.`,
    };
  }
  if (baseline === null) return null;
  const scatter =
    nights > 0
      ? `scatter between nights learned from ${nights} runs${unused}`
      : `scatter between nights not learned, ${assumedText(baseline)} assumed by transport (collbench baseline learn)`;
  const { name, setAt, source: of } = baseline;
  const when = setAt.slice(0, 10);
  return {
    kind: 'baseline',
    name,
    method: `Compared with baseline ${name} (${of.kind} ${of.id}, ${when}), measured at another time: ${scatter}. A reference build would cancel drift of the machine.`,
  };
}
