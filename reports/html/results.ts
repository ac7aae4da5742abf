import { averageName } from '../charts/averages.ts';
import { averagesOf } from '../charts/index.ts';
import { columnUnit, withUnit } from '../column-units.ts';
import { comparisonSentence } from '../comparison-sentence.ts';
import { isRepeated } from '../repeated.ts';
import { chartedRow, figureText, nounOf } from '../rows.ts';
import type { SeriesGroup } from '../series.ts';
import { comparisonsOf } from '../series-comparison.ts';
import { sideBySideOf } from '../side-by-side.ts';
import { formatPercent, formatRatio, formatTime, shortTransport } from '../wording.ts';
import { html, type SafeHtml, table } from './markup.ts';

const dash = '–';

/**
 * Returns one paragraph per pair of series: which is faster at which x, and the x at which the order changes. Empty if nothing
 * is compared.
 */
export function crossings(group: SeriesGroup): SafeHtml {
  const comparisons = comparisonsOf(group);
  if (comparisons.length === 0) return html``;
  return html`${comparisons.map((c) => {
    const said = comparisonSentence(c, { absolute: true });
    const points = c.crossovers.map(
      ({ x, low, high }) =>
        `The two cross at ${c.x.about(x)}; between ${c.x.about(low)} and ${c.x.about(high)} the intervals leave it open. `,
    );
    return html`<p>${said}. ${points}</p>`;
  })}`;
}

/**
 * Returns a table that compares groups of ranks that worked at the same time, one row per x and transport. Empty if the ranks
 * were not divided into groups.
 * @param number table number
 */
export function sideBySideTable(group: SeriesGroup, number: number): SafeHtml {
  const rows = sideBySideOf(group);
  type Row = (typeof rows)[number];
  const at = ({ name, timeNs }: Row['slowest']) => `${name}, ${formatTime(timeNs)}`;
  const charted = chartedRow(group.row);
  const sum =
    charted === undefined
      ? { meaning: '', columns: [] }
      : {
          meaning: ` together is the sum of the ${charted.title}s;`,
          columns: [
            {
              head: 'together',
              number: true,
              cell: ({ together }: Row) =>
                together === null ? dash : figureText(together.of.unit, together.value),
            },
          ],
        };
  return table(
    html`<b>Table ${number}. Groups of ranks at the same time.</b> The slowest is marked where its whole 95 % interval is above those of the others;${sum.meaning} side by side is the smallest share of its time in which a group worked at the same time as all others.`,
    [
      { head: group.x.noun, number: true, cell: (r: Row) => group.x.text(r.x) },
      { head: 'over', cell: (r: Row) => shortTransport(r.transport) },
      { head: 'groups', number: true, cell: (r: Row) => r.members },
      { head: 'slowest', cell: (r: Row) => at(r.slowest) },
      { head: 'fastest', cell: (r: Row) => at(r.fastest) },
      { head: 'ratio', number: true, cell: (r: Row) => formatRatio(r.ratio) },
      { head: 'stands out', cell: (r: Row) => (r.standsOut ? 'yes' : 'no') },
      ...sum.columns,
      { head: 'side by side', number: true, cell: (r: Row) => formatPercent(r.overlap) },
    ],
    rows,
  );
}

export function averageTable(groups: readonly SeriesGroup[], number: number): SafeHtml {
  const rows = averagesOf(groups);
  type Row = (typeof rows)[number];
  const noun = nounOf(groups.map(({ row }) => row));
  const figures = new Map(
    rows.flatMap(({ rates, group }) =>
      rates.filter(({ of }) => !isRepeated(group, of.name)).map(({ of }) => [of.name, of] as const),
    ),
  );
  const times = columnUnit(
    'ns',
    rows.map(({ meanTimeNs }) => meanTimeNs),
  );
  return table(
    html`<b>Table ${number}. Averages per ${noun}.</b> Over the sizes that every transport measured.`,
    [
      { head: noun, cell: (r: Row) => averageName(r, rows) },
      { head: 'over', cell: (r: Row) => r.series.name },
      { head: 'sizes', number: true, cell: (r: Row) => r.bytes.length },
      { head: 'mean size', number: true, cell: (r: Row) => r.group.x.about(r.meanBytes) },
      { head: withUnit('mean time', times), number: true, cell: (r: Row) => times.text(r.meanTimeNs) },
      ...[...figures.values()].map(({ name, longHead, head, unit }) => {
        const value = ({ rates }: Row) => rates.find(({ of }) => of.name === name)?.GBps ?? null;
        const column = columnUnit(
          unit,
          rows.flatMap((r) => value(r) ?? []),
        );
        return {
          head: withUnit(longHead ?? head, column),
          number: true,
          cell: (r: Row) => {
            const found = value(r);
            return found === null ? dash : column.text(found);
          },
        };
      }),
    ],
    rows,
  );
}
