/** Facts about a transport that figures and reports need, the same for every engine. */
export interface TransportRow {
  name: string;
  /** Name for readers. */
  title: string;
  /**
   * How counters prove the path of the bytes. `interface`: the bytes must have passed a network interface. `beside`: no network
   * interface may have carried them. `mapped`: ranks map the memory of all others. `found`: the path is not known in advance, but
   * an interface that carried the bytes proves it. `none`: counters prove nothing.
   */
  evidence: 'interface' | 'beside' | 'mapped' | 'found' | 'none';
  /** Colour in every chart, by its name in the palette of Okabe and Ito (reports/theme.ts). */
  colour: 'blue' | 'vermillion' | 'green' | 'purple' | 'orange' | 'black' | 'sky';
  /** Link that carries the data between GPUs of one machine: NVLink, or PCIe to host memory; null = neither. */
  gpuLinks: 'nvlink' | 'pcie' | null;
  /**
   * Word in `detail` if a software device of this project replaces the hardware and copies every byte in host memory; null =
   * none.
   */
  emulator: string | null;
  /** True if it uses the network interface that `--interface` names. */
  takesInterface: boolean;
  /** Ranks that it can connect: on any hosts, or only GPUs or processes of one machine. */
  joins: 'hosts' | 'gpus' | 'processes';
  /**
   * True if this project's code moves the data in host memory (native/transports), so that the cpu engine has it. False: the
   * engine's own code.
   */
  isOwn: boolean;
  /** True if senders write directly into memory that receivers poll, so that messages can carry their own flags (protocol ll). */
  hasFlags: boolean;
  /**
   * Standard deviation of log time between equal runs, assumed until earlier runs show the real one. Measured values: NCCL p2p
   * 0.0 %, modelled PCIe links 0.14 %, sockets 2.7 % (cpu) and 4.0 % (NCCL), cpu engine on idle cores 2 to 5 %.
   */
  runScatter: number;
  /** True if its adapter has queues that threads of a workload or GPUs may write, and doorbells that they may ring. */
  takesPuts: boolean;
}
