// Texts that a run prints in addition to its table rows.
import type { QuietWait } from '../../results/schema/index.ts';
import { formatDuration, plural } from '../../results/units.ts';
import type { HostBusyness } from '../session/quiet.ts';

const busyText = (busy: readonly HostBusyness[]): string =>
  busy
    .flatMap(({ host, cores, of, limit }) =>
      cores === null || cores < limit
        ? []
        : [`${cores.toFixed(2)} of ${of} cores on ${host} (limit ${limit.toFixed(2)})`],
    )
    .join(', ');

/**
 * Returns a note such as "waiting for quiet machines, at most 10 min: other processes use 1.02 of 2 cores on localhost (limit
 * 0.20)". Hosts in `busy` that are quiet, or whose load is unknown, are left out.
 * @param busy all hosts of the run
 * @param limitS maximum seconds to wait
 */
export function waitingText(busy: readonly HostBusyness[], limitS: number): string {
  const limit = `waiting for quiet machines, at most ${formatDuration(limitS)}`;
  const used = busyText(busy);
  return used === '' ? limit : `${limit}: other processes use ${used}`;
}

export function quietWaitText({ seconds, isQuiet, busyCores }: QuietWait): string {
  if (isQuiet) return `machines quiet after ${formatDuration(seconds)}`;
  const used = Object.entries(busyCores).map(
    ([host, cores]) => `${cores === null ? '?' : cores.toFixed(2)} cores on ${host}`,
  );
  return `not quiet after ${formatDuration(seconds)} (others use ${used.join(', ')}): measuring anyway, disturbed figures are flagged`;
}

export const retryText = (cells: number, all: number, seconds: number): string =>
  `${cells} of ${plural(all, 'configuration')} disturbed: measuring ${cells === 1 ? 'it' : 'them'} again (${formatDuration(Math.max(1, seconds))} or more)`;

export const retryBudgetText = (cells: number, all: number): string =>
  `${cells} of ${plural(all, 'configuration')} disturbed: the budget is spent, ${cells === 1 ? 'it is' : 'they are'} not measured again (more with --budget)`;

/**
 * Returns a line about warnings that were not shown because they repeat shown ones. The log of the run, which it names, has them.
 * @param count number of warnings that were not shown
 * @param dir folder of the run
 */
export const repeatsText = (count: number, dir: string): string =>
  `${plural(count, 'more warning')} like those above: ${dir}/logs/session.log`;
