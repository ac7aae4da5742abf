// The collbench side of a crosscheck with OSU: engine mpi over the MPI of this machine, or of several hosts.
import { asOsu } from '../../results/derive/index.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import { type CrosscheckOptions, detailText, variablesInFacts } from '../../results/schema/index.ts';
import { FailureError } from '../../results/verdicts/failure.ts';
import { type CrosscheckRequest, operationOf, planFor } from '../../suites/crosscheck/plan.ts';
import { planningEngines } from '../../suites/engines/index.ts';
import { schedule } from '../../suites/schedule.ts';
import { transportOptions } from '../../suites/transports/index.ts';
import { detailOver } from '../engines/engine.ts';
import { engines, type MeasureOptions } from '../engines/index.ts';
import { type HostPool, sessionOptionsAt } from '../preparing/host-pool.ts';
import { probeForPlan, requireAvailable, requireInterface } from '../preparing/probe-hosts.ts';
import { runSession, type SessionOptions } from '../session/session.ts';
import { type CrosscheckEngine, measure } from './engine.ts';

/** Message size in bytes of a short launch that only shows which MPI variables the ranks on several hosts use. */
const shownBytes = 8;

/**
 * Probes the MPI of the hosts and returns collbench's mpi engine for a crosscheck. On several hosts it also runs a short launch.
 * @param nodes the hosts, or none for this machine alone
 * @param measured options of a measuring command with the same engine, transport and hosts
 * @throws Refusal if a host has no MPI or no such interface, the MPI does not have this transport, or hosts need different
 * variables for it
 * @throws FailureError if a host cannot be probed, or ranks on several hosts cannot be started
 */
export async function openOurMpi(
  options: CrosscheckOptions,
  nodes: HostPool,
  measured: MeasureOptions,
  signal: AbortSignal,
): Promise<CrosscheckEngine> {
  const isHere = nodes.hosts.length === 0;
  const asked = await probeForPlan(engines.mpi, measured, nodes, undefined);
  for (const [i, { name, result }] of asked.hosts.entries())
    requireInterface(nodes.hosts[i]?.iface ?? measured.interface, name, result.inventory);
  await requireAvailable('crosscheck', engines.mpi, measured, asked, nodes);
  const [first] = asked.hosts;
  const [found] = first?.result.probed ?? [];
  if (first === undefined || found === undefined) throw new Error('no host was probed');
  const { facts = {}, medium } = found;
  const { usual } = planningEngines.mpi;
  const here = Array.from({ length: measured.ranks ?? usual.ranks ?? 2 }, (_, rank) => rank);
  const hosts = isHere
    ? [{ name: first.name, ranks: here }]
    : nodes.place(null).map(({ iface, ...host }) => ({ ...host, ...(iface === null ? {} : { iface }) }));
  const ranks = hosts.reduce((sum, host) => sum + host.ranks.length, 0);
  const detail = detailOver(engines.mpi, hosts.length, measured.interface !== null, found);
  const over = { name: found.name, medium, detail, options: transportOptions(found.name, measured) };
  const launcher = nodes.launcherText === undefined ? {} : { launcher: nodes.launcherText };
  const where = { engine: 'mpi' as const, ranks, hosts, ...launcher, settings: asked.settings, over };
  const at = { ...sessionOptionsAt(nodes), signal };
  const planOf = (request: CrosscheckRequest) => planFor(request, options.timeoutS, where);
  const small = { ...operationOf('allreduce', options), sizes: [shownBytes], round: 0 };
  const environment = isHere
    ? Object.fromEntries(variablesInFacts(facts))
    : await variablesOfLaunch(planOf(small), at);
  return {
    ...{ gpus: [], ranks, medium, environment },
    hosts: isHere
      ? []
      : hosts.map(({ name, ranks }) => ({
          ...{ name, ranks: ranks.length },
          address: nodes.hosts.find((host) => host.name === name)?.address ?? name,
        })),
    library: {
      path: facts['mpi.mpirun'] ?? '',
      version: detailText({ library: facts['mpi.version'] ?? '', ...detail }),
    },
    lackText: 'no call that all ranks began in time',
    measure: (request, signal) => measure(planOf(request), { ...at, signal }, asOsu),
  };
}

/**
 * Measures a plan and returns the MPI variables that rank 0 uses for the transport, keyed by name. On several hosts the ranks
 * choose their network interfaces only when they start, so a probe cannot show the variables.
 * @throws Refusal if the first rank of another host has a different value for one of them
 * @throws FailureError if the launch fails
 */
async function variablesOfLaunch(
  plan: ReturnType<typeof planFor>,
  options: SessionOptions,
): Promise<Record<string, string>> {
  const variables = new Map<number, Map<string, string>>();
  for await (const event of runSession(plan, schedule(plan), options)) {
    if (event.type === 'failure') throw new FailureError(event.failure);
    if (event.type !== 'launch') continue;
    for (const { rank, facts } of event.record.ranks)
      variables.set(rank, new Map(variablesInFacts(facts ?? {})));
  }
  const common = variables.get(0) ?? new Map<string, string>();
  for (const [name, value] of common) {
    const values = plan.hosts.map((host) => variables.get(host.ranks[0] ?? 0)?.get(name) ?? '');
    if (values.some((other) => other !== value))
      throw refuse('osu-variables-differ', {
        name,
        values: plan.hosts.map((host, i) => `${host.name}: ${values[i]}`),
      });
  }
  return Object.fromEntries(common);
}
