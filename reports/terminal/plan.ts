// Text of --plan-only: what a run would measure, on which hosts, how, and for how long.
import { foldNumbers } from '../../results/fold.ts';
import type { RunPlan } from '../../results/schema/index.ts';
import { sanitiseText } from '../../results/text.ts';
import { launchCountText } from '../precision.ts';
import { xOfPlan } from '../rows.ts';
import { titleOfPoint, xOfPoint, xPhrase } from '../series.ts';
import { ranksPhrase } from '../summary.ts';
import {
  formatCount,
  formatDuration,
  formatPercent,
  manyOf,
  plural,
  shortTransport,
  wrap,
} from '../wording.ts';
import { fit } from './columns.ts';
import { skippedTexts } from './head.ts';
import { transportLines } from './layout.ts';
import { workText } from './pairs.ts';

/** Maximum number of items (such as series or hosts) that the plan lists; further ones are counted. */
const maxListed = 6;

const labelWidth = 17;

type PlanRow = readonly [label: string, texts: readonly string[]];

function rowsText(rows: readonly PlanRow[], columns: number): string[] {
  const room = Math.max(20, columns - labelWidth);
  return rows.flatMap(([label, texts]) =>
    texts
      // A text that fits is not wrapped, because wrap() would remove the spaces that align its columns.
      .flatMap((text) => (text.length <= room ? [text] : wrap(text, room, '  ')))
      .map((text, i) => sanitiseText(`  ${(i === 0 ? label : '').padEnd(labelWidth - 2)}${text}`)),
  );
}

function listed(texts: readonly string[]): string[] {
  const more = texts.length - maxListed;
  return [...texts.slice(0, maxListed), ...(more > 0 ? [`and ${formatCount(more)} more`] : [])];
}

export const planOnlyText = (whole: string) => `Nothing was measured. The complete plan: ${whole}\n`;

/**
 * Returns the plan of a run as text, as --plan-only prints it.
 * @param out folder of the run, as users type it
 * @param columns width of the terminal in characters
 */
export function planText(plan: RunPlan, out: string, columns: number): string {
  const titles = [...new Set(plan.points.map((point) => titleOfPoint(plan, point)))];
  const x = xOfPlan(plan);
  const values = [...new Set(plan.points.map((point) => xOfPoint(plan, point)))].sort((a, b) => a - b);
  const sizes = values.length > 0 ? `${xPhrase(x, values)}` : 'none';
  const [only] = plan.hosts.length === 1 ? plan.hosts : [];
  const ranks =
    only === undefined || plan.inProcess ? ranksPhrase(plan) : `${ranksPhrase(plan)}: ${only.name}`;
  const hosts =
    only === undefined ? plan.hosts.map((host) => `${host.name}: ${foldNumbers(host.ranks)}`) : [];
  const names = plan.transports.map((t) => shortTransport(t.name));
  const rows: PlanRow[] = [
    [titles.length === 1 ? 'what' : `${formatCount(titles.length)} series`, listed(titles)],
    ['ranks', [ranks, ...listed(hosts)]],
    ['engine', [plan.algorithm === null ? plan.engine : `${plan.engine}, ${plan.algorithm}`]],
    [
      plan.transports.length === 1 ? 'transport' : 'transports',
      transportLines(plan, names, Number.POSITIVE_INFINITY),
    ],
    [manyOf(x.noun), [sizes]],
    ...(plan.pairs === undefined
      ? []
      : [['pairs', [workText(plan).slice(0, 2).join(' · ')]] satisfies PlanRow]),
    ['configurations', [formatCount(plan.expected.cells)]],
    ['launches', [launchCountText(plan.sampling), ...openProcesses(plan)]],
    ['sampling', samplingText(plan)],
    ['verify', [verifyText(plan)]],
    ['expected time', [expectedTime(plan)]],
    ['folder', [out]],
    ...(plan.skipped.length === 0
      ? []
      : [
          [
            'skipped',
            skippedTexts(plan).map(({ count, reason }) => fit(`${count}: ${reason}`, 160)),
          ] satisfies PlanRow,
        ]),
  ];
  return [...rowsText(rows, columns), '', planOnlyText('--plan-only --json')].join('\n');
}

/**
 * Returns a list with one line, or an empty list. The line has the number of rank processes that exist at the same time while one
 * transport is measured, which matters if processes or memory are limited. Planned launches keep their processes until the end; of
 * the launches that adaptive sampling adds, each replaces the one before. Empty with a single launch, for runs in one process, and
 * for runs of host pairs.
 */
function openProcesses({ sampling, ranks, inProcess, pairs }: RunPlan): string[] {
  const { adaptive, launches } = sampling;
  const isAdded = (adaptive?.maxLaunches ?? launches) > launches;
  if (inProcess || pairs !== undefined || (launches === 1 && !isAdded)) return [];
  const processes = formatCount((launches + (isAdded ? 1 : 0)) * ranks);
  return [
    isAdded
      ? `${launches} stay open to the end, others one at a time: up to ${processes} rank processes`
      : `all stay open to the end: up to ${processes} rank processes`,
  ];
}

function verifyText({ sampling: { check } }: RunPlan): string {
  if (check === 0) return 'OFF';
  return check === 1 ? 'every sample' : `1 of ${formatCount(check)} samples, always the first and the last`;
}

function samplingText({ sampling }: RunPlan): string[] {
  const { adaptive, iterations, warmup, seed } = sampling;
  const until =
    adaptive === undefined
      ? iterations === null
        ? 'samples by the time of one operation'
        : `${plural(iterations, 'sample')} per launch`
      : `until the interval is ±${formatPercent(adaptive.precision)}, at most ${formatDuration(adaptive.budgetS)}`;
  return [`${until} · ${plural(warmup, 'warm-up operation')} per block · seed ${seed}`];
}

/**
 * Returns the estimated duration of a run, and the time limit of adaptive sampling if that is longer: "about 40 s, up to 2 min".
 */
export function expectedTime({ estimateS, sampling }: RunPlan): string {
  const { adaptive } = sampling;
  const expected = formatDuration(estimateS);
  const most = adaptive === undefined ? expected : formatDuration(Math.max(estimateS, adaptive.budgetS));
  return `about ${expected}${most === expected ? '' : `, up to ${most}`}`;
}
