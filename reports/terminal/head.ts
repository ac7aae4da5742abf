import type pc from 'picocolors';
import {
  type RunPlan,
  type RunRecord,
  type SamplingPlan,
  skewNsOf,
  transportOf,
} from '../../results/schema/index.ts';
import { launchesText } from '../precision.ts';
import { figureRow, timesOnDevice, xOfPlan } from '../rows.ts';
import { titleOfPoint, xOfPoint } from '../series.ts';
import { ranksPhrase } from '../summary.ts';
import {
  evidenceMarks,
  formatCount,
  formatDuration,
  formatPercent,
  plural,
  skewMeaning,
  wrap,
} from '../wording.ts';
import { columnNames } from './column-names.ts';
import type { TableLayout } from './columns.ts';
import { fit } from './columns.ts';
import { transportLines } from './layout.ts';

/** Data for the lines that are printed above a run's table. */
export interface HeadOptions {
  plan: RunPlan;
  /** Id of the run, which is then shown; absent = no id is shown. */
  runId?: string;
  /**
   * Configurations that were disturbed and measured again, from the run's record; the table marks them. Absent while the run is
   * measured, and if none was measured again.
   */
  retries?: RunRecord['retries'];
  /** True if nearly all configurations are flagged: one sentence then replaces the marks in the table. */
  isMostlyFlagged?: boolean;
}

const singleRankNote =
  'NOTE: a single rank sends nothing to others, so its times do not compare transports: use --ranks 2';

/**
 * Returns the lines above a run's table: what is measured and over which transports; launches, expected duration, data checks and
 * seed; the meaning of the columns; skipped points. For an imported run only its program, file and statistic follow the transports.
 */
export function headLines(
  options: HeadOptions,
  width: number,
  layout: TableLayout,
  colours: ReturnType<typeof pc.createColors>,
): string[] {
  const { plan, runId } = options;
  const titles = [...new Set(plan.points.map((point) => titleOfPoint(plan, point)))];
  const what =
    titles.length === 0
      ? 'calls without times'
      : titles.length <= 3
        ? titles.join(' · ')
        : `${plural(titles.length, 'series', 'series')} (${titles[0]}, ...)`;
  const sizes = new Set(plan.points.map((point) => xOfPoint(plan, point))).size;
  const engine = `${plan.engine} engine${plan.algorithm === null ? '' : `, ${plan.algorithm}`}`;
  const { names: short, parts: settings } = columnNames(plan);
  const lines = wrap(
    `${what} · ${ranksPhrase(plan)} · ${engine} · ${plural(sizes, xOfPlan(plan).noun)}${overText(plan)}`,
    width,
    '  ',
  ).map((l) => colours.bold(l));
  const say = (text: string) => lines.push(...wrap(`  ${text}`, width, '  '));
  if (settings !== null) say(`${settings}:`);
  lines.push(...transportLines(plan, short, width - 2, colours.yellow).map((text) => `  ${text}`));
  if (plan.ranks === 1 && plan.transports.length > 1) say(singleRankNote);
  const { imported } = plan;
  if (imported !== undefined) {
    const run = runId === undefined ? '' : ` · run ${runId}`;
    say(`imported from ${imported.program}, ${imported.file.name}${run}`);
    say(`time: ${imported.statistic}; no intervals`);
    return lines;
  }
  if (plan.groups !== undefined) say(membersText(plan.groups));
  const { check, seed } = plan.sampling;
  const verify = check > 0 ? 'on' : 'OFF';
  const parts = [
    `plan: ${launchesText(plan.sampling)}`,
    ...timeText(plan),
    `verify: ${verify}`,
    `seed ${seed}`,
  ];
  if (runId !== undefined) parts.push(`run ${runId}`);
  say(parts.join(' · '));
  say(timesOnDevice(plan) ? deviceMeaning(layout, plan) : `time: ${timeMeaning(plan.sampling)}`);
  if (plan.transports.some((over) => skewNsOf(over) > 0)) say(skewMeaning);
  lines.push(...skippedTexts(plan).map(({ count, reason }) => fit(`  ${count} skipped: ${reason}`, width)));
  return lines;
}

/** Returns each reason why points of the plan are skipped, with the number of points that are skipped for it. */
export function skippedTexts({ skipped }: RunPlan): { count: string; reason: string }[] {
  const reasons = [...new Set(skipped.map(({ reason }) => reason))];
  return reasons.map((reason) => ({
    count: formatCount(skipped.filter((one) => one.reason === reason).length),
    reason,
  }));
}

/**
 * Returns " x 3 transports". If the run fixes algorithms, protocols or settings, it counts each combination as a choice: " x 15
 * choices over 3 transports". '' for one transport.
 */
function overText({ transports }: RunPlan): string {
  if (transports.length === 1) return '';
  const count = new Set(transports.map(transportOf)).size;
  const over = plural(count, 'transport');
  if (count === transports.length) return ` x ${over}`;
  return ` x ${plural(transports.length, 'choice')}${count > 1 ? ` over ${over}` : ''}`;
}

/** Maximum number of groups of ranks that are named above the table; run.json has all. */
const maxNamedGroups = 8;

function membersText({ rule, members }: NonNullable<RunPlan['groups']>): string {
  const shown = members.slice(0, maxNamedGroups).map(({ name, ranks }) => `${name} (${ranks.join(', ')})`);
  const more =
    members.length > maxNamedGroups ? [`and ${formatCount(members.length - maxNamedGroups)} more`] : [];
  return `${plural(members.length, 'group')} at the same time (${rule}): ${[...shown, ...more].join(' · ')}`;
}

/**
 * Returns the estimated duration as a list with one text: "about 40 s". With adaptive sampling, which measures until intervals are
 * narrow enough, a text with the requested precision precedes it, and a longer time limit is added: "about 40 s, budget 2 min".
 */
function timeText({ sampling, estimateS }: RunPlan): string[] {
  const about = `about ${formatDuration(estimateS)}`;
  const { adaptive } = sampling;
  if (adaptive === undefined) return [about];
  const most = estimateS < adaptive.budgetS ? `, budget ${formatDuration(adaptive.budgetS)}` : '';
  return [`to ±${formatPercent(adaptive.precision)}`, about + most];
}

function timeMeaning(sampling: SamplingPlan): string {
  return `median of one isolated operation, ± its 95 % interval ${scopeOf(sampling)}`;
}

function scopeOf(sampling: SamplingPlan): string {
  const { launches, adaptive } = sampling;
  const isOne = Math.max(launches, adaptive?.maxLaunches ?? 1) === 1;
  return isOne ? 'of this launch only' : `between ${launchesText(sampling)}`;
}

/** Returns an explanation of the columns with times on GPUs. Only columns that the table has are explained. */
function deviceMeaning({ each }: TableLayout, plan: RunPlan): string {
  const { sampling, workloads } = plan;
  const [known] = workloads.flatMap((row) => figureRow(row, 'pipelined')?.sameAs ?? []);
  const shown = (key: string) => each.some((c) => c.key === key);
  const byHost = workloads.every(({ timedByHostOn }) => timedByHostOn?.includes(plan.engine));
  const clock = byHost ? ", by the host's clock" : ' on the GPUs, queued before the start (hold kernel)';
  return [
    `latency: median of one call${clock}${shown('spread') ? `, ± its 95 % interval ${scopeOf(sampling)}` : ''}`,
    ...(byHost ? [] : hostTimed(plan)),
    shown('pipelined') ? `pipe: per call, back to back${known === undefined ? '' : `, as ${known}`}` : '',
    shown('enqueue') ? 'enqueue: host time to queue one call' : '',
    shown('evidence')
      ? `evidence ${evidenceMarks.confirmed} confirmed ${evidenceMarks.unproven} unproven ${evidenceMarks.contradicted} contradicted`
      : '',
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

/**
 * Returns a list with a text about points whose latency is measured by the host's clock, because no GPU takes part; empty if there
 * are no such points.
 */
function hostTimed({ workloads, points }: RunPlan): string[] {
  const axes = workloads.flatMap((row) => row.axes.map((axis) => ({ axis, row: row.name })));
  const found = axes.flatMap(({ axis, row }) =>
    (axis.timedByHost ?? [])
      .filter((value) => points.some((point) => point.workload === row && point.axes[axis.name] === value))
      .map((value) => `${axis.name} ${value}`),
  );
  return found.length === 0 ? [] : [`${found.join(', ')}: latency by the host's clock`];
}
