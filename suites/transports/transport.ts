import type { TransportPlan } from '../../results/schema/index.ts';
import type { TransportOptions } from './options.ts';

/** A transport as planning needs it. */
export interface PlanningTransport {
  /** Name, for example "socket"; "plugin" means plugin:PATH. */
  readonly name: string;
  /** Whether `--interface` selects the network interface that carries its data. */
  readonly takesInterface: boolean;
  /** The software device that replaces missing hardware, and the hardware that it replaces; null = never emulated. */
  readonly emulation: { by: string; needs: string } | null;
  /**
   * The only things that the transport can connect, if it cannot connect hosts: GPUs, processes, or the emulation's name. Null
   * if it can connect hosts.
   */
  within(options: TransportOptions): string | null;
  /** Options for the agents (TransportOptions in native/transports/transport.h); only those that apply. */
  options(options: TransportOptions, name: string): TransportPlan['options'];
}

/** Properties that a transport defines itself; the others follow from its row of the schema (`planned` in index.ts). */
export type TransportPlanning = Pick<PlanningTransport, 'name'> & Partial<PlanningTransport>;

/** The requested network interface, as agents expect it. */
export const overInterface = ({ interface: device }: TransportOptions): TransportPlan['options'] =>
  device === null ? {} : { interface: device };
