import { formatPercent, plural, wrap } from '../../reports/wording.ts';
import { nightScatter } from '../../results/baseline/index.ts';
import { minimumDetectableEffect, usualOptions } from '../../results/compare/index.ts';
import type { Baseline, LearnedGroup } from '../../results/schema/index.ts';

const { groupThreshold, cellThreshold, falseDiscovery } = usualOptions;

/** Smallest change of a group that as many launches would show, against an anchor and against another night. */
export function detectableOf(learned: LearnedGroup, groups: number): { anchor: number; night: number } {
  const { group, launches } = learned;
  const night = nightScatter(learned.night);
  const alpha = falseDiscovery / Math.max(1, groups);
  // With the launches of both sides the variance is known better than it was learned.
  const degrees = group.degrees + 2 * launches - 2;
  const shared = { launches: [launches, launches] as const, alpha, floor: Math.log1p(groupThreshold) };
  const own = (group.variance * 2) / launches;
  const total = own + 2 * night.variance;
  const nights = 2 * night.variance;
  const mixed = total === 0 ? degrees : total ** 2 / (own ** 2 / degrees + nights ** 2 / night.degrees);
  return {
    anchor: minimumDetectableEffect({ ...shared, variance: group.variance, degrees }),
    night: minimumDetectableEffect({
      ...shared,
      variance: (total * launches) / 2,
      degrees: Number.isFinite(mixed) ? mixed : degrees,
    }),
  };
}

/** What a baseline holds, and what it lets see. */
export function baselineText(value: Baseline): string {
  const { name, source, setAt, entries, learned } = value;
  const cells = entries.reduce((sum, entry) => sum + entry.cells.length, 0);
  const lines = [
    `baseline ${name}: ${source.kind} ${source.id}, set ${setAt.slice(0, 16).replace('T', ' ')} UTC`,
    `  ${source.title}`,
    `  ${plural(entries.length, 'entry', 'entries')}, ${plural(cells, 'cell')}: ${entries.map(({ entry }) => entry).join(', ')}`,
  ];
  if (learned === null) {
    return [
      ...lines,
      '  nothing learned of scatter yet. Next: collbench baseline learn RUN RUN ...',
      '',
    ].join('\n');
  }
  const { from, groups } = learned;
  lines.push(
    `  scatter learned from ${from.join(', ')}`,
    `  a change counts from ${formatPercent(groupThreshold)} of a group, ${formatPercent(cellThreshold)} of a size; smallest that would be seen:`,
  );
  for (const one of groups) {
    const { anchor, night } = detectableOf(one, groups.length);
    const sd = (variance: number) => formatPercent(Math.sqrt(variance));
    lines.push(
      ...wrap(`${one.entry}: ${one.title}`, 100, '    ').map((line) => `  ${line}`),
      `    ${formatPercent(anchor)} against an anchor, ${formatPercent(night)} against another night (launches scatter ${sd(one.group.variance)}, nights ${sd(one.night.variance)}, ${plural(one.launches, 'launch', 'launches')})`,
    );
  }
  return `${lines.join('\n')}\n`;
}
