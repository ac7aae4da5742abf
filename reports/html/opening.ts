import { nameOfRun } from '../../results/compare/names.ts';
import { besideSentences } from '../beside.ts';
import { bundleSentence, importedSentence } from '../imported.ts';
import { orderOf } from '../parts/sentences.ts';
import { partGroups } from '../parts/variants.ts';
import { intervalsSentence, launchesText, precisionSentence } from '../precision.ts';
import { nounOf } from '../rows.ts';
import { type Group, headlineName, isOk, type ReportedRun, xPhrase, xsOf } from '../series.ts';
import { sideBySideSentences } from '../side-by-side.ts';
import {
  comparisonSentences,
  evidenceSentence,
  flagSentence,
  intervalSentence,
  ranksPhrase,
  verificationSentence,
} from '../summary.ts';
import {
  capital,
  fakeGpus,
  joinTitles,
  joinWords,
  plural,
  shortTransport,
  transportLabel,
} from '../wording.ts';
import { bestWords, isFake } from './device.ts';
import { type Html, html } from './markup.ts';

/** "Allreduce over socket and sisci (emulated)". */
export function reportTitle(runs: readonly ReportedRun[], groups: readonly Group[]): string {
  const whats = [...new Set(groups.map((g) => g.what))];
  const what = whats.length > 3 ? plural(whats.length, nounOfGroups(groups)) : joinWords(whats);
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
  return (runs.length > 1 ? `${plural(runs.length, 'run')}: ` : '') + capital(title);
}

/** Where and when: host names, date, run ids. */
export function byline(runs: readonly ReportedRun[]): string {
  return runs
    .map(({ record }) => {
      const hosts = Object.values(record.inventory).map((i) => i.hostname);
      const where = hosts.length > 0 ? ` on ${joinWords(hosts)}` : '';
      const how = record.plan.imported === undefined && record.bundle === undefined ? '' : ', imported';
      return `${ranksPhrase(record.plan)}${where === '' ? '' : `, measured${where}`}${how}, ${longDate(record.startedAt)} · run ${record.id}${record.label === undefined ? '' : ` '${record.label}'`}${stateWord(record.state)}`;
    })
    .join(' — ');
}

function stateWord(state: string): string {
  return state === 'complete' ? '' : ` (${state})`;
}

// Intl would load the data of its languages for one word.
const months = 'January February March April May June July August September October November December'.split(
  ' ',
);

/** "21 November 2026, 10:00 UTC"; as it stands where it is no date. */
export function longDate(iso: string): string {
  const date = new Date(iso);
  const month = months[date.getUTCMonth()];
  if (month === undefined) return iso;
  return `${date.getUTCDate()} ${month} ${date.getUTCFullYear()}, ${iso.slice(11, 16)} UTC`;
}

function sentence(text: string): string {
  return text === '' ? '' : `${capital(text)}.`;
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
    titles.length > 5
      ? `${plural(titles.length, 'series', 'series')} of ${nounOfGroups(groups)}s`
      : joinTitles(titles);
  const sizes = joinWords(xPhrases(groups));
  const transports = [...new Set(runs.flatMap((r) => r.record.plan.transports.map(transportLabel)))];
  const engines = joinWords([...new Set(runs.map((r) => r.record.plan.engine))]);
  return `${sentence(`${what} was measured with the ${engines} engine at ${sizes}, over ${joinWords(transports)}`)}`.replace(
    / was measured/,
    titles.length > 1 ? ' were measured' : ' was measured',
  );
}

const nounOfGroups = (groups: readonly Group[]): string => nounOf(groups.map(({ row }) => row));

/** What was measured along each axis. */
function xPhrases(groups: readonly Group[]): string[] {
  const nouns = new Map(groups.map(({ x }) => [x.noun, x]));
  return [...nouns].map(([noun, x]) =>
    xPhrase(
      x,
      groups.filter((group) => group.x.noun === noun).flatMap(({ series }) => xsOf(series)),
    ),
  );
}

function compared(groups: readonly Group[]): string {
  const sentences = [
    ...comparisonSentences(groups, 'µs', groups.length === 1),
    ...sideBySideSentences(groups).map(capital),
    ...besideSentences(groups, 'µs').map(capital),
  ];
  const best = bestWords(groups);
  const order = orderOf(partGroups(groups), 'µs');
  if (sentences.length === 0 && order.length > 0 && order.length <= 4) return order.map(sentence).join(' ');
  if (sentences.length === 0 && best.length > 0 && best.length <= 5) return best.join(' ');
  if (sentences.length === 0)
    return groups.length > 1
      ? 'All of it was measured over one transport, so no transports are compared.'
      : 'One series was measured, so there is no comparison.';
  if (sentences.length > 5)
    return `${plural(sentences.length, 'comparison')} are named below, each with its ${nounOfGroups(groups)}.`;
  return sentences.map((s) => `${s}.`).join(' ');
}

/** One paragraph per run. Reasons of the evidence stand here only where it does not confirm; else under Method. */
function trusted(runs: readonly ReportedRun[]): string[] {
  return runs.map((run) => {
    const ok = run.cells.filter(isOk);
    const { plan } = run.record;
    const launches = launchesText(plan.sampling);
    const figure = headlineName(plan.workloads, ok);
    const flags = flagSentence(ok);
    const how =
      plan.imported !== undefined
        ? `${importedSentence(run)}, so their scatter is unknown`
        : launches === '1 launch'
          ? 'in one launch, so the scatter between launches is unknown'
          : `each in ${launches}`;
    const all =
      ok.length === plan.expected.cells ? `all ${ok.length}` : `${ok.length} of ${plan.expected.cells}`;
    const text = [
      bundleSentence(run.record),
      ...(plan.imported?.says ?? []),
      `${all} configurations ${plan.imported === undefined ? 'were measured' : 'have figures'}, ${how}`,
      // Two sentences on typical intervals, of the headline and of all figures, would look like a contradiction.
      ok.length > 0 && intervalsSentence(ok, plan) === '' ? intervalSentence(ok, figure) : '',
      precisionSentence(ok, plan),
      intervalsSentence(ok, plan),
      verificationSentence(ok),
      evidenceVerdicts(run),
      flags === '' && ok.length > 0 ? 'no configuration is flagged' : flags,
    ].filter((part) => part !== '');
    return (
      runs.length > 1 ? `Run ${nameOfRun(run.record)}: ${text.join('; ')}.` : text.map(sentence).join(' ')
    ).trim();
  });
}

function evidenceVerdicts(run: ReportedRun): string {
  const { plan } = run.record;
  const ok = run.cells.filter(isOk);
  if (ok.length === 0) return '';
  if (ok.every((c) => c.evidence.verdict === 'confirmed')) {
    return `byte counters confirm that the data went over ${joinWords(plan.transports.map(({ name }) => shortTransport(name)))} as asked`;
  }
  return evidenceSentence(run.cells, plan).replace(/^evidence: /, 'evidence of the transport: ');
}

/** What a reader must not miss: wrong data, contradicted transports, failures. */
function alarms(runs: readonly ReportedRun[]): Html {
  const ok = runs.flatMap((r) => r.cells.filter(isOk));
  const wrong = ok.filter((c) => c.verification.wrongElements > 0).length;
  const contradicted = ok.filter((c) => c.evidence.verdict === 'contradicted').length;
  const failures = runs.flatMap((r) => r.record.failures);
  const lines = [
    runs.some(isFake) ? `${capital(fakeGpus)}.` : '',
    wrong > 0 ? `Wrong data in ${plural(wrong, 'configuration')}: their times are invalid.` : '',
    contradicted > 0
      ? `In ${plural(contradicted, 'configuration')} the byte counters contradict the requested transport.`
      : '',
    ...failures.map((f) => `${f.message}.`),
    ...runs.flatMap((r) => r.warnings.map((w) => `${w}.`)),
  ].filter((l) => l !== '');
  if (lines.length === 0) return html``;
  return html`<div class="warn">${lines.map((l) => html`<p>${l}</p>`)}</div>`;
}
