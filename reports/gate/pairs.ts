// Table of the gate's verdicts from pairs of launches (candidate and reference in turn), one row per size range.
import { evidenceText } from '../../results/judge/verdict-text.ts';
import type { GateGroup, GateResult } from '../../results/schema/index.ts';
import { type DocumentTable, tableOf } from '../document/blocks.ts';
import { formatPercent } from '../wording.ts';

const maxRows = 30;

interface PairRow {
  group: GateGroup;
  sequence: NonNullable<GateGroup['sequence']>;
  last: NonNullable<GateGroup['sequence']>['looks'][number];
}

/**
 * Returns the table of what pairs of launches (candidate and reference in turn) showed for each size range: number of pairs, their
 * scatter, evidence (e-values) for slower, faster and same, the margin within which they can show "same", and how many more pairs
 * are expected to decide. The table has no rows if launches were not measured in pairs.
 */
export function pairTable({ groups, mustDetect }: GateResult): DocumentTable {
  const rows = groups.flatMap((group): PairRow[] => {
    const { sequence } = group;
    const last = sequence?.looks.at(-1);
    return sequence === undefined || last === undefined ? [] : [{ group, sequence, last }];
  });
  const percentOrNone = (share: number | null): string => (share === null ? 'none' : formatPercent(share));
  return tableOf<PairRow>(
    [
      {
        head: 'pairs of launches',
        names: 'beside',
        isLong: true,
        cell: ({ group }) => `${group.entry}: ${group.title}`,
      },
      { head: 'pairs', align: 'right', cell: ({ sequence }) => String(sequence.looks.length) },
      { head: 'scatter', align: 'right', cell: ({ sequence }) => percentOrNone(sequence.scatter) },
      { head: 'slower', align: 'right', cell: ({ last }) => evidenceText(last.slower) },
      { head: 'faster', align: 'right', cell: ({ last }) => evidenceText(last.faster) },
      { head: 'same', align: 'right', cell: ({ last }) => evidenceText(last.same) },
      { head: 'margin', align: 'right', cell: ({ sequence }) => percentOrNone(sequence.reachableMargin) },
      { head: 'more', align: 'right', cell: ({ sequence }) => String(sequence.furtherPairs ?? '>200') },
    ],
    rows,
    {
      caption: `Evidence (e-values) for slower, faster, and the same within ${formatPercent(mustDetect)}: 200 and 100 suffice for a single size range, more ranges need more for slower and faster. Scatter: standard deviation of a pair. Margin: within which as many pairs as allowed can show "same". More: pairs that are expected to decide.`,
      maxRows,
      rest: ': suite.json',
    },
  );
}
