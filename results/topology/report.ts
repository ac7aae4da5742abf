import type { TopologyReport } from '../schema/index.ts';
import type { NcclLog } from './nccl-log.ts';
import { pathsOf } from './paths.ts';
import type { SmiMatrix } from './smi.ts';
import type { CommGraph, Topology } from './types.ts';

/**
 * Data that `collbench topo` shows: machines, the rings and trees of NCCL, tables of nvidia-smi with the name of their file, and
 * NCCL's log (null without one).
 */
export interface TopologyView {
  topologies: readonly Topology[];
  graphs: readonly CommGraph[];
  matrices: readonly { name: string; matrix: SmiMatrix }[];
  log: NcclLog | null;
}

/**
 * Returns the content of the JSON that `collbench topo` prints for programs (results/schema/generated/topology.json), with the
 * present time. Each machine also gets the paths between its devices.
 */
export function topologyJson(
  { topologies, graphs, matrices, log }: TopologyView,
  collbenchVersion: string,
): TopologyReport {
  return {
    schemaVersion: 1,
    collbenchVersion,
    at: new Date().toISOString(),
    machines: topologies.map((topology) => ({
      ...topology,
      paths: pathsOf(topology).map(({ a, b, joint, ceiling: { GBps, limit, isComplete } }) => ({
        a: a.id,
        b: b.id,
        joint,
        ceilingGBps: GBps,
        limit,
        isComplete,
      })),
    })),
    graphs: [...graphs],
    matrices: [...matrices],
    log: log === null ? null : factsIn(log),
  };
}

const factsIn = ({ graphs: _graphs, topologies: _topologies, ...facts }: NcclLog): TopologyReport['log'] =>
  facts;
