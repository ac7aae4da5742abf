import type { TopologyView } from '../../reports/topology/terminal.ts';
import type { TopologyReport } from '../../results/schema/index.ts';
import { pathsOf } from '../../results/topology/index.ts';
import { version } from '../native.ts';

/** The picture for programs (results/schema/generated/topology.json). */
export function topologyJson({ topologies, graphs, matrices, log }: TopologyView): TopologyReport {
  const { graphs: _told, ...facts } = log ?? { graphs: [] };
  return {
    schemaVersion: 1,
    collbenchVersion: version(),
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
    log: log === null ? null : (facts as TopologyReport['log']),
  };
}
