// The smallest change that the gate detects in each size range.
import { type Regime, regimeText } from '../../results/derive/cell-group.ts';
import { effectText } from '../../results/judge/verdict-text.ts';
import type { GateResult } from '../../results/schema/index.ts';
import { column, fitEnds, line } from '../terminal/columns.ts';
import { wrap } from '../wording.ts';

const bySize: readonly Regime[] = ['small', 'mid', 'large'];
const heads: Record<Regime, string> = { small: '<= 32 KiB', mid: '< 4 MiB', large: '>= 4 MiB', all: 'all' };
const shortHeads: Record<Regime, string> = { small: '<=32K', mid: '<4M', large: '>=4M', all: 'all' };
/** Width of the terminal in characters below which column heads are abbreviated. */
const narrow = 64;

/** Smallest changes that the gate would detect in one series of one suite entry (a benchmark command of the suite). */
export interface DetectionRow {
  entry: string;
  series: string;
  /** Smallest detectable change in each size range: "1.2 %" or "none"; absent if the series has no such sizes. */
  sees: Partial<Record<Regime, string>>;
}

export function detectionRows({ groups }: GateResult): DetectionRow[] {
  const rows = new Map<string, DetectionRow>();
  for (const group of groups) {
    const { entry, title, change } = group;
    const regime = regimeOfKey(group.key);
    const series = title.replace(`, ${regimeText[regime]}`, '');
    const row = rows.get(`${entry}\n${series}`) ?? { entry, series, sees: {} };
    row.sees[regime] = change.detectable === null ? 'none' : effectText(change.detectable);
    rows.set(`${entry}\n${series}`, row);
  }
  return [...rows.values()];
}

/**
 * Returns the size range (small, mid, large, all) that a key contains as its last part.
 * @param key key of a series and size range (results/derive/cell-group.ts)
 */
const regimeOfKey = (key: string): Regime => {
  const last = key.slice(key.lastIndexOf('/') + 1);
  return bySize.find((regime) => regime === last) ?? 'all';
};

/** Returns the columns of the table: the three size ranges if any row has one of them, and "all" if any workload has no sizes. */
export function detectionRegimes(rows: readonly DetectionRow[]): Regime[] {
  const has = (regime: Regime) => rows.some(({ sees }) => sees[regime] !== undefined);
  return [...(bySize.some(has) ? bySize : []), ...(has('all') ? (['all'] as const) : [])];
}

/** True if the gate would detect a change of any amount in at least one size range. */
export const canDetect = ({ groups }: GateResult): boolean =>
  groups.some(({ change }) => change.detectable !== null);
/** Sentence that replaces the table if no change would be detected in any size range. */
export const noneDetectable = 'smallest detectable change: none in any size range';

const mostRows = 30;

/**
 * Returns lines for a terminal: per series the smallest detectable change in each size range. If no change is detectable at
 * all, returns one sentence instead.
 * @param width width in characters
 */
export function detectionLines(result: GateResult, width: number): string[] {
  const rows = detectionRows(result);
  if (!canDetect(result)) return wrap(noneDetectable, width, '  ');
  const several = (entry: string): boolean => rows.filter((row) => row.entry === entry).length > 1;
  const names = rows.map(({ entry, series }) => (several(entry) ? `${entry}: ${series}` : entry));
  const [shown, figureWidth] = width < narrow ? ([shortHeads, 6] as const) : ([heads, 9] as const);
  const regimes = detectionRegimes(rows);
  const room = Math.max(12, Math.min(60, width - regimes.length * (figureWidth + 2)));
  const columns = [
    column('name', '', room, 'left', 0),
    ...regimes.map((regime) => column(regime, '', figureWidth)),
  ];
  const more = rows.length - mostRows;
  return [
    line(columns, { name: fitEnds('smallest detectable change', room), ...shown }),
    ...rows.slice(0, mostRows).map(({ sees }, i) =>
      line(columns, {
        name: `  ${fitEnds(names[i] ?? '', room - 2)}`,
        ...Object.fromEntries(regimes.map((regime) => [regime, sees[regime] ?? ''])),
      }),
    ),
    ...(more > 0 ? [`  and ${more} more: suite.json`] : []),
  ];
}
