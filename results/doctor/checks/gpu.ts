import type { MachineReport } from '../../machine/index.ts';
import {
  type DoctorCheck,
  error,
  isTransportRequested,
  listSome,
  note,
  ok,
  unknown,
  warning,
} from '../check.ts';
import { fixFor } from './container.ts';

const gpuTransports = ['p2p', 'ib', 'ibgda', 'socket', 'shm', 'sisci', 'plugin'] as const;
const nvidiaCards = ({ pci }: MachineReport) =>
  pci.filter(({ kind, vendor }) => kind === 'gpu' && vendor === '0x10de');
const hasGpu = (machine: MachineReport) => nvidiaCards(machine).length > 0 || (machine.gpus?.length ?? 0) > 0;

/** Returns major and minor version of a kernel: [5, 14] for "5.14.0-x"; null if the text has another form. */
const kernelVersion = (release: string | null): [number, number] | null => {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(release ?? '') ?? [];
  return major === undefined ? null : [Number(major), Number(minor)];
};

/**
 * True if RDMA can access GPU memory through dma-buf: kernel 5.12 and driver 515 with open modules (NVIDIA GPUDirect RDMA
 * documentation, 1.3). False if a version is not known.
 */
function canDmaBuf(machine: MachineReport): boolean {
  const [major, minor] = kernelVersion(machine.system.kernel) ?? [0, 0];
  const isNewKernel = major > 5 || (major === 5 && minor >= 12);
  return (
    isNewKernel &&
    machine.nvidia?.isOpen === true &&
    Number.parseInt(machine.nvidia.release ?? '0', 10) >= 515
  );
}

export const gpuChecks: DoctorCheck[] = [
  {
    id: 'gpu.driver',
    title: 'GPUs with a driver that answers',
    transports: gpuTransports,
    why: 'Engine nccl needs CUDA, and CUDA needs the driver.',
    look(machine) {
      const cards = nvidiaCards(machine);
      if (!hasGpu(machine)) return null;
      if (machine.gpus !== null && machine.gpus.length > 0) {
        return ok(`driver ${machine.nvidia?.release ?? 'loaded'}, ${machine.gpus.length} GPUs`);
      }
      if (cards.every(({ driver }) => driver === 'vfio-pci')) {
        return note('all GPUs are passed to guests (vfio-pci)');
      }
      if (machine.nvidia === null) {
        return error(
          `${cards.length} NVIDIA GPUs without a loaded driver`,
          'install the driver on the machine, then modprobe nvidia',
        );
      }
      return unknown(
        `NVML does not answer: ${machine.nvmlMissing ?? 'it names no GPU'}`,
        fixFor(machine, {
          pod: 'env: [{name: NVIDIA_DRIVER_CAPABILITIES, value: "compute,utility"}]',
          docker: '--gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility',
          host: 'nvidia-smi',
        }),
      );
    },
  },
  {
    id: 'gpu.users',
    title: 'Other processes on the GPUs',
    transports: gpuTransports,
    why: 'Other processes on a GPU use its time, memory and links.',
    look(machine) {
      if (!hasGpu(machine)) return null;
      if (machine.gpus === null || machine.gpus.some(({ processes }) => processes === null)) {
        return unknown('the driver does not report it', 'nvidia-smi');
      }
      const busy = machine.gpus.flatMap(({ processes }, i) => (processes ? [`GPU ${i} (${processes})`] : []));
      if (busy.length === 0) return ok(`none on ${machine.gpus.length} GPUs`);
      return warning(
        `processes compute on ${listSome(busy)}`,
        'nvidia-smi shows them; wait for them, or take other GPUs with --gpus',
      );
    },
  },
  {
    id: 'gpu.direct',
    title: 'GPUDirect RDMA',
    transports: ['ib', 'ibgda', 'plugin'],
    why: 'Without it GPU data are copied through host memory first, at a fraction of the speed.',
    look(machine, asked) {
      if (!hasGpu(machine) || machine.rdma.length === 0) return null;
      if (machine.system.modules.includes('nvidia_peermem')) return ok('nvidia_peermem is loaded');
      if (canDmaBuf(machine)) return ok('through dma-buf');
      const severity = isTransportRequested(asked, 'ibgda') ? error : warning;
      return severity(
        'neither nvidia_peermem nor dma-buf',
        'as root: modprobe nvidia_peermem, or install the open kernel modules of driver 515 or newer',
      );
    },
  },
  {
    id: 'gpu.persistence',
    title: 'Persistence mode of GPUs',
    transports: gpuTransports,
    why: 'A driver that unloads between programs makes the first start slow.',
    look(machine) {
      const { gpus } = machine;
      if (gpus === null || gpus.length === 0) return null;
      const off = gpus.filter(({ persistence }) => persistence === 0).length;
      if (off === 0) return ok('on');
      return note(`off on ${off} of ${gpus.length} GPUs`, 'as root: nvidia-smi -pm 1');
    },
  },
  {
    id: 'rdma.ports',
    title: 'RDMA ports that are active',
    transports: ['ib', 'ibgda'],
    why: 'Only active ports carry data.',
    look({ rdma }, asked) {
      const missing = isTransportRequested(asked, 'ib', 'ibgda');
      if (rdma.length === 0) {
        if (!missing) return null;
        return error(
          'no RDMA device',
          'load the driver of the adapter (modprobe mlx5_ib), or take --transport socket',
        );
      }
      const active = rdma.filter(({ isActive }) => isActive);
      const down = rdma.filter(({ isActive }) => !isActive);
      const text = down.map(({ device, port, state }) => `${device}/${port} ${state.toLowerCase()}`);
      if (active.length === 0) {
        const fix = 'plug in the cable; for InfiniBand start a subnet manager (opensm); see ibstat';
        return missing ? error(`none: ${listSome(text)}`, fix) : warning(`none: ${listSome(text)}`, fix);
      }
      if (down.length > 0) {
        return note(
          `${active.length} of ${rdma.length}; ${listSome(text)}`,
          'leave them out: NCCL_IB_HCA=...',
        );
      }
      return ok(listSome(active.map(({ device, rateGbps }) => `${device} ${rateGbps ?? '?'} Gb/s`)));
    },
  },
];
