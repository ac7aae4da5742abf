import { parseJson } from '../files/json.ts';
import { topologyOf } from './from-machine.ts';
import { ncclGraphs } from './nccl-graphs.ts';
import { looksLikeNcclLog, type NcclLog, ncclLog } from './nccl-log.ts';
import { ncclSystem } from './nccl-system.ts';
import { looksLikeSmi, type SmiMatrix, smiMatrix } from './smi.ts';
import { doctorFile, machinesFile } from './stored.ts';
import { type CommGraph, type Topology, TopologyError } from './types.ts';

/** Content of one file with topology data: machines, rings and trees, a table of nvidia-smi, or a log of NCCL. */
export type TopologySource =
  | { kind: 'machines'; topologies: Topology[] }
  | { kind: 'graphs'; graphs: CommGraph[] }
  | { kind: 'matrix'; matrix: SmiMatrix }
  | { kind: 'log'; log: NcclLog };

/** Names of the kinds of files that can be read, as used in messages. */
export const sourceKinds = [
  "NCCL's topology (NCCL_TOPO_DUMP_FILE)",
  "NCCL's graphs (NCCL_GRAPH_DUMP_FILE)",
  "NCCL's log (NCCL_DEBUG=INFO)",
  'output of nvidia-smi topo -m',
  'machines.json of a run',
  'output of collbench doctor --json',
] as const;

/**
 * Recognises the kind of a topology file by its content, and parses it.
 * @param name name of the file, for the `source` of the results
 * @throws TopologyError if the content is of no known kind, or broken
 */
export function readSource(text: string, name: string): TopologySource {
  const start = text.trimStart().slice(0, 1);
  if (start === '<') return /<graphs\b/.test(text) ? graphs(text, name) : machines(ncclSystem(text, name));
  if (start === '{') return fromJson(text);
  if (looksLikeNcclLog(text)) return { kind: 'log', log: ncclLog(text, name) };
  if (looksLikeSmi(text)) return { kind: 'matrix', matrix: smiMatrix(text) };
  throw new TopologyError('nothing in it is known');
}

const graphs = (text: string, name: string): TopologySource => ({
  kind: 'graphs',
  graphs: ncclGraphs(text, name),
});
const machines = (topologies: Topology[]): TopologySource => ({ kind: 'machines', topologies });

function fromJson(text: string): TopologySource {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw new TopologyError(`JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  const run = machinesFile.safeParse(value);
  if (run.success) {
    return machines(Object.entries(run.data.machines).map(([host, machine]) => topologyOf(machine, host)));
  }
  const doctor = doctorFile.safeParse(value);
  if (doctor.success) {
    return machines(
      doctor.data.hosts.flatMap(({ name, machine }) => (machine === null ? [] : [topologyOf(machine, name)])),
    );
  }
  const isRun = typeof value === 'object' && value !== null && 'machines' in value;
  const [issue] = (isRun ? run : doctor).error?.issues ?? [];
  throw new TopologyError(
    `JSON: neither machines.json of a run nor what collbench doctor --json prints: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim(),
  );
}
