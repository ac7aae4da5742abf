import type { MachineReport } from '../../machine/index.ts';
import { type DoctorCheck, error, isTransportRequested, note, ok, warning } from '../check.ts';
import { dataInterface, isWayOut } from './network.ts';

/** The setting that solves a problem, for each place in which the agent may run. */
interface FixByPlace {
  /** Line in the YAML of a Kubernetes pod that solves the problem. */
  pod: string;
  /** Option of `docker run` that solves the problem; podman has the same option. */
  docker: string;
  /** Setting of the machine itself that solves the problem. */
  host: string;
}

/**
 * Returns the setting for the place in which the agent runs, as text: "in the pod: ..." for a Kubernetes pod, "docker run ..."
 * for any other container, and `host` unchanged for the machine itself.
 */
export function fixFor({ system }: MachineReport, { pod, docker, host }: FixByPlace): string {
  if (system.container === null) return host;
  return system.container === 'kubernetes' ? `in the pod: ${pod}` : `docker run ${docker}`;
}

const gpuTransports = ['p2p', 'ib', 'ibgda', 'shm'] as const;

export const containerChecks: DoctorCheck[] = [
  {
    id: 'container.gpu',
    title: 'GPUs that the container was given',
    transports: gpuTransports,
    why: 'A container shows all GPUs of its machine in /sys, but opens only those that it was given.',
    look(machine, asked) {
      const cards = machine.pci.filter(({ kind, vendor }) => kind === 'gpu' && vendor === '0x10de').length;
      if (machine.system.container === null || cards === 0) return null;
      const given = machine.deviceFiles.filter((file) => file.startsWith('/dev/nvidia')).length;
      if (given > 0) return ok(`${given} of ${cards}`);
      const severity = isTransportRequested(asked, 'p2p', 'ibgda') ? error : warning;
      return severity(
        `none of ${cards}`,
        fixFor(machine, {
          pod: `resources: {limits: {nvidia.com/gpu: ${cards}}}`,
          docker: '--gpus all',
          host: '',
        }),
      );
    },
  },
  {
    id: 'container.rdma',
    title: 'RDMA adapters that the container was given',
    transports: ['ib', 'ibgda', 'plugin'],
    why: 'A container may show RDMA adapters in /sys without their device files, which carry the data.',
    look(machine, asked) {
      if (machine.system.container === null || machine.rdma.length === 0) return null;
      const given = machine.deviceFiles.filter((file) => file.includes('/uverbs')).length;
      if (given > 0) return ok(`${given} of ${new Set(machine.rdma.map(({ device }) => device)).size}`);
      const severity = isTransportRequested(asked, 'ib', 'ibgda') ? error : warning;
      return severity(
        'no /dev/infiniband/uverbs*',
        fixFor(machine, {
          pod: 'resources: {limits: {rdma/hca: 1}}, under the name that the RDMA device plugin gives it',
          docker: '--device /dev/infiniband',
          host: '',
        }),
      );
    },
  },
  {
    id: 'container.network',
    title: 'Data interface of the container',
    transports: ['socket', 'ucx', 'plugin'],
    why: 'The network of containers passes a virtual cable, often also an overlay, before it reaches a card.',
    look(machine, asked) {
      if (machine.system.container === null) return null;
      const taken = dataInterface(machine, asked);
      if (machine.system.hostNetwork === true) return ok('the network of the machine');
      if (taken === null) return null;
      if (isWayOut(taken)) return ok(`${taken.name}, a card of its own`);
      const severity = asked.spansHosts ? warning : note;
      return severity(
        `${taken.name} is a virtual interface of the container network`,
        fixFor(machine, {
          pod: 'hostNetwork: true; or a second network (Multus) and --interface net1',
          docker: '--network host',
          host: '',
        }),
      );
    },
  },
];
