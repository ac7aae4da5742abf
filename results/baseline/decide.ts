// The rule of stats.md 3.3 over a whole suite: every group and every size of all entries are one family each.
import { benjaminiHochberg } from '../compare/benjamini-hochberg.ts';
import { minimumDetectableEffect } from '../compare/detectable.ts';
import { type Difference, differenceOf } from '../compare/difference.ts';
import { usualOptions } from '../compare/options.ts';
import { regimeText } from '../derive/cell-group.ts';
import type { VariancePrior } from '../derive/launches.ts';
import type { Change, GateCell, GateChange, GateGroup, GateVerdict, PairOfRuns } from '../schema/index.ts';

/** One entry of tonight held against its reference by results/compare. */
export interface EntryComparison {
  entry: string;
  pair: PairOfRuns;
  /** Scatter between nights, by group; null where both were measured in turns the same night. */
  night: ((group: string) => VariancePrior) | null;
}

export interface Decision {
  groups: GateGroup[];
  cells: GateCell[];
}

const { groupThreshold, cellThreshold, falseDiscovery } = usualOptions;
/** Step 3: a second measurement is one test of its own. */
const confirmP = 0.05;
const confirmCell = 0.03;

interface Tested {
  change: Change;
  difference: Difference | null;
  launches: [number, number];
  night: VariancePrior | null;
}

/** A night more or less: the scatter of both sides' nights is added to that of their launches (Satterthwaite 1946). */
function tested(change: Change, night: VariancePrior | null): Tested {
  const { ratio, scatter, degrees, launches } = change;
  if (scatter === null || degrees === null) return { change, difference: null, launches, night };
  const own = scatter ** 2 * (1 / launches[0] + 1 / launches[1]);
  const nights = night === null ? 0 : 2 * night.variance;
  const total = own + nights;
  const effective =
    nights === 0 || total === 0
      ? degrees
      : total ** 2 / (own ** 2 / degrees + nights ** 2 / (night as VariancePrior).degrees);
  const difference = differenceOf(Math.log(ratio), Math.sqrt(total), effective);
  return { change, difference, launches, night };
}

function changesOf(all: readonly Tested[], threshold: number): GateChange[] {
  const known = all.filter(({ difference }) => difference !== null);
  const adjusted = benjaminiHochberg(known.map(({ difference }) => (difference as Difference).p));
  const alpha = falseDiscovery / Math.max(1, known.length);
  return all.map((one): GateChange => {
    const { difference, launches, change, night } = one;
    const sides = {
      launches: { reference: launches[0], tonight: launches[1] },
      betweenNights: night === null ? null : Math.sqrt(night.variance),
    };
    if (difference === null) {
      const none = { lowRatio: null, highRatio: null, pValue: null, adjustedP: null, detectable: null };
      return { ratio: change.ratio, ...none, ...sides };
    }
    const { degrees, standardError } = difference;
    const variance = standardError ** 2 / (1 / launches[0] + 1 / launches[1]);
    const detectable = minimumDetectableEffect({
      ...{ variance, degrees, launches, alpha },
      floor: Math.log1p(threshold),
    });
    return {
      ratio: Math.exp(difference.difference),
      lowRatio: Math.exp(difference.low),
      highRatio: Math.exp(difference.high),
      pValue: difference.p,
      adjustedP: adjusted[known.indexOf(one)] as number,
      ...sides,
      detectable: Number.isFinite(detectable) ? detectable : null,
    };
  });
}

function verdictOf(change: GateChange, threshold: number, mustDetect: number): GateVerdict {
  const { ratio, adjustedP, detectable } = change;
  const isLarge = Math.abs(Math.log(ratio)) >= Math.log1p(threshold);
  if (adjustedP !== null && adjustedP <= falseDiscovery && isLarge) return ratio > 1 ? 'slower' : 'faster';
  return detectable === null || detectable > mustDetect ? 'unclear' : 'same';
}

/**
 * Steps 1 and 2: which groups and sizes look changed. `slower` is a suspicion until confirm() has seen it again.
 * @param mustDetect smallest relative change that must not stay unseen
 */
export function decide(entries: readonly EntryComparison[], mustDetect: number): Decision {
  const nightOf = ({ night }: EntryComparison, key: string) => night?.(key) ?? null;
  const groups = entries.flatMap((one) => one.pair.groups.map((group) => ({ one, group })));
  const cells = entries.flatMap((one) => one.pair.cells.map((cell) => ({ one, cell })));
  const groupChanges = changesOf(
    groups.map(({ one, group }) => tested(group.change, nightOf(one, group.key))),
    groupThreshold,
  );
  const cellChanges = changesOf(
    cells.map(({ one, cell }) => tested(cell.change, nightOf(one, cell.group))),
    cellThreshold,
  );
  const titles = new Map<string, string>();
  const decided = groups.map(({ one, group }, i): GateGroup => {
    const change = groupChanges[i] as GateChange;
    const title = `${group.title}, ${regimeText[group.regime]}`;
    titles.set(`${one.entry} ${group.key}`, title);
    return {
      entry: one.entry,
      title,
      verdict: verdictOf(change, groupThreshold, mustDetect),
      change,
      confirmation: null,
      key: group.key,
      xs: group.xs,
      variance: group.change.scatterFrom === 'learned' ? 'learned' : 'launches',
    };
  });
  return {
    groups: decided,
    cells: cells.map(({ one, cell }, i): GateCell => {
      const change = cellChanges[i] as GateChange;
      return {
        entry: one.entry,
        title: titles.get(`${one.entry} ${cell.group}`) ?? cell.group,
        verdict: verdictOf(change, cellThreshold, mustDetect),
        change,
        confirmation: null,
        id: cell.id,
        group: cell.group,
        x: cell.x,
      };
    }),
  };
}

/** Entries that must be measured again before anything is called a regression. */
export function suspects({ groups, cells }: Decision): string[] {
  const slower = [...groups, ...cells].filter(({ verdict }) => verdict === 'slower');
  return [...new Set(slower.map(({ entry }) => entry))];
}

/**
 * Step 3: fresh launches of both sides. Slower again, p < 0.05 and by 2 % (a size: 3 %): a regression. Else it was
 * transient; what could not be measured again stays a suspicion.
 */
export function confirm(decision: Decision, again: readonly EntryComparison[]): Decision {
  const byEntry = new Map(again.map((one) => [one.entry, one]));
  const settle = <T extends GateGroup | GateCell>(
    found: T,
    change: Change | undefined,
    key: string,
    threshold: number,
  ): T => {
    if (found.verdict !== 'slower') return found;
    const night = byEntry.get(found.entry)?.night?.(key) ?? null;
    const second = change === undefined ? null : tested(change, night);
    if (second === null || second.difference === null) return { ...found, verdict: 'suspected' };
    const [confirmation] = changesOf([second], threshold) as [GateChange];
    const { difference } = second;
    const isAgain = difference.p < confirmP && difference.difference >= Math.log1p(threshold);
    return { ...found, confirmation, verdict: isAgain ? 'slower' : 'transient' };
  };
  return {
    groups: decision.groups.map((found) => {
      const { pair } = byEntry.get(found.entry) ?? {};
      const match = pair?.groups.find(({ key }) => key === found.key);
      return settle(found, match?.change, found.key, groupThreshold);
    }),
    cells: decision.cells.map((found) => {
      const { pair } = byEntry.get(found.entry) ?? {};
      const match = pair?.cells.find(({ id }) => id === found.id);
      return settle(found, match?.change, found.group, confirmCell);
    }),
  };
}
