import type { TransportPlan } from '../../results/schema/index.ts';
import type { TransportOptions } from './options.ts';

/** Properties of a transport that planning needs. */
export interface PlanningTransport {
  /** Name, for example "socket"; "plugin" means plugin:PATH. */
  readonly name: string;
  /** True if `--interface` selects the network interface that carries the transport's data. */
  readonly takesInterface: boolean;
  /**
   * `by`: the software device that replaces missing hardware; `needs`: the hardware that it replaces. Null = the transport is
   * never emulated.
   */
  readonly emulation: { by: string; needs: string } | null;
  /**
   * Null if the transport can connect hosts. Otherwise the only things that it can connect: GPUs, processes, or the emulation's
   * name.
   */
  within(options: TransportOptions): string | null;
  /**
   * Transport options that are sent to the agents, without those that do not apply to the transport (TransportOptions in
   * native/transports/transport.h).
   */
  options(options: TransportOptions, name: string): TransportPlan['options'];
}

/**
 * Properties that a transport defines itself; `planned` in index.ts derives the others from the transport's row of the schema.
 */
export type TransportPlanning = Pick<PlanningTransport, 'name'> & Partial<PlanningTransport>;

/** The requested network interface as a transport option for agents; empty if none was requested. */
export const overInterface = ({ interface: device }: TransportOptions): TransportPlan['options'] =>
  device === null ? {} : { interface: device };
