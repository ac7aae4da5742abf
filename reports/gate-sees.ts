// The smallest change that the gate would have seen in each group: what a green light is worth.
import { type Regime, regimeOf, regimeText } from '../results/derive/cell-group.ts';
import type { GateResult } from '../results/schema/index.ts';
import { column, fit, line } from './terminal/columns.ts';
import { formatPercent } from './wording.ts';

const regimes = ['small', 'mid', 'large'] as const satisfies readonly Regime[];
const heads: Record<Regime, string> = { small: '<= 32 KiB', mid: '< 4 MiB', large: '>= 4 MiB' };
const shortHeads: Record<Regime, string> = { small: '<=32K', mid: '<4M', large: '>=4M' };
/** Characters below which lines are short. */
const narrow = 64;

/** One series of one entry. */
export interface SeesRow {
  entry: string;
  series: string;
  /** "1.2 %", "nothing"; absent = no such sizes. */
  sees: Partial<Record<Regime, string>>;
}

export function seesRows({ groups }: GateResult): SeesRow[] {
  const rows = new Map<string, SeesRow>();
  for (const group of groups) {
    const { entry, title, change, sizes } = group;
    const regime = regimeOf(Math.min(...sizes));
    const series = title.replace(`, ${regimeText[regime]}`, '');
    const row = rows.get(`${entry}\n${series}`) ?? { entry, series, sees: {} };
    row.sees[regime] = change.detectable === null ? 'nothing' : formatPercent(change.detectable);
    rows.set(`${entry}\n${series}`, row);
  }
  return [...rows.values()];
}

const mostRows = 30;

/** A line per series, within the width of the terminal. */
export function seesLines(result: GateResult, width: number): string[] {
  const rows = seesRows(result);
  const several = (entry: string): boolean => rows.filter((row) => row.entry === entry).length > 1;
  const names = rows.map(({ entry, series }) => (several(entry) ? `${entry}: ${series}` : entry));
  const [shown, figureWidth] = width < narrow ? ([shortHeads, 6] as const) : ([heads, 9] as const);
  const room = Math.max(12, Math.min(60, width - 3 * (figureWidth + 2)));
  const columns = [
    column('name', '', room, 'left', 0),
    ...regimes.map((regime) => column(regime, '', figureWidth)),
  ];
  const more = rows.length - mostRows;
  return [
    line(columns, { name: fit('smallest visible change', room), ...shown }),
    ...rows.slice(0, mostRows).map(({ sees }, i) =>
      line(columns, {
        name: fit(`  ${names[i]}`, room),
        ...Object.fromEntries(regimes.map((regime) => [regime, sees[regime] ?? ''])),
      }),
    ),
    ...(more > 0 ? [`  and ${more} more: suite.json`] : []),
  ];
}
