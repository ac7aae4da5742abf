import type { RunPlan, SuiteRecord } from '../../results/schema/index.ts';
import { sanitiseText } from '../../results/text.ts';
import { ranksPhrases } from '../summary.ts';
import { formatCount, formatDuration, plural, shortTransport, wrap } from '../wording.ts';
import { column, fitEnds, line } from './columns.ts';
import { expectedTime, planOnlyText } from './plan.ts';
import { cannotRunLines } from './suite.ts';

/**
 * Returns the output of `suite --plan-only`, with one line per suite entry.
 * @param plans plans of the entries by index; null if an entry cannot run
 * @param folders folders for the suite and its runs, as users type them
 */
export function suitePlanText(
  { name, title, entries }: SuiteRecord,
  plans: readonly (RunPlan | null)[],
  estimateS: number,
  folders: string,
  columns: number,
): string {
  const rows = entries.map((entry, i) => {
    const plan = plans[i] ?? null;
    return {
      entry: entry.name,
      transports: plan?.transports.map((t) => shortTransport(t.name)).join(', ') ?? '-',
      cells: formatCount(entry.cells.expected),
      time: plan === null ? 'cannot run' : expectedTime(plan),
    };
  });
  const widest = (key: 'entry' | 'transports' | 'time', head: string): number =>
    Math.max(head.length, ...rows.map((row) => row[key].length));
  const time = widest('time', 'expected time');
  const room = Math.max(32, columns - 2 - 'configurations'.length - time - 6);
  // Users type names of entries for --only, so names of transports are cut instead.
  const leastTransports = 'transports'.length;
  const entry = Math.min(widest('entry', 'entry'), room - leastTransports);
  const transports = Math.min(widest('transports', 'transports'), room - entry);
  const table = [
    column('entry', 'entry', entry, 'left'),
    column('transports', 'transports', transports, 'left'),
    column('cells', 'configurations', 0),
    column('time', 'expected time', time, 'left'),
  ];
  const cells = entries.reduce((sum, one) => sum + one.cells.expected, 0);
  const parts = [
    plural(entries.length, 'entry', 'entries'),
    plural(cells, 'configuration'),
    ranksPhrases(plans.filter((plan) => plan !== null)),
    `about ${formatDuration(estimateS)}`,
  ];
  return [
    ...wrap(sanitiseText(title === name ? name : `${name}: ${title}`), columns, '  '),
    ...wrap(parts.filter((part) => part !== '').join(' · '), columns - 2, '').map((part) => `  ${part}`),
    '',
    `  ${line(table, Object.fromEntries(table.map(({ key, head }) => [key, head])))}`,
    ...rows.map((row) => `  ${sanitiseText(line(table, { ...row, entry: fitEnds(row.entry, entry) }))}`),
    '',
    ...cannotRunLines(entries, columns),
    `  folder: ${sanitiseText(folders)}`,
    '',
    planOnlyText('--plan-only --json'),
  ].join('\n');
}
