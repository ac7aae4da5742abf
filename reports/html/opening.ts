import { importedSentence } from '../imported.ts';
import { launchesText, precisionSentence } from '../precision.ts';
import type { Group, ReportedRun } from '../series.ts';
import { isOk, sizesPhrase } from '../series.ts';
import { sideBySideSentences } from '../side-by-side.ts';
import {
  comparisonSentences,
  evidenceSentence,
  flagSentence,
  intervalSentence,
  ranksPhrase,
  verificationSentence,
} from '../summary.ts';
import { fakeGpus, joinWords, plural, shortTransport, transportLabel } from '../wording.ts';
import { bestWords, isFake } from './device.ts';
import { type Html, html } from './markup.ts';

/** "Allreduce over socket and sisci (emulated)". */
export function reportTitle(runs: readonly ReportedRun[], groups: readonly Group[]): string {
  const collectives = [...new Set(groups.map((g) => g.collective))];
  const what = collectives.length > 3 ? plural(collectives.length, 'collective') : joinWords(collectives);
  const transports = [
    ...new Set(
      runs.flatMap((run) =>
        run.record.plan.transports.map(
          (t) => shortTransport(t.name) + (t.medium === 'emulated' ? ' (emulated)' : ''),
        ),
      ),
    ),
  ];
  const title = `${what} over ${joinWords(transports)}`;
  return (
    (runs.length > 1 ? `${plural(runs.length, 'run')}: ` : '') +
    title.charAt(0).toUpperCase() +
    title.slice(1)
  );
}

/** Where and when: host names, date, run ids. */
export function byline(runs: readonly ReportedRun[]): string {
  return runs
    .map(({ record }) => {
      const hosts = Object.values(record.inventory).map((i) => i.hostname);
      const where = hosts.length > 0 ? ` on ${joinWords(hosts)}` : '';
      const how = record.plan.imported === undefined ? '' : ', imported';
      return `${ranksPhrase(record.plan)}${where === '' ? '' : `, measured${where}`}${how}, ${longDate(record.startedAt)} · run ${record.id}${stateWord(record.state)}`;
    })
    .join(' — ');
}

function stateWord(state: string): string {
  return state === 'complete' ? '' : ` (${state})`;
}

/** "21 November 2026, 10:00 UTC". */
export function longDate(iso: string): string {
  const date = new Date(iso);
  const day = date.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
  return `${day}, ${iso.slice(11, 16)} UTC`;
}

function sentence(text: string): string {
  return text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Three paragraphs: what was measured, how the transports compare, whether it can be trusted. */
export function opening(runs: readonly ReportedRun[], groups: readonly Group[]): Html {
  return html`<div class="lead">
<p>${measured(runs, groups)}</p>
<p>${compared(groups)}</p>
${trusted(runs).map((text) => html`<p>${text}</p>`)}
</div>
${alarms(runs)}`;
}

function measured(runs: readonly ReportedRun[], groups: readonly Group[]): string {
  const record = runs[0]?.record;
  if (record === undefined) return 'Nothing was measured.';
  const titles = groups.map((g) => g.title);
  const what =
    titles.length > 5 ? `${plural(titles.length, 'series', 'series')} of collectives` : joinWords(titles);
  const sizes = sizesPhrase(
    groups.flatMap((g) => g.series.flatMap((s) => s.slots.map((x) => x.payloadBytes))),
  );
  const transports = [...new Set(runs.flatMap((r) => r.record.plan.transports.map(transportLabel)))];
  const engines = joinWords([...new Set(runs.map((r) => r.record.plan.engine))]);
  return `${sentence(`${what} was measured with the ${engines} engine at ${sizes}, over ${joinWords(transports)}`)}`.replace(
    / was measured/,
    titles.length > 1 ? ' were measured' : ' was measured',
  );
}

function compared(groups: readonly Group[]): string {
  const sentences = [
    ...comparisonSentences(groups, 'µs', groups.length === 1),
    ...sideBySideSentences(groups).map((text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`),
  ];
  const best = bestWords(groups);
  if (sentences.length === 0 && best.length > 0 && best.length <= 5) return best.join(' ');
  if (sentences.length === 0) return 'One series was measured, so there is nothing to compare it with.';
  if (sentences.length > 5)
    return `${plural(sentences.length, 'comparison')} are named below, each with its collective.`;
  return sentences.map((s) => `${s}.`).join(' ');
}

/** One paragraph per run. Reasons of the evidence stand here only where it does not confirm; else under Method. */
function trusted(runs: readonly ReportedRun[]): string[] {
  return runs.map((run) => {
    const ok = run.cells.filter(isOk);
    const { plan, id } = run.record;
    const launches = launchesText(plan.sampling);
    const trial = ok.some((c) => c.isolated !== null) ? 'isolated' : 'pipelined';
    const flags = flagSentence(ok);
    const how =
      plan.imported !== undefined
        ? `${importedSentence(run)}, so nothing is known about their scatter`
        : launches === '1 launch'
          ? 'in one launch, so nothing is known about another start'
          : `each in ${launches}`;
    const all =
      ok.length === plan.expected.cells ? `all ${ok.length}` : `${ok.length} of ${plan.expected.cells}`;
    const text = [
      `${all} cells ${plan.imported === undefined ? 'were measured' : 'have figures'}, ${how}`,
      ok.length > 0 ? intervalSentence(ok, trial) : '',
      precisionSentence(ok, plan),
      verificationSentence(ok),
      evidenceVerdicts(run),
      flags === '' && ok.length > 0 ? 'no cell is flagged' : flags,
    ];
    return (runs.length > 1 ? `Run ${id}: ${text.join('; ')}.` : text.map(sentence).join(' ')).trim();
  });
}

function evidenceVerdicts(run: ReportedRun): string {
  const names = run.record.plan.transports.map((t) => t.name);
  const ok = run.cells.filter(isOk);
  if (ok.length === 0) return '';
  if (ok.every((c) => c.evidence.verdict === 'confirmed')) {
    return `byte counters confirm that the data went over ${joinWords(names.map(shortTransport))} as asked`;
  }
  return evidenceSentence(run.cells, names).replace(/^evidence: /, 'evidence of the transport: ');
}

/** What a reader must not miss: wrong data, contradicted transports, failures. */
function alarms(runs: readonly ReportedRun[]): Html {
  const ok = runs.flatMap((r) => r.cells.filter(isOk));
  const wrong = ok.filter((c) => c.verification.wrongElements > 0).length;
  const contradicted = ok.filter((c) => c.evidence.verdict === 'contradicted').length;
  const failures = runs.flatMap((r) => r.record.failures);
  const lines = [
    runs.some(isFake) ? `${fakeGpus.charAt(0).toUpperCase()}${fakeGpus.slice(1)}.` : '',
    wrong > 0 ? `Wrong data in ${plural(wrong, 'cell')}: their times are no result.` : '',
    contradicted > 0
      ? `In ${plural(contradicted, 'cell')} the byte counters contradict the transport that was asked for.`
      : '',
    ...failures.map((f) => `${f.message}.`),
    ...runs.flatMap((r) => r.warnings.map((w) => `${w}.`)),
  ].filter((l) => l !== '');
  if (lines.length === 0) return html``;
  return html`<div class="warn">${lines.map((l) => html`<p>${l}</p>`)}</div>`;
}
