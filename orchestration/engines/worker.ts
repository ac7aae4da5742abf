// Engines that start Python workers: interpretation of their probes.
import { type EngineName, engineRow, type RunPlan } from '../../results/schema/index.ts';
import { planningEngines } from '../../suites/engines/index.ts';
import { isPlugin, transportOptions } from '../../suites/transports/index.ts';
import type { TransportCapability } from '../protocol.ts';
import { cpu } from './cpu.ts';
import type { Engine } from './engine.ts';
import { variableLines } from './gpu-engine.ts';
import { gpuEngineHosts, gpuNodes } from './gpu-hosts.ts';
import { definedFacts, factsIn, gpusOfFacts, gpusText, versionsIn } from './nccl/facts.ts';
import { librariesOfProbe } from './nccl/libraries.ts';

/** True if the ranks run on GPUs: only then the probe reports the number of GPUs. */
const isOnGpus = (probed: readonly TransportCapability[]): boolean =>
  factsIn({ probed })['gpu.count'] !== undefined;

/**
 * Makes an engine that starts Python workers. If the probe of any host found GPUs, each rank gets one; otherwise ranks run
 * on CPUs.
 * @param modules Python modules whose versions are recorded, the framework first
 */
export function workerEngine(name: EngineName, modules: readonly string[]): Engine {
  const planning = planningEngines[name];
  const { title } = engineRow({ engine: name });
  const transports = planning.transports.filter((transport) => transport !== 'plugin');
  return {
    ...cpu,
    name,
    engineHosts(command, options, hosts, isHere) {
      if (!hosts.some(({ result }) => isOnGpus(result.probed)))
        return cpu.engineHosts(command, options, hosts, isHere);
      const gpuHosts = gpuEngineHosts(command, options, hosts, isHere);
      // Workers allocate their own buffers, so no memory is needed for rotating ones.
      const withoutRotation = (plan: RunPlan) => ({ ...plan, settings: { ...plan.settings, cache: 'hot' } });
      return { ...gpuHosts, memoryShortage: (plan) => gpuHosts.memoryShortage(withoutRotation(plan)) };
    },
    devicesIn: (result) => (isOnGpus(result.probed) ? gpusOfFacts(factsIn(result)).length : null),
    deviceNodes: (result, options) => (isOnGpus(result.probed) ? gpuNodes(result, options) : []),
    async alternatives(result, options, ask) {
      if (ask === null) return result.transports;
      const settings = planning.settings(options);
      const { probed } = await ask(
        transports.map((transport) => ({
          ...{ engine: name, transport, settings },
          options: transportOptions(transport, options),
        })),
      );
      return probed;
    },
    networkOf: (transport, { facts = {} }) =>
      transport === 'sisci' || isPlugin(transport) ? facts['env.NCCL_NET'] : undefined,
    opensSockets: (capability) => !isOnGpus([capability]),
    async versions(_plan, hosts, isHere) {
      const [first] = hosts;
      const facts = first === undefined ? {} : factsIn(first);
      const isGpu = first !== undefined && isOnGpus(first.probed);
      const nccl = isGpu
        ? versionsIn(
            facts,
            hosts.flatMap((host) => gpusOfFacts(factsIn(host))),
          )
        : {};
      const own = definedFacts([
        ...modules.map((module) => [module, facts[`${name}.module.${module}`]] as const),
        ['python', facts[`${name}.python`]],
        ['python.path', facts[`${name}.path`]],
      ]);
      return { ...own, ...nccl, ...(isGpu && isHere ? await librariesOfProbe(first) : {}) };
    },
    headLines(result) {
      const facts = factsIn(result);
      const [framework] = modules;
      const version = framework === undefined ? '' : facts[`${name}.module.${framework}`];
      return [
        `engine ${name}: ${title} ${version ?? 'not found'}, Python ${facts[`${name}.python`] ?? 'not found'}${facts[`${name}.path`] === undefined ? '' : ` of ${facts[`${name}.path`]}`}`,
        ...(isOnGpus(result.probed)
          ? [
              `  NCCL ${facts['nccl.version'] ?? 'unknown'} of ${facts['nccl.path'] ?? 'nowhere'}, ${gpusText(gpusOfFacts(facts))}`,
            ]
          : []),
      ];
    },
    settingLines: variableLines,
    async listing({ engines }, ask) {
      // Engine script has no framework: it needs a user's program, so there is nothing to list.
      if (modules.length === 0 || !engines.some((one) => one.name === name)) return null;
      // Transports other than socket need GPUs, so they are probed with backend nccl.
      const words = (transport: string) => (transport === 'socket' ? {} : { backend: 'nccl' });
      const { probed } = await ask(
        transports.map((transport) => ({
          ...{ engine: name, transport, options: {} },
          settings: words(transport),
        })),
      );
      return { headline: `training by ${title}, Python workers`, transports: probed, sharesReasons: true };
    },
  };
}
