import { planningEngines } from '../../suites/engines/index.ts';
import type { Engine, EngineListing } from './engine.ts';
import { definedFacts, gpuEngineHosts, gpuNodes } from './gpu-hosts.ts';
import { environmentIn, factsIn, gpusOfFacts, gpusText, type NcclFacts } from './nccl/facts.ts';

const planning = planningEngines.nvshmem;

const found = (facts: NcclFacts): string =>
  facts['nvshmem.path'] === undefined
    ? 'no NVSHMEM found'
    : `NVSHMEM ${facts['nvshmem.version'] ?? '(version unknown)'} of ${facts['nvshmem.path']}, found by ${facts['nvshmem.how'] ?? 'search'}`;

const summaries: Readonly<Record<string, string>> = {
  p2p: 'GPU to GPU on one machine, by loads and stores over NVLink or PCIe',
  ibgda: "NVSHMEM's own IBGDA: GPUs write the queues of a ConnectX, or of its emulation softmlx5",
};

/** Engine for NVSHMEM on the GPUs of one machine. */
export const nvshmem: Engine = {
  name: 'nvshmem',
  engineHosts: gpuEngineHosts,
  devicesIn: (result) => gpusOfFacts(factsIn(result)).length,
  deviceNodes: gpuNodes,
  async alternatives({ transports }, options, ask) {
    if (ask === null) return transports;
    const settings = planning.settings(options);
    const { probed } = await ask(
      planning.transports.map((transport) => ({ engine: 'nvshmem', transport, options: {}, settings })),
    );
    return probed;
  },
  networkOf: () => undefined,
  detailOver: (_hosts, _transport, _isBound, detail) => detail,
  async versions(_plan, [first]) {
    const facts = first === undefined ? {} : factsIn(first);
    return definedFacts([
      ['nvshmem', facts['nvshmem.version']],
      ['nvshmem.path', facts['nvshmem.path']],
      ['nvcc', facts['nvcc.path']],
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
      `engine nvshmem: ${found(facts)}`,
      `  nvcc: ${facts['nvcc.path'] ?? 'none found'}`,
      `  GPUs: ${gpus.length === 0 ? 'none' : gpusText(gpus)}`,
      ...(words.length === 0 ? [] : [`  settings: ${words.join(' ')}`]),
    ];
  },
  settingLines: (_transport, capability) =>
    environmentIn(capability).map(([name, value]) => `  ${name}=${value}`),
  async listing({ engines }, ask): Promise<EngineListing | null> {
    if (!engines.some(({ name }) => name === planning.name)) return null;
    const { probed } = await ask(
      planning.transports.map((transport) => ({ engine: 'nvshmem', transport, options: {} })),
    );
    const facts = factsIn({ probed });
    const gpus = gpusOfFacts(facts);
    const library =
      facts['nvshmem.path'] === undefined ? 'no NVSHMEM' : `NVSHMEM ${facts['nvshmem.version'] ?? ''}`.trim();
    return {
      headline: `${library}, ${gpus.length === 0 ? 'no GPU' : gpusText(gpus)}`,
      transports: probed.map((capability, n) => ({
        ...capability,
        name: planning.transports[n] ?? '',
        summary: summaries[planning.transports[n] ?? ''] ?? '',
      })),
      sharesReasons: true,
    };
  },
};
