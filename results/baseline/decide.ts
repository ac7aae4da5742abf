// The rule of stats.md 3.3 over a whole suite: every group and every size of all entries are one family each.
import { usualOptions } from '../compare/options.ts';
import { regimeText } from '../derive/cell-group.ts';
import type { VariancePrior } from '../derive/launches.ts';
import { againstNight, decideAll, isChange, type Rule, type Test } from '../judge/index.ts';
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
const ofGroups: Rule = { threshold: groupThreshold, falseDiscovery };
const ofCells: Rule = { threshold: cellThreshold, falseDiscovery };
/** Step 3: a second measurement is one test of its own. */
const confirmP = 0.05;
const confirmCell = 0.03;

interface Found {
  change: Change;
  night: VariancePrior | null;
}

function testOf({ change: { ratio, scatter, degrees, launches }, night }: Found): Test {
  if (scatter === null || degrees === null) return { difference: null, launches };
  const variance = scatter ** 2 * (1 / launches[0] + 1 / launches[1]);
  return { difference: againstNight(Math.log(ratio), { variance, degrees }, night), launches };
}

interface Judged {
  verdict: GateVerdict;
  change: GateChange;
}

/** @param mustDetect smallest relative change that must not stay unseen */
function judgedOf(all: readonly Found[], rule: Rule, mustDetect: number): Judged[] {
  return decideAll(all.map(testOf), rule).map((decided, i): Judged => {
    const { change, night } = all[i] as Found;
    const [reference, tonight] = change.launches;
    const sides = {
      launches: { reference, tonight },
      betweenNights: night === null ? null : Math.sqrt(night.variance),
    };
    if (decided === null) {
      const none = { lowRatio: null, highRatio: null, pValue: null, adjustedP: null, detectable: null };
      return { verdict: 'unclear', change: { ratio: change.ratio, ...none, ...sides } };
    }
    const { difference, low, high, p } = decided.difference;
    const detectable = Number.isFinite(decided.detectable) ? decided.detectable : null;
    const isSeen = detectable !== null && detectable <= mustDetect;
    return {
      verdict: decided.change ?? (isSeen ? 'same' : 'unclear'),
      change: {
        ratio: Math.exp(difference),
        lowRatio: Math.exp(low),
        highRatio: Math.exp(high),
        pValue: p,
        adjustedP: decided.adjustedP,
        ...sides,
        detectable,
      },
    };
  });
}

/**
 * Steps 1 and 2: which groups and sizes look changed. `slower` is a suspicion until confirm() has seen it again.
 * @param mustDetect smallest relative change that must not stay unseen
 */
export function decide(entries: readonly EntryComparison[], mustDetect: number): Decision {
  const nightOf = ({ night }: EntryComparison, key: string) => night?.(key) ?? null;
  const groups = entries.flatMap((one) => one.pair.groups.map((group) => ({ one, group })));
  const cells = entries.flatMap((one) => one.pair.cells.map((cell) => ({ one, cell })));
  const judgedGroups = judgedOf(
    groups.map(({ one, group }) => ({ change: group.change, night: nightOf(one, group.key) })),
    ofGroups,
    mustDetect,
  );
  const judgedCells = judgedOf(
    cells.map(({ one, cell }) => ({ change: cell.change, night: nightOf(one, cell.group) })),
    ofCells,
    mustDetect,
  );
  const titles = new Map<string, string>();
  const decided = groups.map(({ one, group }, i): GateGroup => {
    const title = `${group.title}, ${regimeText[group.regime]}`;
    titles.set(`${one.entry} ${group.key}`, title);
    return {
      entry: one.entry,
      title,
      ...(judgedGroups[i] as Judged),
      confirmation: null,
      key: group.key,
      xs: group.xs,
      variance: group.change.scatterFrom === 'learned' ? 'learned' : 'launches',
    };
  });
  return {
    groups: decided,
    cells: cells.map(({ one, cell }, i): GateCell => {
      return {
        entry: one.entry,
        title: titles.get(`${one.entry} ${cell.group}`) ?? cell.group,
        ...(judgedCells[i] as Judged),
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
    const difference = change === undefined ? null : testOf({ change, night }).difference;
    if (change === undefined || difference === null) return { ...found, verdict: 'suspected' };
    const [second] = judgedOf([{ change, night }], { threshold, falseDiscovery }, 0);
    const bar = { p: confirmP, smallest: Math.log1p(threshold) };
    const isAgain = difference.difference > 0 && isChange(difference, bar);
    return { ...found, confirmation: second?.change ?? null, verdict: isAgain ? 'slower' : 'transient' };
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
