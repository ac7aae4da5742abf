import type { TransportPlan } from '../../results/schema/index.ts';
import type { TransportOptions } from './options.ts';

/** A transport as planning knows it. */
export interface PlanningTransport {
  /** "socket"; "plugin" stands for plugin:PATH. */
  readonly name: string;
  /** `--interface` says which network interface carries its data. */
  readonly takesInterface: boolean;
  /** The software device that takes the place of the hardware where there is none; null = always hardware. */
  readonly emulation: { by: string; needs: string } | null;
  /** What it joins where it cannot join hosts: gpus, processes, or the name of its emulation; null where it can. */
  within(options: TransportOptions): string | null;
  /** What agents are told (native/transports/transport.h, TransportOptions): only what applies to it. */
  options(options: TransportOptions, name: string): TransportPlan['options'];
}

/** What a transport has of its own; the rest follows from its row of the schema (`planned` in index.ts). */
export type TransportPlanning = Pick<PlanningTransport, 'name'> & Partial<PlanningTransport>;

/** The interface that was asked for, as agents are told. */
export const overInterface = ({ interface: device }: TransportOptions): TransportPlan['options'] =>
  device === null ? {} : { interface: device };
