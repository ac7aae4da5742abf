import { type TrafficMatrix, trafficSums, workloadOf } from '../../results/schema/index.ts';
import { sizeText } from '../../results/units.ts';
import { type CellColumn, type DocumentTable, onlyIn, tableOf } from '../document/blocks.ts';
import { namedX } from '../rows.ts';
import { type CellSlot, type SeriesGroup, titleOfPoint } from '../series.ts';
import { formatCount } from '../wording.ts';
import type { ReportTopic } from './topic.ts';

/**
 * Maximum number of ranks for which the table shows every number of a traffic matrix. Of larger matrices it shows the busiest
 * ports.
 */
const maxShownRanks = 16;

/** Maximum number of ports that the table shows of a matrix with more than `maxShownRanks` ranks, the busiest first. */
const maxPorts = 16;

/** Topic that shows how many bytes each rank sends to each other rank, for workloads with a traffic matrix. */
export const trafficMatrixTopic: ReportTopic = {
  id: 'traffic-matrix',
  chapter: 'ranks',
  title: 'Traffic matrix',
  ofReport(groups) {
    const found = groups.flatMap(matrixOfGroup);
    // Phases and transports of one operation have equal matrices; only the first is shown.
    const isFirst = ({ text }: ShownMatrix, at: number) => found.findIndex((one) => one.text === text) === at;
    return found
      .filter(isFirst)
      .flatMap(({ matrix, title }) => [
        onlyIn('terminal', { kind: 'paragraph', text: title }),
        matrix.length <= maxShownRanks ? entryTable(matrix, title) : portTable(matrix, title),
      ]);
  },
};

interface ShownMatrix {
  matrix: TrafficMatrix;
  title: string;
  /** The traffic matrix as text; equal matrices have equal texts, so that each is shown once. */
  text: string;
}

/** Returns the traffic matrix of the group at its largest size; empty if its workload has none. */
function matrixOfGroup(group: SeriesGroup): ShownMatrix[] {
  const [first] = group.series;
  const slot = first?.slots.at(-1);
  if (first === undefined || slot === undefined) return [];
  const matrix = matrixOf(slot);
  if (matrix === null) return [];
  const title = `${titleOfPoint(first.run.plan, slot.point)}, ${namedX(group.x, slot.x)}.`;
  return [{ matrix, title, text: JSON.stringify(matrix) }];
}

/**
 * Returns the traffic matrix of a configuration; null if its workload has none, or if a later version of collbench stored the run
 * and this one does not know the workload.
 */
function matrixOf({ point }: CellSlot): TrafficMatrix | null {
  try {
    return workloadOf(point.workload).trafficOf?.(point) ?? null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

interface PortLoad {
  rank: number;
  sent: number;
  received: number;
  own: number;
}

/**
 * Returns for each rank how many bytes one operation makes it send to others (`sent`), receive from others (`received`), and keep
 * (`own`). The index is the rank.
 */
const portLoads = (matrix: TrafficMatrix): PortLoad[] =>
  matrix.map((row, rank) => {
    const own = row[rank] ?? 0;
    const received = matrix.reduce((all, sender) => all + (sender[rank] ?? 0), 0);
    return { rank, sent: row.reduce((all, entry) => all + entry, 0) - own, received: received - own, own };
  });

const sizeOrDash = (bytes: number): string | null => (bytes === 0 ? null : sizeText(bytes));

function captionOf(matrix: TrafficMatrix): string {
  const { sent, busiest } = trafficSums(matrix);
  const mean = sent / matrix.length;
  const uneven = mean === 0 ? '' : `, ${(busiest / mean).toFixed(2)} times the mean`;
  return `Ranks send ${sizeText(sent)} to others. The busiest port carries ${sizeText(busiest)}${uneven}; a port is what one rank sends to others, or receives from others.`;
}

function entryTable(matrix: TrafficMatrix, title: string): DocumentTable {
  const columns: CellColumn<PortLoad>[] = [
    { head: 'from', align: 'right', cell: ({ rank }) => String(rank) },
    ...matrix.map(
      (_, peer): CellColumn<PortLoad> => ({
        head: `to ${peer}`,
        align: 'right',
        priority: peer + 1,
        cell: ({ rank }) => sizeOrDash(matrix[rank]?.[peer] ?? 0),
      }),
    ),
    { head: 'sends', align: 'right', cell: ({ sent }) => sizeOrDash(sent) },
    { head: 'receives', align: 'right', cell: ({ received }) => sizeOrDash(received) },
  ];
  return tableOf(columns, portLoads(matrix), {
    title,
    caption: `${captionOf(matrix)} Sums leave out what a rank sends to itself.`,
    columnNoun: 'receiver',
  });
}

function portTable(matrix: TrafficMatrix, title: string): DocumentTable {
  const loads = portLoads(matrix).sort(
    (a, b) => Math.max(b.sent, b.received) - Math.max(a.sent, a.received) || a.rank - b.rank,
  );
  return tableOf<PortLoad>(
    [
      { head: 'rank', align: 'right', cell: ({ rank }) => String(rank) },
      { head: 'sends', align: 'right', cell: ({ sent }) => sizeOrDash(sent) },
      { head: 'receives', align: 'right', cell: ({ received }) => sizeOrDash(received) },
      { head: 'keeps', align: 'right', cell: ({ own }) => sizeOrDash(own) },
    ],
    loads.slice(0, maxPorts),
    {
      title,
      caption: `${captionOf(matrix)} The ${formatCount(Math.min(maxPorts, loads.length))} busiest of ${formatCount(loads.length)} ranks.`,
    },
  );
}
