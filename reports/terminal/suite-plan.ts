import type { RunPlan, SuiteRecord } from '../../results/schema/index.ts';
import { sanitiseText } from '../../results/text.ts';
import { tableOf } from '../document/blocks.ts';
import { terminalLines } from '../document/terminal.ts';
import { ranksPhrases } from '../summary.ts';
import { formatCount, formatDuration, plural, shortTransport, wrap } from '../wording.ts';
import { fitEnds } from './columns.ts';
import { expectedTime, planOnlyText } from './plan.ts';
import { cannotRunLines } from './suite.ts';

/**
 * Returns the output of `suite --plan-only`, with one line per suite entry.
 * @param plans plans of the entries, in the order of the entries; null if an entry cannot run
 * @param estimateS estimated duration in seconds
 * @param folders folders for the suite and its runs, as users type them
 */
export function suitePlanText(
  { name, title, entries }: SuiteRecord,
  plans: readonly (RunPlan | null)[],
  estimateS: number,
  folders: string,
  columns: number,
): string {
  const rows = entries.map((entry, i) => ({ entry, plan: plans[i] ?? null }));
  // Names of transports are cut before names of entries, because users type names of entries for --only.
  const table = tableOf<(typeof rows)[number]>(
    [
      { head: 'entry', cell: ({ entry }) => fitEnds(entry.name, Math.max(32, columns - 45)) },
      {
        head: 'transports',
        minWidth: 10,
        cell: ({ plan }) => plan?.transports.map((t) => shortTransport(t.name)).join(', ') ?? null,
      },
      { head: 'configurations', align: 'right', cell: ({ entry }) => formatCount(entry.cells.expected) },
      { head: 'expected time', cell: ({ plan }) => (plan === null ? 'cannot run' : expectedTime(plan)) },
    ],
    rows,
  );
  const cells = entries.reduce((sum, one) => sum + one.cells.expected, 0);
  const parts = [
    plural(entries.length, 'entry', 'entries'),
    plural(cells, 'configuration'),
    ranksPhrases(plans.filter((plan) => plan !== null)),
    `about ${formatDuration(estimateS)}`,
  ];
  return [
    ...wrap(sanitiseText(title === name ? name : `${name}: ${title}`), columns, '  '),
    ...wrap(`  ${parts.filter((part) => part !== '').join(' · ')}`, columns),
    '',
    ...terminalLines([table], { columns: columns - 2, color: false }).map((text) => `  ${text}`),
    '',
    ...cannotRunLines(entries, columns),
    `  folder: ${sanitiseText(folders)}`,
    '',
    planOnlyText('--plan-only --json'),
  ].join('\n');
}
