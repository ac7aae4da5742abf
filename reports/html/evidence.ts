// Chapter about evidence: whether data used the requested transport and was correct, and how devices are connected.
import { nameOfRun } from '../../results/compare/names.ts';
import type { OkCell } from '../../results/schema/index.ts';
import { verdictText } from '../choices.ts';
import { isOk, type ReportRun, xOfPoint } from '../series.ts';
import { verificationSentence } from '../summary.ts';
import { capitalise, formatCount, shortTransport } from '../wording.ts';
import { html, type SafeHtml, table } from './markup.ts';
import type { NextTable } from './sections.ts';

interface EvidenceRow {
  run: ReportRun;
  transport: string;
  medium: string;
  cells: OkCell[];
  /** Reason for the worst verdict on the transport (what byte counters showed), at the largest x with that verdict. */
  reason: string;
}

export function evidence(runs: readonly ReportRun[], next: NextTable): SafeHtml {
  const rows = runs.flatMap(rowsOf);
  const several = runs.length > 1;
  const told =
    rows.length === 0
      ? ''
      : table<EvidenceRow>(
          html`<b>Table ${next()}. Evidence of the transports.</b> The reason is that of the largest size with the worst verdict; the method has what the words mean.`,
          [
            { head: 'verdict', cell: ({ cells }) => verdictText(cells) },
            ...(several ? [{ head: 'run', cell: ({ run }: EvidenceRow) => nameOfRun(run.record) }] : []),
            { head: 'over', cell: ({ transport }) => shortTransport(transport) },
            {
              head: 'medium',
              cell: ({ medium }) =>
                medium === 'emulated' ? html`<span class="emu">emulated</span>` : medium,
            },
            { head: 'configurations', number: true, cell: ({ cells }) => formatCount(cells.length) },
            { head: 'why', isLong: true, cell: ({ reason }) => reason },
          ],
          rows,
          ({ cells }) => (cells.some((cell) => cell.evidence.verdict === 'contradicted') ? 'bad' : ''),
        );
  return html`${runs.map((run) => verified(run, several))}${told}`;
}

function verified(run: ReportRun, several: boolean): SafeHtml {
  const ok = run.cells.filter(isOk);
  const name = several ? `Run ${nameOfRun(run.record)}: ` : '';
  const text = verificationSentence(ok);
  return html`<p>${name}${name === '' ? capitalise(text) : text}.</p>\n`;
}

const order = ['contradicted', 'unproven', 'confirmed'] as const;

function rowsOf(run: ReportRun): EvidenceRow[] {
  const { plan } = run.record;
  return plan.transports.flatMap(({ name, medium }) => {
    const cells = run.cells.filter(isOk).filter(({ transport }) => transport === name);
    const worst = order.find((verdict) => cells.some((cell) => cell.evidence.verdict === verdict));
    if (worst === undefined) return [];
    const such = cells.filter((cell) => cell.evidence.verdict === worst);
    const largest = such.reduce((a, b) => (xOfPoint(plan, b) > xOfPoint(plan, a) ? b : a));
    return [{ run, transport: name, medium, cells, reason: largest.evidence.reason }];
  });
}
