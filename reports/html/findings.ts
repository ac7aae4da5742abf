import { addTo } from '../../results/collections.ts';
import { nameOfRun } from '../../results/compare/run.ts';
import { type CellRecord, headlineNames, measuredOf, type RunRecord } from '../../results/schema/index.ts';
import { joinPresent } from '../../results/text.ts';
import { type DocumentBlock, tableOf } from '../document/blocks.ts';
import { modelFindings } from '../models.ts';
import { expectedCells } from '../pairs.ts';
import { workloadRowOf, type XAxisFormat, xAxisFormat, xOfPlan } from '../rows.ts';
import { type ReportRun, type Series, type SeriesGroup, titleOfPoint, xOfPoint, xPhrase } from '../series.ts';
import { firstWrongText } from '../summary.ts';
import { flagMeanings, formatCount, joinWords, labelWith, plural } from '../wording.ts';

interface ReportFinding {
  what: string;
  /**
   * The x (mostly message size) of a problem of a single configuration, with the format of the x axis; absent for problems of a
   * whole run. Equal problems at several x become one line.
   */
  at?: { x: XAxisFormat; value: number };
  kind: string;
  why: string;
}

function cellName({ plan }: RunRecord, cell: CellRecord, several: string): string {
  const member = cell.group === undefined ? '' : `, ${cell.group.name}`;
  return `${several}${titleOfPoint(plan, cell)} over ${labelWith(cell.transport, cell.medium)}${member}`;
}

/**
 * Returns the name of a series in the form in which cellName() names configurations. `series.name` already contains the run's
 * name.
 */
const seriesName = (group: SeriesGroup, series: Series): string =>
  `${group.title} over ${series.name}${series.medium === 'emulated' ? ' (emulated)' : ''}`;

/**
 * Returns the problems of runs, one element per problem and configuration: failures, skipped or missing configurations, wrong data,
 * evidence that is not "confirmed", flags (also those of level `note`), missing intervals of flagged configurations, notices of
 * importers, times that contradict one another, problems in the run's files.
 */
function findingsOf(runs: readonly ReportRun[], groups: readonly SeriesGroup[]): ReportFinding[] {
  return runs.flatMap((run) => {
    const { plan, failures } = run.record;
    const several = runs.length > 1 ? `${nameOfRun(run.record)}: ` : '';
    const found: ReportFinding[] = failures.map((f) => ({
      what: `${several}run`,
      kind: f.kind,
      why: joinPresent([f.message, ...f.details, f.next === null ? '' : `next: ${f.next}`], '. '),
    }));
    for (const cell of run.cells) {
      const what = cellName(run.record, cell, several);
      const row = workloadRowOf(plan, cell);
      const at = { x: xAxisFormat(row), value: xOfPoint(plan, cell) };
      if (cell.status !== 'ok') {
        found.push({ what, at, kind: cell.status, why: cell.reason });
        continue;
      }
      const { wrongElements, comparedElements, first } = cell.verification;
      if (wrongElements > 0) {
        found.push({
          what,
          at,
          kind: 'wrong data',
          why:
            comparedElements === 0
              ? `${formatCount(wrongElements)} elements or more, as the program that measured found`
              : `${formatCount(wrongElements)} of ${formatCount(comparedElements)} compared elements${first === null ? '' : `; ${firstWrongText(first)}`}`,
        });
      }
      if (cell.evidence.verdict !== 'confirmed')
        found.push({ what, at, kind: `evidence ${cell.evidence.verdict}`, why: cell.evidence.reason });
      if (cell.flags.length > 0) {
        for (const { name } of cell.flags)
          found.push({ what, at, kind: `flag ${name}`, why: flagMeanings[name] ?? name });
        const reason = measuredOf(cell, headlineNames(row)[0] ?? '')?.intervalReason ?? null;
        if (reason !== null) found.push({ what, at, kind: 'no interval', why: reason });
      }
    }
    for (const s of plan.skipped) {
      found.push({
        what: `${several}${s.what}, ${xOfPlan(plan).text(s.requestedX)}`,
        kind: 'skipped',
        why: s.reason,
      });
    }
    const missing = expectedCells(plan, run.cells) - run.cells.length;
    if (missing > 0)
      found.push({
        what: `${several}${plural(missing, 'configuration')}`,
        kind: 'not measured',
        why: `the run ended (${run.record.state}) before they were measured`,
      });
    for (const notice of plan.imported?.notices ?? [])
      found.push({ what: `${several}import`, kind: 'notice', why: notice });
    const own = groups.map((g) => ({ ...g, series: g.series.filter((s) => s.run === run.record) }));
    for (const { series, group, kind, why, xs } of modelFindings(own))
      for (const value of xs)
        found.push({ what: seriesName(group, series), at: { x: group.x, value }, kind, why });
    for (const w of run.warnings) found.push({ what: `${several}files`, kind: 'warning', why: w });
    return found;
  });
}

/**
 * Maximum number of series that are named for problems of equal kind and reason. With more series only the first is named, because
 * the result tables mark all affected configurations.
 */
const maxNamed = 3;
/**
 * Maximum number of different reasons that are shown for problems of one kind. With more reasons only the first is shown, as an
 * example.
 */
const maxReasons = 12;
/** Maximum number of lines about problems on a page. With more lines a paragraph below them refers to cells.ndjson. */
const maxRows = 200;

function groupedBy(all: readonly ReportFinding[], keyOf: (one: ReportFinding) => string): ReportFinding[][] {
  const groups = new Map<string, ReportFinding[]>();
  for (const one of all) addTo(groups, keyOf(one), one);
  return [...groups.values()];
}

const distinct = (texts: readonly string[]): number => new Set(texts).size;

/**
 * Shortens problems of single configurations. If a kind of problem has more than twelve reasons, only the first reason is named and
 * the others are counted. If more than three series have the same problem for the same reason, only the first series is named.
 */
function acrossSeries(all: readonly ReportFinding[]): ReportFinding[] {
  const [ofCells, others] = [
    all.filter(({ at }) => at !== undefined),
    all.filter(({ at }) => at === undefined),
  ];
  const named = groupedBy(ofCells, ({ kind }) => kind).flatMap((group) => {
    const reasons = distinct(group.map(({ why }) => why));
    if (reasons <= maxReasons) return group;
    const why = `${group[0]?.why ?? ''} (and ${formatCount(reasons - 1)} more reasons)`;
    return group.map((one) => ({ ...one, why }));
  });
  const counted = groupedBy(named, ({ kind, why }) => `${kind}\0${why}`).flatMap((group) => {
    const series = distinct(group.map(({ what }) => what));
    if (series <= maxNamed) return group;
    const what = `${plural(group.length, 'configuration')} in ${series} series (${group[0]?.what ?? ''}, ...)`;
    return group.map((one) => ({ ...one, what }));
  });
  return [...others, ...counted];
}

/**
 * Merges equal problems at several x (message sizes) of a series into one that lists these x; more than four x become a range. The
 * result is in order of first occurrence.
 */
function mergeFindings(all: readonly ReportFinding[]): ReportFinding[] {
  const lines = new Map<string, ReportFinding & { xs: number[] }>();
  for (const finding of all) {
    const key = [finding.what, finding.kind, finding.why].join('\0');
    const line = lines.get(key) ?? { ...finding, xs: [] };
    if (finding.at !== undefined) line.xs.push(finding.at.value);
    lines.set(key, line);
  }
  return [...lines.values()].map(({ xs, ...finding }) => ({
    ...finding,
    what: finding.at === undefined ? finding.what : `${finding.what}, ${xList(finding.at.x, xs)}`,
  }));
}

const xList = (x: XAxisFormat, values: readonly number[]): string =>
  values.length <= 4 ? joinWords(values.map(x.text)) : xPhrase(x, values);

/**
 * Returns the chapter about all problems of the runs, such as failures, missing configurations and flags; a sentence if there are
 * none.
 */
export function findings(runs: readonly ReportRun[], groups: readonly SeriesGroup[]): DocumentBlock[] {
  const rows = mergeFindings(acrossSeries(findingsOf(runs, groups)));
  if (rows.length === 0) return [{ kind: 'paragraph', text: 'No failures, no skipped sizes, no flags.' }];
  const shown = rows.slice(0, maxRows);
  const table = tableOf<ReportFinding>(
    [
      { head: 'finding', cell: ({ kind }) => kind },
      { head: 'what', cell: ({ what }) => what },
      { head: 'why', isLong: true, cell: ({ why }) => why },
    ],
    shown,
    { isStacked: true },
  );
  const more = rows.length - shown.length;
  return more === 0
    ? [table]
    : [table, { kind: 'paragraph', text: `${formatCount(more)} more are in the files of the run.` }];
}
