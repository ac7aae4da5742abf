import type { TransportDetail } from './detail.ts';

/** Description of a transport (what moves the bytes: socket, ib, shm, ...) for plans and reports, the same for all engines. */
export interface TransportRow {
  name: string;
  /** Name of the transport for readers, as charts and tables show it. */
  title: string;
  /**
   * Proof by byte counters that data took this transport. `interface`: a network interface carried them. `beside`: none did.
   * `mapped`: ranks mapped each other's memory. `found`: some interface did, it is not known which. `none`: they cannot.
   */
  evidence: 'interface' | 'beside' | 'mapped' | 'found' | 'none';
  /** Colour of the transport in every chart: a name in the Okabe-Ito palette for colour-blind readers. */
  colour: 'blue' | 'vermillion' | 'green' | 'purple' | 'orange' | 'black' | 'sky';
  /** Link that the transport uses between GPUs of one machine, whose rated speed reports show; null = none of these. */
  gpuLinks: 'nvlink' | 'pcie' | null;
  /**
   * Software device of this project that may replace the hardware, and then copies all data in host memory; null = there is no
   * such device.
   */
  emulator: NonNullable<TransportDetail['softwareCard']> | null;
  /** True if the option `--interface` selects the network interface that the transport uses. */
  takesInterface: boolean;
  /**
   * Ranks that it connects. `hosts`: on any hosts; `gpus`: GPUs of one machine; `processes`: processes of one machine.
   */
  joins: 'hosts' | 'gpus' | 'processes';
  /**
   * True if this project's own code moves the data in host memory (native/transports), so that engine cpu can use the transport.
   * False if the engine's code does.
   */
  isOwn: boolean;
  /**
   * True if senders write directly into memory that receivers poll. Then each piece of data can carry a ready flag (protocol ll).
   */
  hasFlags: boolean;
  /**
   * Standard deviation of log time between equal runs that is assumed until earlier runs show the real one. Measured: NCCL p2p
   * 0.0 %, modelled PCIe links 0.14 %, sockets 2.7 % (cpu) and 4.0 % (NCCL), cpu engine on idle cores 2 to 5 %.
   */
  runScatter: number;
  /**
   * True if programs may write to the adapter's queues and doorbells directly, so that GPUs or workload threads can start puts.
   */
  takesPuts: boolean;
}
