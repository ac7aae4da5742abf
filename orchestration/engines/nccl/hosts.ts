// Requirements of NCCL for GPUs and hosts.
import { foldNames } from '../../../results/fold.ts';
import { refuse } from '../../../results/refusals/refusal.ts';
import { isFloat8 } from '../../../results/schema/index.ts';
import type { PlanOptions } from '../../../suites/options/plan-options.ts';
import type { MeasuredCommand } from '../../../suites/workloads/index.ts';
import type { Engine, ProbedHost } from '../engine.ts';
import { gpuEngineHosts, requireRanks } from '../gpu-hosts.ts';
import { factsIn, type NcclFacts, type NcclGpu, versionNumber } from './facts.ts';

/**
 * Checks that NCCL and the GPUs support 8-bit floats, if such a data type was requested. They need NCCL 2.24 and, for
 * reductions, GPUs of compute capability 9.0. An unknown version or capability is accepted.
 * @throws Refusal if NCCL or a GPU does not support them
 */
export function requireFloat8Support(
  { name, workload }: MeasuredCommand,
  { dtype: dtypes }: Pick<PlanOptions, 'dtype'>,
  gpus: readonly NcclGpu[],
  facts: NcclFacts,
): void {
  const dtype = dtypes.find(isFloat8);
  if (dtype === undefined) return;
  const others = dtypes.filter((name) => !isFloat8(name));
  const version = facts['nccl.version'];
  if (version !== undefined && versionNumber(version) < 22400) {
    throw refuse('float8-needs-nccl', { dtype, version, others });
  }
  const gpu = gpus.find(({ capability }) => capability > 0 && capability < 90);
  if (workload.isReducing?.(name) === true && gpu !== undefined)
    throw refuse('float8-needs-gpu', { dtype, gpu, others });
}

/**
 * Checks that all hosts have the same version of NCCL, because mixed versions hang or fail with unclear errors. An
 * unknown version counts as a version of its own.
 * @throws Refusal if versions differ
 */
function requireOneNccl(hosts: readonly ProbedHost[]): void {
  const byVersion = new Map<string, string[]>();
  for (const { name, result } of hosts) {
    const version = factsIn(result)['nccl.version'] ?? 'none';
    byVersion.set(version, [...(byVersion.get(version) ?? []), name]);
  }
  if (byVersion.size < 2) return;
  const versions = [...byVersion].map(([version, names]) => ({ version, hosts: foldNames(names) }));
  throw refuse('nccl-versions-differ', { versions });
}

/**
 * Returns the numbers of GPUs of all hosts, and checks of GPUs and ranks, as gpuEngineHosts() does. require() also demands the same
 * NCCL version on all hosts, and that the first host supports the requested data types. If the run is not on this machine alone,
 * require() also demands that the collective can run with the number of ranks.
 */
export const ncclEngineHosts: Engine['engineHosts'] = (command, options, hosts, isHere) =>
  gpuEngineHosts(command, options, hosts, isHere, ({ gpus, ranks }) => {
    requireOneNccl(hosts);
    requireFloat8Support(command, options, gpus, factsIn(hosts[0]?.result ?? { probed: [] }));
    if (!isHere) requireRanks(command, options, ranks, gpus.length);
  });
