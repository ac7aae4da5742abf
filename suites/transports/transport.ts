import type { TransportPlan } from '../../results/schema/index.ts';
import type { TransportOptions } from './options.ts';

/** Data about a transport (TCP, InfiniBand, ...) that planning needs: what it can connect, its emulation and its options. */
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
   * Null if the transport can connect several hosts with these options. Otherwise what keeps it on one host: "gpus", "processes",
   * or the name of the software device that replaces the adapter.
   */
  within(options: TransportOptions): string | null;
  /**
   * The options that apply to this transport, in the form that agents get.
   * @param name name of the transport, including the path of a plugin
   */
  options(options: TransportOptions, name: string): TransportPlan['options'];
}

/**
 * Properties that a transport defines itself; `planned` in index.ts derives the others from the transport's row of the schema.
 */
export type TransportPlanning = Pick<PlanningTransport, 'name'> & Partial<PlanningTransport>;

/** The interface of --interface as an option for the agents: { interface: NAME }; {} if none was requested. */
export const overInterface = ({ interface: device }: TransportOptions): TransportPlan['options'] =>
  device === null ? {} : { interface: device };
