// Chapter about evidence: whether data used the requested transport and was correct, and how devices are connected.
import { nameOfRun } from '../../results/compare/run.ts';
import { verdictText } from '../choices.ts';
import { type TransportEvidence, transportEvidence } from '../evidence.ts';
import { isOk, type ReportRun } from '../series.ts';
import { verificationSentence } from '../summary.ts';
import { capitalise, formatCount, shortTransport } from '../wording.ts';
import { html, type SafeHtml, table } from './markup.ts';
import type { NextTable } from './sections.ts';

type EvidenceRow = TransportEvidence & { run: ReportRun };

export function evidence(runs: readonly ReportRun[], next: NextTable): SafeHtml {
  const rows = runs.flatMap((run) =>
    transportEvidence(run.cells, run.record.plan, String).map((one): EvidenceRow => ({ ...one, run })),
  );
  const several = runs.length > 1;
  const told =
    rows.length === 0
      ? ''
      : table<EvidenceRow>(
          html`<b>Table ${next()}. Evidence of the transports.</b> The reason is that of the largest size with the worst verdict; the method has what the words mean.`,
          [
            { head: 'verdict', cell: ({ cells }) => verdictText(cells) },
            ...(several ? [{ head: 'run', cell: ({ run }: EvidenceRow) => nameOfRun(run.record) }] : []),
            { head: 'over', cell: ({ name }) => shortTransport(name) },
            {
              head: 'medium',
              cell: ({ largest: { medium } }) =>
                medium === 'emulated' ? html`<span class="emu">emulated</span>` : medium,
            },
            { head: 'configurations', number: true, cell: ({ cells }) => formatCount(cells.length) },
            { head: 'why', isLong: true, cell: ({ largest }) => largest.evidence.reason },
          ],
          rows,
          ({ verdict }) => (verdict === 'contradicted' ? 'bad' : ''),
        );
  return html`${runs.map((run) => verified(run, several))}${told}`;
}

function verified(run: ReportRun, several: boolean): SafeHtml {
  const ok = run.cells.filter(isOk);
  const name = several ? `Run ${nameOfRun(run.record)}: ` : '';
  const text = verificationSentence(ok);
  return html`<p>${name}${name === '' ? capitalise(text) : text}.</p>\n`;
}
