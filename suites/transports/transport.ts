import type { TransportPlan } from '../../results/schema/index.ts';
import type { TransportOptions } from './options.ts';

/** Planning data of a transport (TCP, InfiniBand, ...): what it can connect, its emulation and its options. */
export interface PlanningTransport {
  /** Name, for example "socket"; "plugin" means plugin:PATH. */
  readonly name: string;
  /** True if `--interface` selects the network interface that carries the transport's data. */
  readonly takesInterface: boolean;
  /**
   * Emulation of the transport's adapter, as texts: `by` names what replaces missing hardware ("softntb"), `needs` describes the
   * hardware. Null = the transport is never emulated.
   */
  readonly emulation: { by: string; needs: string } | null;
  /**
   * Returns null if the transport can connect several hosts with these options. Otherwise returns what it can connect on one host:
   * "gpus", "processes", or the name of the software device that replaces the adapter.
   */
  within(options: TransportOptions): string | null;
  /**
   * Returns the options that apply to this transport, by name, as agents receive them; {} if none applies.
   * @param name name of the transport, including the path of a plugin
   */
  options(options: TransportOptions, name: string): TransportPlan['options'];
}

/** Properties that a transport defines itself. `planned` in index.ts derives the others from the transport's row of the schema. */
export type TransportPlanning = Pick<PlanningTransport, 'name'> & Partial<PlanningTransport>;

/** The value of --interface as an option for the agents: { interface: NAME }; {} if the user did not give it. */
export const overInterface = ({ interface: device }: TransportOptions): TransportPlan['options'] =>
  device === null ? {} : { interface: device };
