import { nameOfRun } from '../../results/compare/names.ts';
import { type CellRecord, headlineNames, measuredOf, type RunRecord } from '../../results/schema/index.ts';
import { modelFindings } from '../models.ts';
import { rowOf, type XWords, xOfPlan, xWords } from '../rows.ts';
import { type Group, type ReportedRun, type Series, titleIn, xIn, xPhrase } from '../series.ts';
import { flagMeanings, formatCount, joinWords, plural, shortTransport } from '../wording.ts';
import { type Html, html } from './markup.ts';

interface Finding {
  what: string;
  /** Where it is about one cell: equal findings at several x become one line. */
  at?: { x: XWords; value: number };
  kind: string;
  why: string;
}

function cellName({ plan }: RunRecord, cell: CellRecord, several: string): string {
  const medium = cell.medium === 'emulated' ? ' (emulated)' : '';
  const member = cell.group === undefined ? '' : `, ${cell.group.name}`;
  return `${several}${titleIn(plan, cell)} over ${shortTransport(cell.transport)}${medium}${member}`;
}

/** As cellName(); the name of the series has the run already. */
const seriesName = (group: Group, series: Series): string =>
  `${group.title} over ${series.name}${series.medium === 'emulated' ? ' (emulated)' : ''}`;

/** Everything that failed, was skipped, left out, wrong or flagged; one line each. */
function findingsOf(runs: readonly ReportedRun[], groups: readonly Group[]): Finding[] {
  return runs.flatMap((run) => {
    const { plan, failures } = run.record;
    const several = runs.length > 1 ? `${nameOfRun(run.record)}: ` : '';
    const found: Finding[] = failures.map((f) => ({
      what: `${several}run`,
      kind: f.kind,
      why: [f.message, ...f.details, f.next === null ? '' : `next: ${f.next}`]
        .filter((t) => t !== '')
        .join('. '),
    }));
    for (const cell of run.cells) {
      const what = cellName(run.record, cell, several);
      const row = rowOf(plan, cell);
      const at = { x: xWords(row), value: xIn(plan, cell) };
      if (cell.status !== 'ok') {
        found.push({ what, at, kind: cell.status, why: cell.reason });
        continue;
      }
      const { wrongElements, comparedElements, first } = cell.verification;
      if (wrongElements > 0) {
        const where =
          first === null
            ? ''
            : `; first at rank ${first.rank}, iteration ${first.iteration}, index ${first.index}: wanted ${first.wanted}, got ${first.got}${first.note === '' ? '' : ` (${first.note})`}`;
        found.push({
          what,
          at,
          kind: 'wrong data',
          why:
            comparedElements === 0
              ? `${formatCount(wrongElements)} elements or more, as the program that measured found`
              : `${formatCount(wrongElements)} of ${formatCount(comparedElements)} compared elements${where}`,
        });
      }
      if (cell.evidence.verdict !== 'confirmed')
        found.push({ what, at, kind: `evidence ${cell.evidence.verdict}`, why: cell.evidence.reason });
      if (cell.flags.length > 0) {
        const names = cell.flags.map(({ name }) => name);
        const reason = measuredOf(cell, headlineNames(row)[0] ?? '')?.intervalReason ?? null;
        const why =
          names.map((name) => flagMeanings[name] ?? name).join('; ') +
          (reason === null ? '' : `; no interval: ${reason}`);
        found.push({ what, at, kind: `flag ${names.join(', ')}`, why });
      }
    }
    for (const s of plan.skipped) {
      found.push({
        what: `${several}${s.what}, ${xOfPlan(plan).text(s.requestedX)}`,
        kind: 'skipped',
        why: s.reason,
      });
    }
    const missing = plan.expected.cells - run.cells.length;
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

/** Equal findings of one series in one line that counts their x; the order of the first of each stays. */
function merged(all: readonly Finding[]): Finding[] {
  const lines = new Map<string, Finding & { xs: number[] }>();
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

const xList = (x: XWords, values: readonly number[]): string =>
  values.length <= 4 ? joinWords(values.map(x.text)) : xPhrase(x, values);

export function findings(runs: readonly ReportedRun[], groups: readonly Group[]): Html {
  const rows = merged(findingsOf(runs, groups));
  if (rows.length === 0) return html`<p>No failures, no skipped sizes, no flags.</p>`;
  const shown = rows.slice(0, 200);
  const rest =
    rows.length > shown.length
      ? html`<p>${formatCount(rows.length - shown.length)} more are in cells.ndjson.</p>`
      : html``;
  return html`<div class="scroll"><table class="stack"><thead><tr><th scope="col">what</th><th scope="col">finding</th><th scope="col">why</th></tr></thead>
<tbody>${shown.map((r) => html`<tr><td>${r.what}</td><td>${r.kind}</td><td class="w">${r.why}</td></tr>\n`)}</tbody></table></div>${rest}`;
}
