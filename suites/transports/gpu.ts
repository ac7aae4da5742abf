// Transports that are NCCL's own: nothing but an interface is said to them.
import { overInterface, type PlanningTransport } from './transport.ts';

const betweenGpus = (name: string): PlanningTransport => ({
  name,
  takesInterface: false,
  emulation: null,
  within: () => 'gpus',
  options: () => ({}),
});

const overNetwork = (name: string): PlanningTransport => ({
  name,
  takesInterface: true,
  emulation: null,
  within: () => null,
  options: overInterface,
});

export const p2p = betweenGpus('p2p');
export const shm = betweenGpus('shm');
export const ib = overNetwork('ib');
export const ibgda = overNetwork('ibgda');
