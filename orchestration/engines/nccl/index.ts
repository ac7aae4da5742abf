import { planningEngines } from '../../../suites/engines/index.ts';
import { isPlugin } from '../../../suites/transports/index.ts';
import type { Engine, EngineListing } from '../engine.ts';
import {
  environmentIn,
  factsIn,
  gpuNumaNodes,
  gpusOfFacts,
  gpusText,
  type NcclFacts,
  versionsIn,
} from './facts.ts';
import { ncclEngineHosts } from './hosts.ts';
import { librariesOfProbe } from './libraries.ts';

const planning = planningEngines.nccl;

const summaries: Record<string, string> = {
  p2p: 'GPU to GPU on one machine, over NVLink or PCIe',
  shm: 'through host memory of one machine',
  socket: "NCCL's own TCP net",
  ib: "NCCL's own InfiniBand and RoCE net",
  sisci: "collbench's net plugin over libsisci, or softntb where no Dolphin card is",
  plugin: 'any other NCCL net plugin: plugin:PATH',
  ibgda: 'InfiniBand driven by the GPU itself (GIN with GDAKI)',
};

export const nccl: Engine = {
  name: 'nccl',
  engineHosts: ncclEngineHosts,
  devicesIn: (result) => gpusOfFacts(factsIn(result)).length,
  deviceNodes(result, { gpus }) {
    const nodes = gpuNumaNodes(factsIn(result));
    return gpus === null ? nodes : gpus.map((gpu) => nodes[gpu] ?? -1);
  },
  async alternatives({ transports }, options, ask) {
    if (ask === null) return transports;
    const settings = planning.settings(options);
    const others = planning.transports.filter((name) => name !== 'plugin');
    const { probed } = await ask(
      others.map((transport) => ({ engine: 'nccl', transport, options: {}, settings })),
    );
    return probed;
  },
  networkOf: (transport, { facts = {} }) =>
    transport === 'sisci' || isPlugin(transport) ? facts['env.NCCL_NET'] : undefined,
  detailOver: (_hosts, _transport, _isBound, detail) => detail,
  async versions({ settings, ranks }, hosts, isHere) {
    const [first] = hosts;
    const facts = first === undefined ? {} : factsIn(first);
    const all = hosts.flatMap((host) => gpusOfFacts(factsIn(host)));
    if (!isHere) return versionsIn(facts, all);
    const wanted = planning.devices?.namedIn(settings) ?? all.map(({ number }) => number);
    const used = wanted.slice(0, ranks).flatMap((number) => all[number] ?? []);
    return { ...versionsIn(facts, used), ...(first === undefined ? {} : await librariesOfProbe(first)) };
  },
  headLines: (result, _, settings) => headLines(factsIn(result), settings),
  settingLines: (_transport, capability) =>
    environmentIn(capability).map(([name, value]) => `  ${name}=${value}`),
  async listing({ engines }, ask): Promise<EngineListing | null> {
    if (!engines.some(({ name }) => name === planning.name)) return null;
    const names = planning.transports;
    const { probed } = await ask(names.map((transport) => ({ engine: 'nccl', transport, options: {} })));
    const facts = factsIn({ probed });
    const gpus = gpusOfFacts(facts);
    const library = facts['nccl.version'] === undefined ? 'no NCCL' : `NCCL ${facts['nccl.version']}`;
    return {
      headline: `${library}, ${gpus.length === 0 ? 'no GPU' : gpusText(gpus)}`,
      transports: probed.map((capability, i) => {
        const name = names[i] ?? capability.name;
        return { ...capability, name, summary: summaries[name] ?? capability.summary };
      }),
      sharesReasons: true,
    };
  },
};

/** Lines for --explain about the NCCL library, driver and GPUs that were found. */
export function headLines(facts: NcclFacts, settings: Record<string, string>): string[] {
  const gpus = gpusOfFacts(facts);
  const library =
    facts['nccl.path'] === undefined
      ? 'no NCCL found'
      : `NCCL ${facts['nccl.version'] ?? '(version unknown)'} of ${facts['nccl.path']}, found by ${facts['nccl.how'] ?? 'search'}`;
  const driver =
    facts['driver.version'] === undefined
      ? 'none found'
      : `for CUDA ${facts['driver.version']}${facts['driver.release'] === undefined ? '' : `, release ${facts['driver.release']}`}`;
  const words = Object.entries(settings).map(([word, value]) => `${word}=${value}`);
  return [
    `engine nccl: ${library}`,
    `  driver: ${driver}`,
    `  GPUs: ${gpus.length === 0 ? 'none' : gpusText(gpus)}`,
    `  NVRTC: ${facts['nvrtc.path'] ?? `${facts['nvrtc.missing'] ?? 'not looked for'}: the host fills and compares`}`,
    ...(words.length === 0 ? [] : [`  settings: ${words.join(' ')}`]),
  ];
}
