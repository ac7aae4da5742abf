// Bounds of an operation's time that are known without an experiment: from the rates of links and of copies in memory, and from
// recorded runs.
import type { ReferenceRun } from '../../results/reference-runs.ts';
import { type CellRecord, isCollective, type KnownBound, wholeNsOf } from '../../results/schema/index.ts';
import { busFactor } from '../../results/schema/workloads/collective/formulas.ts';
import { ceilingsOfSeries } from '../ceiling.ts';
import { cellAt, groupsOf, isOk, type SeriesSource } from '../series.ts';
import { formatBandwidth } from '../wording.ts';

/**
 * Returns the known bounds of the time of each configuration that has a result; the list may be empty. The rate of a link or of
 * copies bounds a collective: the time in which each rank sends the bytes that the collective must move (bus factor times payload).
 * The time of a recorded run of a similar machine is no physical limit, but is known to be possible.
 */
export function knownBounds(
  run: SeriesSource,
  references: readonly ReferenceRun[],
): ReadonlyMap<CellRecord, KnownBound[]> {
  const found = new Map<CellRecord, KnownBound[]>();
  const recorded = references.map(({ name, machine, run: one }) => ({
    name,
    machine,
    groups: groupsOf([one]),
  }));
  for (const group of groupsOf([run]))
    for (const series of group.series) {
      const rates = ceilingsOfSeries(series);
      const like = recorded.flatMap(({ name, machine, groups }) => {
        const other = groups
          .find(({ key }) => key === group.key)
          ?.series.find((one) => one.transport === series.transport && one.medium === series.medium);
        return other === undefined ? [] : [{ other, title: `recorded run ${name} (${machine})` }];
      });
      for (const { x, cell } of series.slots) {
        if (cell === null || !isOk(cell)) continue;
        const { axes, ranks } = cell;
        const factor = isCollective(axes.collective) ? busFactor(axes.collective, ranks) : null;
        found.set(cell, [
          ...(factor === null
            ? []
            : rates.map(
                ({ of, name, busGBps }): KnownBound => ({
                  kind: of,
                  title: `${name} at ${formatBandwidth(busGBps)}`,
                  ns: (factor * Number(axes.bytes)) / busGBps,
                }),
              )),
          ...like.flatMap(({ other, title }): KnownBound[] => {
            const theirs = cellAt(other, x);
            const ns = isOk(theirs) ? wholeNsOf(theirs) : null;
            return ns === null ? [] : [{ kind: 'reference', title, ns }];
          }),
        ]);
      }
    }
  return found;
}
