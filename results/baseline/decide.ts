// The rule of stats.md 3.3 over a whole suite: every group and every size of all entries are one family each.
import { usualOptions } from '../compare/options.ts';
import { regimeText } from '../derive/cell-group.ts';
import {
  type Difference,
  differenceOf,
  type Finding,
  judgeFamily,
  type VariancePrior,
  withNights,
} from '../judge/index.ts';
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
  /** Why groups have no verdict that others disturbed, of the first: "disturbed (others used 0.4 -> 0.9 cores)". */
  disturbed: string | null;
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

/** The difference as compare knows it, between other nights less certain. */
function tested(change: Change, night: VariancePrior | null): Tested {
  const { ratio, scatter, degrees, launches } = change;
  if (scatter === null || degrees === null) return { change, difference: null, launches, night };
  const own = { variance: scatter ** 2 * (1 / launches[0] + 1 / launches[1]), degrees };
  const total = withNights(own, night);
  const difference = differenceOf(Math.log(ratio), Math.sqrt(total.variance), total.degrees);
  return { change, difference, launches, night };
}

function gateChange({ change, launches, night }: Tested, found: Finding | null): GateChange {
  const sides = {
    launches: { reference: launches[0], tonight: launches[1] },
    betweenNights: night === null ? null : Math.sqrt(night.variance),
  };
  if (found === null) {
    const none = { lowRatio: null, highRatio: null, pValue: null, adjustedP: null, detectable: null };
    return { ratio: change.ratio, ...none, ...sides };
  }
  const { difference, low, high, p, adjustedP, detectable } = found;
  return {
    ratio: Math.exp(difference),
    lowRatio: Math.exp(low),
    highRatio: Math.exp(high),
    pValue: p,
    adjustedP,
    ...sides,
    detectable: Number.isFinite(detectable) ? detectable : null,
  };
}

type Verdict = Pick<GateGroup, 'verdict' | 'change'>;

/** "same" is said only where what must not be missed would have been seen. */
function verdictsOf(all: readonly Tested[], threshold: number, mustDetect: number): Verdict[] {
  const findings = judgeFamily(all, { threshold, falseDiscovery });
  return all.map((one, i): Verdict => {
    const found = findings[i] ?? null;
    const change = gateChange(one, found);
    const isSeen = change.detectable !== null && change.detectable <= mustDetect;
    const verdict: GateVerdict = found?.change ?? (isSeen ? 'same' : 'unclear');
    return { verdict, change };
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
  const ofGroups = verdictsOf(
    groups.map(({ one, group }) => tested(group.change, nightOf(one, group.key))),
    groupThreshold,
    mustDetect,
  );
  const ofCells = verdictsOf(
    cells.map(({ one, cell }) => tested(cell.change, nightOf(one, cell.group))),
    cellThreshold,
    mustDetect,
  );
  const titles = new Map<string, string>();
  const decided = groups.map(({ one, group }, i): GateGroup => {
    const title = `${group.title}, ${regimeText[group.regime]}`;
    titles.set(`${one.entry} ${group.key}`, title);
    return {
      entry: one.entry,
      title,
      ...(ofGroups[i] as Verdict),
      confirmation: null,
      key: group.key,
      xs: group.xs,
      variance: group.change.scatterFrom === 'learned' ? 'learned' : 'launches',
      reason: group.change.p === null ? group.change.reason : null,
    };
  });
  const disturbed = groups.find(({ group }) => group.change.verdict === 'disturbed');
  return {
    disturbed: disturbed?.group.change.reason ?? null,
    groups: decided,
    cells: cells.map(
      ({ one, cell }, i): GateCell => ({
        entry: one.entry,
        title: titles.get(`${one.entry} ${cell.group}`) ?? cell.group,
        ...(ofCells[i] as Verdict),
        confirmation: null,
        id: cell.id,
        group: cell.group,
        x: cell.x,
      }),
    ),
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
    const [alone = null] = judgeFamily([second], { threshold, falseDiscovery });
    const confirmation = gateChange(second, alone);
    const { difference } = second;
    const isAgain = difference.p < confirmP && difference.difference >= Math.log1p(threshold);
    return { ...found, confirmation, verdict: isAgain ? 'slower' : 'transient' };
  };
  return {
    ...decision,
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
