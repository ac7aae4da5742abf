// From options to findings: asks the hosts, understands what they say, lets the checks look.

import { defaultDeadlines } from '../../orchestration/deadlines.ts';
import { examineHosts } from '../../orchestration/examination.ts';
import { type Nodes, nodesOf, remoteDeadlines } from '../../orchestration/preparing/nodes.ts';
import type { ProbeRequest } from '../../orchestration/probe.ts';
import { type ClusterView, type Diagnosis, examine, type Probed } from '../../results/doctor/index.ts';
import { machineOf } from '../../results/machine/index.ts';
import type { MachineFacts } from '../../results/schema/index.ts';
import { planningEngines } from '../../suites/engines/index.ts';
import { transportOptions } from '../../suites/transports/index.ts';
import type { DoctorOptions } from './options.ts';

const nvidia = '0x10de';
const onlyOnGpus = ['p2p', 'shm', 'ib', 'ibgda'];

const hasGpus = ({ files, nvml }: MachineFacts): boolean =>
  (nvml?.gpus.length ?? 0) > 0 ||
  Object.entries(files.text).some(
    ([path, text]) =>
      path.endsWith('/vendor') &&
      text.startsWith(nvidia) &&
      files.text[path.replace(/vendor$/, 'class')]?.startsWith('0x03'),
  );

/** What the engines of a host are asked: the transports that were named, and which NCCL there is where there are GPUs. */
function probesFor(facts: MachineFacts, { transports, options }: DoctorOptions): ProbeRequest[] {
  const settings = planningEngines.nccl.settings(options);
  const named = (transports ?? []).map((transport): ProbeRequest => {
    const isGpu = onlyOnGpus.includes(transport);
    return {
      transport,
      options: transportOptions(transport, options),
      ...(isGpu ? { engine: 'nccl', settings } : {}),
    };
  });
  if (!hasGpus(facts) || named.some(({ engine }) => engine === 'nccl')) return named;
  return [...named, { engine: 'nccl', transport: 'socket', options: {}, settings }];
}

export async function diagnose(asked: DoctorOptions): Promise<Diagnosis> {
  const nodes = await nodesOf(asked.options);
  try {
    return await diagnoseWith(asked, nodes);
  } finally {
    await nodes.close();
  }
}

async function diagnoseWith(asked: DoctorOptions, nodes: Nodes): Promise<Diagnosis> {
  const isLocal = nodes.hosts.length === 0;
  const { interface: iface } = asked.options;
  const hosts = isLocal
    ? [{ name: 'localhost', iface }]
    : nodes.hosts.map((host) => ({ name: host.name, iface: host.iface ?? iface }));
  const examined = await examineHosts(
    {
      hosts,
      plugins: (asked.transports ?? []).flatMap((name) =>
        name.startsWith('plugin:') ? [name.slice('plugin:'.length)] : [],
      ),
      hashes: asked.hashes,
      probes: (facts) => probesFor(facts, asked),
    },
    nodes.agentPath,
    nodes.launcher,
    isLocal ? defaultDeadlines : remoteDeadlines,
  );
  const view: ClusterView = { hosts: [], knocks: examined.knocks, untried: examined.untried };
  for (const host of examined.hosts) {
    const machine = host.facts === null ? null : machineOf(host.facts);
    const name = isLocal ? (machine?.system.hostname ?? host.name) : host.name;
    const probed = host.probed.map(
      ({ request, engine, capability }): Probed => ({
        engine,
        transport: request.transport,
        available: capability.available,
        reason: capability.reason,
        remedy: capability.remedy,
        facts: capability.facts ?? {},
      }),
    );
    const { unreached, agentVersion, door, clock } = host;
    const own = nodes.hosts.find((one) => one.name === name)?.iface ?? null;
    view.hosts.push({ name, machine, unreached, agentVersion, probed, interface: own, door, clock });
  }
  const spansHosts = hosts.length > 1;
  const found = examine(view, { transports: asked.transports, interface: iface, spansHosts });
  return { ...found, view };
}
