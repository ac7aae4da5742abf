// Terminal output of `collbench pairs`: what will be measured, the matrices, and the slow pairs.
import pc from 'picocolors';
import {
  isClean,
  membersPhrase,
  notReached,
  type PairsOverview,
  pairsOverview,
} from '../../results/derive/index.ts';
import { type RunPlan, whatOf } from '../../results/schema/index.ts';
import { figureScale, pairsSentences, verificationSentences } from '../pairs.ts';
import { workloadRowOf } from '../rows.ts';
import { xTextOfPoint } from '../series.ts';
import { formatDuration, plural, shortTransport, transportLabel, wrap } from '../wording.ts';
import type { FootInput } from './foot.ts';
import type { LiveTable, LiveTableOptions } from './live.ts';
import { matrixLines } from './matrix.ts';

/** Returns the lines printed before the pairs of hosts are measured: what will be measured, and the expected duration. */
function pairsHead({ plan, columns, color, runId }: LiveTableOptions): string {
  const { pairs } = plan;
  if (pairs === undefined) return '';
  const colours = pc.createColors(color);
  const members = membersPhrase(pairs.names, plan.hosts.length);
  const over = plan.transports.map(transportLabel).join(', ');
  const first =
    pairs.bisect === undefined
      ? `pairs of ${members} · ${plan.engine} engine · ${over}`
      : `search among ${members}, bad is ${pairs.bisect} · ${plan.engine} engine · ${over}`;
  const verify = plan.sampling.check > 0 ? 'on' : 'OFF';
  const run = runId === undefined ? [] : [`run ${runId}`];
  const steps = [...workText(plan), `verify: ${verify}`, `seed ${plan.sampling.seed}`, ...run];
  const lines = [
    ...wrap(first, columns, '  ').map(colours.bold),
    ...wrap(steps.join(' · '), columns - 2, '  ').map((line) => `  ${line}`),
  ];
  return `${lines.join('\n')}\n\n`;
}

/**
 * Returns texts about the planned measurements: number of pairs and rings of hosts, how they are measured, expected duration. For a
 * search of a slow host they say how it searches. Empty for plans that do not measure pairs of hosts.
 */
export function workText(plan: RunPlan): string[] {
  const { pairs, points, estimateS } = plan;
  if (pairs === undefined) return [];
  const [smallest, largest] = [points[0], points.at(-1)];
  if (smallest === undefined || largest === undefined) return [];
  const large = xTextOfPoint(plan, largest);
  if (pairs.bisect !== undefined)
    return [
      `${whatOf(workloadRowOf(plan, largest), largest.axes)} ${large}`,
      'runs of all, then of halves, until one is found',
    ];
  const first = pairs.sets.filter(({ isAgain }) => isAgain !== true);
  const two = first.filter(({ kind }) => kind === 'pair');
  const rounds = new Set(two.map(({ round }) => round)).size;
  const how = pairs.isConcurrent ? `${plural(rounds, 'round')} of disjoint pairs` : 'one at a time';
  const rings = first.length - two.length;
  return [
    `${plural(two.length, 'pair')}, ${how}${rings === 0 ? '' : `, then rings of 2 to ${rings + 1}`}`,
    `latency of ${xTextOfPoint(plan, smallest)}, bandwidth of ${large}`,
    `about ${formatDuration(estimateS)}`,
  ];
}

function searchFoot(columns: number, found: readonly string[], reportPath: string | null): string {
  const lines = found.flatMap((text) => wrap(text, columns, '  '));
  return `${[...lines, ...(reportPath === null ? [] : [`report: ${reportPath}`])].join('\n')}\n`;
}

/**
 * Returns the text printed after all pairs of hosts were measured: matrix of each transport, rings, then the slow pairs, number of
 * repeated measurements, data checks, time and report. After a search for a faulty host it has only the results of the search and
 * the report.
 */
function pairsFoot(
  { plan, columns, color }: LiveTableOptions,
  { cells, elapsedS, found = [], reportPath = null }: FootInput,
): string {
  const colours = pc.createColors(color);
  if (plan.pairs?.bisect !== undefined) return searchFoot(columns, found, reportPath);
  const overviews = pairsOverview(plan, cells);
  const lines: string[] = [];
  for (const one of overviews) {
    const { medium } = plan.transports.find(({ name }) => name === one.transport) ?? {};
    if (overviews.length > 1 || medium === 'emulated')
      lines.push(colours.bold(shortTransport(one.transport) + (medium === 'emulated' ? '  EMULATED' : '')));
    lines.push(...matrixLines(one, columns, colours), '');
    if (one.rings.length > 0) lines.push(...wrap(ringText(one), columns, '  '), '');
  }
  const clean = overviews.every(isClean);
  for (const text of pairsSentences(overviews))
    lines.push(...wrap(`${text}.`, columns, '  ').map(clean ? (line: string) => line : colours.bold));
  const again = plan.pairs?.sets.filter(({ isAgain }) => isAgain === true).length ?? 0;
  if (again > 0) lines.push(`${plural(again, 'measurement')} more of outliers: the best of each counts`);
  for (const text of verificationSentences(plan, cells)) lines.push(...wrap(text, columns, '  '));
  lines.push(formatDuration(elapsedS));
  if (reportPath !== null) lines.push(`report: ${reportPath}`);
  return `${lines.join('\n')}\n`;
}

/**
 * Returns the bandwidth of rings of hosts, one number per ring size: "rings of 2 to 6, GB/s: 9.81 9.79 3.11 3.12 3.10". "x" = the
 * ring did not run, "?" = the run ended before it.
 */
function ringText({ rings, typicalGBps }: PairsOverview): string {
  const { unit, text } = figureScale('bandwidth', typicalGBps ?? 1);
  const none = (reason: string | null) => (reason === notReached ? '?' : 'x');
  const rates = rings.map(({ GBps, reason }) => (GBps === null ? none(reason) : text(GBps)));
  return `rings of 2 to ${rings.at(-1)?.ranks ?? 2}, ${unit}: ${rates.join(' ')}`;
}

/**
 * Returns the table functions for a run of host pairs. They print no rows during the run, because a pair is judged only when all
 * pairs have been measured.
 */
export function pairsTable(options: LiveTableOptions): LiveTable {
  const wide = { ...options, columns: Math.max(40, options.columns) };
  return {
    isLive: false,
    head: () => pairsHead(wide),
    row: () => '',
    foot: (input) => pairsFoot(wide, input),
  };
}
