/** What figures and reports must know of a transport, whatever engine uses it. */
export interface TransportRow {
  name: string;
  /** For people. */
  title: string;
  /**
   * How counters prove its way: `interface` = the bytes must have passed a network interface; `beside` = no network
   * interface may have carried them; `mapped` = ranks map the memory of all others; `found` = nobody says which way they go,
   * but an interface that carried them proves its own; `none` = counters cannot tell.
   */
  evidence: 'interface' | 'beside' | 'mapped' | 'found' | 'none';
  /** Okabe and Ito's name of its colour in every chart (reports/theme.ts). */
  colour: 'blue' | 'vermillion' | 'green' | 'purple' | 'orange' | 'black' | 'sky';
  /** What carries it between GPUs of one machine: their NVLinks, or their PCIe links to host memory; null = neither. */
  gpuLinks: 'nvlink' | 'pcie' | null;
  /** Word in its detail where a device of this project stands in, which copies every byte in host memory; null = none. */
  emulator: string | null;
  /** Goes through the interface that `--interface` names. */
  takesInterface: boolean;
  /** What it can connect: any hosts, or only GPUs or processes of one machine. */
  joins: 'hosts' | 'gpus' | 'processes';
  /** Moves host memory with code of this project (native/transports), so the cpu engine has it; else the engine's own. */
  isOwn: boolean;
  /** Senders store into memory that receivers look at, so that messages can carry their own flags (protocol ll). */
  hasFlags: boolean;
  /**
   * Standard deviation of log time between equal runs that is assumed until earlier runs show it. Recorded: NCCL p2p 0.0 %,
   * modelled PCIe links 0.14 %, sockets 2.7 % (cpu) and 4.0 % (NCCL), cpu engine on quiet cores 2 to 5 %.
   */
  runScatter: number;
  /** Its adapter has queues that others may write and ring: threads of a workload, or GPUs. */
  takesPuts: boolean;
}
