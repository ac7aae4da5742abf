// Chapter about evidence: whether data used the requested transport and was correct.
import { nameOfRun } from '../../results/compare/run.ts';
import { type DocumentBlock, tableOf } from '../document/blocks.ts';
import { type TransportEvidence, transportEvidence, verdictText } from '../evidence.ts';
import { isOk, type ReportRun } from '../series.ts';
import { verificationSentence } from '../summary.ts';
import { formatCount, shortTransport } from '../wording.ts';

type EvidenceRow = TransportEvidence & { run: ReportRun };

export function evidence(runs: readonly ReportRun[]): DocumentBlock[] {
  const nameOf = ({ record }: ReportRun): string => (runs.length > 1 ? nameOfRun(record) : '');
  const verified = runs.map((run): DocumentBlock => {
    const name = nameOf(run);
    const text = verificationSentence(run.cells.filter(isOk));
    return { kind: 'paragraph', text: name === '' ? text : `Run ${name}: ${text}`, isSentence: true };
  });
  const table = tableOf<EvidenceRow>(
    [
      { head: 'verdict', isVerdict: true, cell: ({ cells }) => verdictText(cells) },
      { head: 'run', cell: ({ run }) => nameOf(run) },
      { head: 'over', cell: ({ name }) => shortTransport(name) },
      {
        head: 'medium',
        cell: ({ largest: { medium } }) => (medium === 'emulated' ? { label: medium } : medium),
      },
      { head: 'configurations', align: 'right', cell: ({ cells }) => formatCount(cells.length) },
      { head: 'why', isLong: true, cell: ({ largest }) => largest.evidence.reason },
    ],
    runs.flatMap((run) =>
      transportEvidence(run.cells, run.record.plan, String).map((one) => ({ ...one, run })),
    ),
    {
      title: 'Evidence of the transports.',
      caption:
        'The reason is that of the largest size with the worst verdict; the method has what the words mean.',
    },
    ({ verdict }) => ({ isBad: verdict === 'contradicted' }),
  );
  return [...verified, table];
}
