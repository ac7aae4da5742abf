/** Facts about a transport that figures and reports need, the same for every engine. */
export interface TransportRow {
  name: string;
  /** Name of the transport for readers. */
  title: string;
  /**
   * Way in which counters prove that bytes took this transport. `interface`: a network interface counted them. `beside`: no
   * network interface counted them. `mapped`: each rank mapped the memory of all others. `found`: an interface that counted them
   * is the proof, but which one is not known in advance. `none`: counters prove nothing.
   */
  evidence: 'interface' | 'beside' | 'mapped' | 'found' | 'none';
  /** Colour in every chart, by its name in the palette of Okabe and Ito (reports/theme.ts). */
  colour: 'blue' | 'vermillion' | 'green' | 'purple' | 'orange' | 'black' | 'sky';
  /** Link that carries the data between GPUs of one machine: NVLink, or PCIe to host memory; null = neither. */
  gpuLinks: 'nvlink' | 'pcie' | null;
  /**
   * Word that appears in `detail` if a software device of this project replaces the hardware and copies all data in host memory;
   * null = there is no such device.
   */
  emulator: string | null;
  /** True if the option `--interface` selects the network interface that the transport uses. */
  takesInterface: boolean;
  /**
   * Ranks that the transport can connect. `hosts`: on any hosts. `gpus`, `processes`: only GPUs or only processes of one machine.
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
