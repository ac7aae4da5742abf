import { planningEngines } from '../../../suites/engines/index.ts';
import { isPlugin } from '../../../suites/transports/index.ts';
import type { Engine } from '../engine.ts';
import { gpuEngine } from '../gpu-engine.ts';
import { factsIn, gpusOfFacts, type NcclFacts, versionsIn } from './facts.ts';
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

const found = (facts: NcclFacts): string =>
  facts['nccl.path'] === undefined
    ? 'no NCCL found'
    : `NCCL ${facts['nccl.version'] ?? '(version unknown)'} of ${facts['nccl.path']}, found by ${facts['nccl.how'] ?? 'search'}`;

const driver = (facts: NcclFacts): string =>
  facts['driver.version'] === undefined
    ? 'none found'
    : `for CUDA ${facts['driver.version']}${facts['driver.release'] === undefined ? '' : `, release ${facts['driver.release']}`}`;

export const nccl: Engine = {
  ...gpuEngine({
    name: 'nccl',
    engineHosts: ncclEngineHosts,
    library: (facts) => (facts['nccl.version'] === undefined ? 'no NCCL' : `NCCL ${facts['nccl.version']}`),
    linesBefore: (facts) => [`engine nccl: ${found(facts)}`, `  driver: ${driver(facts)}`],
    linesAfter: (facts) => [
      `  NVRTC: ${facts['nvrtc.path'] ?? `${facts['nvrtc.missing'] ?? 'not looked for'}: the host fills and compares`}`,
    ],
    summaries,
  }),
  networkOf: (transport, { facts = {} }) =>
    transport === 'sisci' || isPlugin(transport) ? facts['env.NCCL_NET'] : undefined,
  async versions({ settings, ranks }, hosts, isHere) {
    const [first] = hosts;
    const facts = first === undefined ? {} : factsIn(first);
    const all = hosts.flatMap((host) => gpusOfFacts(factsIn(host)));
    if (!isHere) return versionsIn(facts, all);
    const wanted = planning.devices?.namedIn(settings) ?? all.map(({ number }) => number);
    const used = wanted.slice(0, ranks).flatMap((number) => all[number] ?? []);
    return { ...versionsIn(facts, used), ...(first === undefined ? {} : await librariesOfProbe(first)) };
  },
};
