import { type DocumentTable, tableOf } from '../document/blocks.ts';
import {
  keptText,
  loadRate,
  type OverlapPoint,
  overlapPoints,
  overlapText,
  slowdownText,
} from '../load-overlap.ts';
import type { SeriesGroup } from '../series.ts';
import type { ReportTopic } from '../topics/topic.ts';

export const loadOverlap: ReportTopic = {
  id: 'load-overlap',
  chapter: 'load',
  only: ['page'],
  ofSeries: ({ group }) => [overlapTable(group)],
};

/**
 * Returns a table of how much operations and a concurrent load (`--beside`) slow each other down, one row per x and load. The table
 * has no rows if no series was measured with a load.
 */
const overlapTable = (group: SeriesGroup): DocumentTable =>
  tableOf<OverlapPoint>(
    [
      { head: group.x.noun, quantity: group.x, cell: ({ x }) => x },
      { head: 'over', cell: ({ series }) => series.name },
      { head: 'quiet', quantity: 'ns', cell: ({ found }) => found.quietNs },
      { head: 'with load', quantity: 'ns', cell: ({ found }) => found.besideNs },
      { head: 'slowdown', align: 'right', cell: ({ found }) => slowdownText(found) },
      { head: 'load alone', align: 'right', cell: ({ found }) => loadRate(found.load.alone, found) },
      { head: 'load beside', align: 'right', cell: ({ found }) => loadRate(found.load.beside, found) },
      { head: 'kept', align: 'right', cell: ({ found }) => keptText(found) },
      { head: 'overlap', align: 'right', cell: ({ found }) => overlapText(found) },
    ],
    overlapPoints(group),
    {
      title: 'Beside a load.',
      caption:
        'Mean times per operation, because a load that takes turns with a rank delays few operations by much. Alone and beside are rates of the load of all ranks, by itself just before each block and while operations were timed; kept is their ratio. Overlap is the time saved by doing both at once, as a share of that time: 100 % if both run at full speed, 0 % as if they took turns, below 0 % if they hinder each other more than that. In brackets 95 % intervals between launches.',
    },
  );
