import type { CellRecord } from '../schema/index.ts';

/** "allreduce float32 sum, cpu over socket, 2 ranks"; the same for all cells of a series. */
export function seriesTitle(cell: CellRecord): string {
  const { collective, dtype, op, root, inPlace, engine, transport, medium, ranks, nodes, group } = cell;
  const what = [collective, dtype === 'unknown' ? null : dtype, op, root === null ? null : `root ${root}`];
  return [
    what.filter((word) => word !== null).join(' ') + (inPlace ? ' in place' : ''),
    `${engine} over ${transport}${medium === 'emulated' ? ' (emulated)' : ''}`,
    `${ranks} ${ranks === 1 ? 'rank' : 'ranks'}${nodes > 1 ? ` on ${nodes} nodes` : ''}`,
    ...(group === undefined ? [] : [group.name]),
  ].join(', ');
}
