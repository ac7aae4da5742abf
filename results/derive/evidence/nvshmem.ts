import {
  type BlockRecord,
  type Evidence,
  type PointPlan,
  type RunPlan,
  type TransportPlan,
  transportOf,
} from '../../schema/index.ts';
import { launchPaths } from '../cells/choices.ts';
import { confirmed, unproven } from './interfaces.ts';
import { ncclEvidence, softwareCardEvidence } from './nccl.ts';

/**
 * Judges whether the bytes went from GPU to GPU. Each rank reports how many other ranks its loads and stores reach, and starts only
 * if it reaches all; then no other path is possible. Series whose operations NCCL ran are judged by NCCL's log. Over ibgda only the
 * byte counts of a software card can prove the path.
 */
export function nvshmemEvidence(
  plan: RunPlan,
  point: PointPlan,
  transport: TransportPlan,
  blocks: readonly BlockRecord[],
): Evidence {
  if (transportOf(transport) === 'ibgda') {
    return (
      softwareCardEvidence(plan, point, transport, blocks) ??
      unproven('nothing counts what NVSHMEM sends through a card')
    );
  }
  const launches = [...launchPaths(blocks).values()];
  const reached = launches.map((paths) => paths['P2P/NVSHMEM'] ?? 0);
  if (launches.length > 0 && reached.every((count) => count > 0)) {
    return confirmed(
      'every rank maps the memory of all others (nvshmem_ptr): loads and stores between GPUs, no network',
    );
  }
  const { algo: _, ...settings } = transport.settings ?? {};
  return ncclEvidence(plan, point, { ...transport, settings }, blocks);
}
