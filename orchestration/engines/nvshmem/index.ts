import { planningEngines } from '../../../suites/engines/index.ts';
import { requireGpuMemory } from '../../../suites/engines/nccl/memory.ts';
import type { Engine, EngineListing } from '../engine.ts';
import { type Facts, factsIn, gpuNodesIn, gpusIn, gpusText } from '../nccl/facts.ts';
import { type Crew, crewOf } from '../nccl/party.ts';

const planning = planningEngines.nvshmem;

const found = (facts: Facts): string =>
  facts['nvshmem.path'] === undefined
    ? 'no NVSHMEM found'
    : `NVSHMEM ${facts['nvshmem.version'] ?? '(version unknown)'} of ${facts['nvshmem.path']}, found by ${facts['nvshmem.how'] ?? 'search'}`;

/** NVSHMEM on the GPUs of one machine. */
export const nvshmem: Engine = {
  name: 'nvshmem',
  party(command, options, hosts) {
    const there = hosts.map(({ result }) => gpusIn(factsIn(result)));
    const all = there.flat();
    let crew: Crew = { gpus: all, ranks: 0 };
    return {
      offered: there.map((gpus) => options.gpus?.length ?? gpus.length),
      ranksHere() {
        if (all.length === 0) return null;
        crew = crewOf(command, options, all);
        return crew.ranks;
      },
      require(ranks) {
        crew = { ...crew, ranks };
      },
      requireMemory: (plan) => requireGpuMemory(plan, crew),
    };
  },
  devicesIn: (result) => gpusIn(factsIn(result)).length,
  deviceNodes(result, { gpus }) {
    const nodes = gpuNodesIn(factsIn(result));
    return gpus === null ? nodes : gpus.map((gpu) => nodes[gpu] ?? -1);
  },
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
    const told: [string, string | undefined][] = [
      ['nvshmem', facts['nvshmem.version']],
      ['nvshmem.path', facts['nvshmem.path']],
      ['nvcc', facts['nvcc.path']],
      ['driver', facts['driver.release']],
      ['driver.cuda', facts['driver.version']],
      ['nvrtc', facts['nvrtc.path'] ?? facts['nvrtc.missing']],
      ['gpus', gpusText(gpusIn(facts))],
    ];
    return Object.fromEntries(told.filter((one): one is [string, string] => one[1] !== undefined));
  },
  headLines(result, _options, settings) {
    const facts = factsIn(result);
    const gpus = gpusIn(facts);
    const words = Object.entries(settings).map(([word, value]) => `${word}=${value}`);
    return [
      `engine nvshmem: ${found(facts)}`,
      `  nvcc: ${facts['nvcc.path'] ?? 'none found'}`,
      `  GPUs: ${gpus.length === 0 ? 'none' : gpusText(gpus)}`,
      ...(words.length === 0 ? [] : [`  settings: ${words.join(' ')}`]),
    ];
  },
  settingLines: () => [],
  async listing({ engines }, ask): Promise<EngineListing | null> {
    if (!engines.some(({ name }) => name === planning.name)) return null;
    const { probed } = await ask(
      planning.transports.map((transport) => ({ engine: 'nvshmem', transport, options: {} })),
    );
    const facts = factsIn({ probed });
    const gpus = gpusIn(facts);
    const library =
      facts['nvshmem.path'] === undefined ? 'no NVSHMEM' : `NVSHMEM ${facts['nvshmem.version'] ?? ''}`.trim();
    return {
      headline: `${library}, ${gpus.length === 0 ? 'no GPU' : gpusText(gpus)}`,
      transports: probed.map((capability) => ({
        ...capability,
        name: 'p2p',
        summary: 'GPU to GPU on one machine, by loads and stores over NVLink or PCIe',
      })),
      sharesReasons: true,
    };
  },
};
