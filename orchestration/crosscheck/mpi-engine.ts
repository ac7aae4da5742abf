// The collbench side of a crosscheck with OSU: engine mpi over the MPI of this machine.
import { asOsu } from '../../results/derive/index.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import { type CrosscheckOptions, variablesInFacts } from '../../results/schema/index.ts';
import { planFor } from '../../suites/crosscheck/plan.ts';
import { probe } from '../probe.ts';
import { type CrosscheckEngine, measure } from './engine.ts';

/**
 * Probes the MPI of this machine and opens collbench's mpi engine for a crosscheck.
 * @throws Refusal if there is no MPI, or the MPI does not have this transport
 * @throws FailureError if the agent cannot be probed
 */
export async function openOurMpi(
  { mpirun, timeoutS }: CrosscheckOptions,
  { ranks, transport }: NonNullable<CrosscheckOptions['osu']>,
  agentPath: string,
): Promise<CrosscheckEngine> {
  const settings: Record<string, string> = mpirun === null ? {} : { mpi: mpirun };
  const { inventory, probed } = await probe(agentPath, [{ engine: 'mpi', transport, options: {}, settings }]);
  const [found] = probed;
  if (found === undefined || !found.available) {
    const { reason = '', remedy = '' } = found ?? {};
    throw refuse('mpi-cannot-run', { transport, reason, remedy });
  }
  const { facts = {}, medium, detail } = found;
  const where = {
    engine: 'mpi' as const,
    ranks,
    settings,
    over: { name: transport, medium, detail, options: {} },
  };
  return {
    gpus: [],
    medium,
    library: { path: facts['mpi.mpirun'] ?? '', version: detail },
    environment: Object.fromEntries(variablesInFacts(facts)),
    measure: (request, signal) =>
      measure(planFor(request, timeoutS, inventory.hostname, where), { agentPath, signal }, asOsu),
  };
}
