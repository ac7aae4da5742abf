import type { TransportDetail } from './detail.ts';

/** Description of a transport for plans and reports, the same for all engines. */
export interface TransportRow {
  name: string;
  /** Name of the transport for readers, as charts and tables show it. */
  title: string;
  /**
   * Rule by which counters show that data took this transport. `interface`: the transport's network interface counted the bytes.
   * `beside`: no network interface counted them. `mapped`: ranks mapped each other's memory. `found`: some interface counted them,
   * and which one is not known in advance. `none`: counters cannot show it.
   */
  evidence: 'interface' | 'beside' | 'mapped' | 'found' | 'none';
  /** Colour of the transport in all charts: a name in the palette of reports/theme.ts, which colour-blind readers can tell apart. */
  colour: 'blue' | 'vermillion' | 'green' | 'purple' | 'orange' | 'black' | 'sky' | 'indigo';
  /**
   * Kind of link that the transport uses between GPUs of one machine; reports show its rated speed. Null = neither NVLink nor PCIe.
   */
  gpuLinks: 'nvlink' | 'pcie' | null;
  /**
   * Software device of this project that may take the place of the hardware and then copies all data in host memory; null = there
   * is none.
   */
  emulator: NonNullable<TransportDetail['softwareCard']> | null;
  /** True if the option `--interface` selects the network interface that carries the transport's data. */
  takesInterface: boolean;
  /**
   * Ranks that the transport can connect. `hosts`: ranks on any hosts. `gpus`: GPUs of one machine. `processes`: processes of one
   * machine.
   */
  joins: 'hosts' | 'gpus' | 'processes';
  /**
   * True if this project's own code moves the data in host memory (native/transports), so that engine `cpu` can use the transport.
   * False if the code of an engine's library does.
   */
  isOwn: boolean;
  /**
   * True if senders write directly into memory that receivers poll, so that each piece of data can carry a ready flag (protocol
   * `ll`).
   */
  hasFlags: boolean;
  /**
   * Standard deviation of ln(time) between equal runs that is assumed as long as earlier runs do not show the real one: 0.04 = 4 %.
   * Measured: NCCL p2p 0.0 %, modelled PCIe links 0.14 %, sockets 2.7 % (cpu) and 4.0 % (NCCL), cpu engine on idle cores 2 to 5 %.
   */
  runScatter: number;
  /**
   * True if GPUs or threads of a workload can start puts (writes to a peer's memory), because they may write to the adapter's
   * queues and doorbells directly.
   */
  takesPuts: boolean;
}
