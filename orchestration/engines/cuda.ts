import { planningEngines } from '../../suites/engines/index.ts';
import { transportOptions } from '../../suites/transports/index.ts';
import type { Engine, EngineListing } from './engine.ts';
import { definedFacts, gpuEngineHosts, gpuNodes } from './gpu-hosts.ts';
import { factsIn, gpusOfFacts, gpusText } from './nccl/facts.ts';

const planning = planningEngines.cuda;

/** Engine for collbench's own kernels on the GPUs of one machine. */
export const cuda: Engine = {
  name: 'cuda',
  engineHosts: gpuEngineHosts,
  devicesIn: (result) => gpusOfFacts(factsIn(result)).length,
  deviceNodes: gpuNodes,
  async alternatives({ transports }, options, ask) {
    if (ask === null) return transports;
    const settings = planning.settings(options);
    const { probed } = await ask(
      planning.transports.map((transport) => ({
        engine: 'cuda',
        transport,
        options: transportOptions(transport, options),
        settings,
      })),
    );
    return probed;
  },
  networkOf: () => undefined,
  detailOver: (_hosts, _transport, _isBound, detail) => detail,
  async versions(_plan, [first]) {
    const facts = first === undefined ? {} : factsIn(first);
    return definedFacts([
      ['driver', facts['driver.release']],
      ['driver.cuda', facts['driver.version']],
      ['nvrtc', facts['nvrtc.path'] ?? facts['nvrtc.missing']],
      ['gpus', gpusText(gpusOfFacts(facts))],
    ]);
  },
  headLines(result, _options, settings) {
    const facts = factsIn(result);
    const gpus = gpusOfFacts(facts);
    const words = Object.entries(settings).map(([word, value]) => `${word}=${value}`);
    return [
      `engine cuda: kernels of collbench, compiled by ${facts['nvrtc.path'] ?? 'NVRTC, which is missing'}`,
      `  GPUs: ${gpus.length === 0 ? 'none' : gpusText(gpus)}`,
      ...(words.length === 0 ? [] : [`  settings: ${words.join(' ')}`]),
    ];
  },
  settingLines: () => [],
  async listing({ engines }, ask): Promise<EngineListing | null> {
    if (!engines.some(({ name }) => name === planning.name)) return null;
    const { probed } = await ask(
      planning.transports.map((transport) => ({ engine: 'cuda', transport, options: {} })),
    );
    const gpus = gpusOfFacts(factsIn({ probed }));
    return {
      headline: gpus.length === 0 ? 'no GPU' : gpusText(gpus),
      transports: probed.map((capability) => ({
        ...capability,
        summary:
          capability.name === 'p2p'
            ? 'GPU to GPU on one machine, by loads and stores over NVLink or PCIe'
            : 'kernels write and ring the queues of the adapter',
      })),
      sharesReasons: true,
    };
  },
};
