import { formats } from '../results/import/formats.ts';
import type { ImportedFile } from '../results/import/keep.ts';
import type { OkCell, RunRecord } from '../results/schema/index.ts';
import { nameToType } from '../results/store/paths.ts';
import { bytesText } from '../results/units.ts';
import type { ReportRun, SeriesGroup } from './series.ts';
import { formatCount, joinWords, plural } from './wording.ts';

/** True if all series of a group were measured by other programs (imported runs). False for a group without series. */
export const isImported = (group: SeriesGroup): boolean =>
  group.series.length > 0 && group.series.every((s) => s.run.plan.imported !== undefined);

/**
 * Returns the statistic that imported times are, and the program that says so: "mean over iterations and ranks, as nccl-tests
 * 2.19.6 tells". If runs have different ones, they are joined by "and"; "" if no series is imported.
 */
export function importedTime(group: SeriesGroup): string {
  const told = group.series.flatMap(({ run: { plan } }) =>
    plan.imported === undefined ? [] : [`${plan.imported.statistic}, as ${plan.imported.program} tells`],
  );
  return joinWords([...new Set(told)]);
}

/**
 * Returns the source of an imported run: file, program, date if known, and the first 12 digits of the file's SHA-256. The text
 * begins with "imported from", or for a recorded job with "recorded in". "" for a run that collbench measured.
 */
export function importedSentence({ record }: ReportRun): string {
  const { imported } = record.plan;
  if (imported === undefined) return '';
  const { program, file, measuredAt, format } = imported;
  const how = format === 'record' ? 'recorded in' : 'imported from';
  const when = measuredAt === null ? '' : `, measured ${measuredAt} (clock of that machine)`;
  return `${how} ${file.name} (${program}${when}; SHA-256 ${file.sha256.slice(0, 12)})`;
}

/**
 * Returns a phrase on how many imported configurations the program that measured them has verified: "verified by the program that
 * measured: 27 of 28 configurations, 0 wrong, 1 not checked". The phrase begins with "WRONG DATA" if any was wrong, and with "not
 * verified" if none was checked.
 */
export function importedVerification(cells: readonly OkCell[]): string {
  const checked = cells.filter(({ verification }) => verification.checks > 0);
  if (checked.length === 0) return 'not verified: no check is stated';
  const wrong = checked.filter(({ verification }) => verification.wrongElements > 0).length;
  const rest = cells.length - checked.length;
  const unchecked = rest === 0 ? '' : `, ${rest} not checked`;
  return wrong === 0
    ? `verified by the program that measured: ${checked.length} of ${cells.length} configurations, 0 wrong${unchecked}`
    : `WRONG DATA, found by the program that measured: in ${wrong} of ${cells.length} configurations${unchecked}`;
}

const maxNotices = 10;

/**
 * Returns the lines printed after an import: what was imported, what was converted, which facts are unknown, up to ten notices, id
 * and folder of the new run, and the next commands. Empty for a run that is not imported.
 * @param dir folder of the new run, as users type it
 */
export function importedLines(
  { run, format, job }: ImportedFile,
  { id, title }: RunRecord,
  dir: string,
): string[] {
  const { plan, cells } = run;
  const { imported } = plan;
  if (imported === undefined) return [];
  const ok = cells.filter(({ status }) => status === 'ok').length;
  const from = `${formats[format].title.split(':')[0]}, ${bytesText(imported.file.bytes)}`;
  const more = imported.notices.length - maxNotices;
  return [
    title,
    ...(cells.length === 0
      ? [`  ${imported.program} (${from})`]
      : [
          `  ${plural(ok, 'configuration')} of ${imported.program} (${from}), ${plural(plan.ranks, 'rank')}`,
          `  a time is the ${imported.statistic}; no interval`,
        ]),
    ...(imported.says ?? []).map((text) => `  ${text}`),
    ...imported.conversions.map((text) => `  converted: ${text}`),
    `  not stated: ${imported.unknown.join(', ')}`,
    ...imported.notices.slice(0, maxNotices).map((text) => `  notice: ${text}`),
    ...(more > 0 ? [`  and ${formatCount(more)} more notices in run.json`] : []),
    `run ${id}: ${dir}`,
    ...(cells.length === 0 ? [] : [`Next: collbench report ${dir}`]),
    ...(job === null ? [] : [`Next: collbench replay ${dir}`]),
  ];
}

/**
 * Returns a sentence about a run that was received as a bundle (a redacted run folder packed on another machine); "" for other
 * runs.
 */
export function bundleSentence({ bundle }: Pick<RunRecord, 'bundle'>): string {
  if (bundle === undefined) return '';
  return `imported from a bundle of run ${bundle.id} on ${bundle.importedAt.slice(0, 10)}: measured elsewhere; hosts, users, paths and addresses are redacted`;
}

/**
 * Returns the lines printed after a bundle (a redacted run folder from another machine) was unpacked, the last with the next
 * command.
 * @param dir folder of the new run, as users type it
 */
export function bundleLines(record: RunRecord, dir: string): string[] {
  const { id, title, summary, plan, startedAt } = record;
  return [
    title,
    `  ${bundleSentence(record)}`,
    `  ${plural(summary?.cellsMeasured ?? 0, 'configuration')}, ${plural(plan.ranks, 'rank')}, measured ${startedAt.slice(0, 16).replace('T', ' ')} UTC`,
    `run ${id}: ${dir}`,
    `Next: collbench compare ${nameToType(id, dir)} last`,
  ];
}
