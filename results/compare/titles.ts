import { type CellRecord, dataOf, titleOf, type WorkloadData } from '../schema/index.ts';

interface TitleContext {
  engine: string;
  transport: string;
  medium: string;
  ranks: number;
  nodes: number;
}

/** Returns the operation with its options as text: "allreduce float32 sum". @param row description of the workload */
export const operationText = (row: WorkloadData, axes: Parameters<typeof titleOf>[1]): string =>
  titleOf(row, axes, ' ');

/**
 * Returns engine, transport and ranks as text, with the nodes if there are several: "cpu over socket (emulated), 2 ranks on 2
 * nodes".
 */
export const placeText = ({ engine, transport, medium, ranks, nodes }: TitleContext): string =>
  `${engine} over ${transport}${medium === 'emulated' ? ' (emulated)' : ''}, ${ranks} ${ranks === 1 ? 'rank' : 'ranks'}${nodes > 1 ? ` on ${nodes} nodes` : ''}`;

/**
 * Returns the title of a series, equal for all its cells, with the group of ranks if it has one: "allreduce float32 sum, cpu over
 * socket, 2 ranks".
 */
export function seriesTitle(cell: CellRecord): string {
  const { workload, axes, group } = cell;
  return [
    operationText(dataOf(workload), axes),
    placeText(cell),
    ...(group === undefined ? [] : [group.name]),
  ].join(', ');
}
