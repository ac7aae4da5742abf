import { z } from 'zod';

/** Speed of a link, or of several parallel links together, as text and as number. */
const rate = z.strictObject({
  /** Link speed as text for readers: "PCIe gen 5 x16", "18 NVLinks", "400 Gbit/s". */
  text: z.string(),
  /** Bandwidth in one direction, GB/s; null = not known. */
  GBps: z.number().nullable(),
});

const deviceFields = z.strictObject({
  /** PCI address of the device; if it has none, another name that is unique on its machine. */
  id: z.string(),
  kind: z.enum(['gpu', 'network', 'ntb', 'accelerator', 'bridge', 'other']),
  /** Short name for tables: "GPU 0", "mlx5_0". `detail`: further text, such as the model. */
  short: z.string(),
  detail: z.string(),
  /** Speed of the link to the bridge or processor above the device; null if the device has no link of its own. */
  up: rate.nullable(),
  /** Phrase about a problem of the link above the device, such as "has x8 of x16" lanes; null = no problem. */
  problem: z.string().nullable(),
  /** Speed of the device's network link to other machines; null if there is none or its speed is not known. */
  wire: rate.nullable(),
});

interface DeviceReport extends z.infer<typeof deviceFields> {
  children: DeviceReport[];
}

/** A device with the devices below it in the PCIe tree of its machine. */
const device: z.ZodType<DeviceReport> = deviceFields.extend({ children: z.lazy(() => z.array(device)) });

/**
 * A ring, chain or tree that NCCL made for a communicator, with its channels, among which NCCL divides the data. `source`: file
 * or log from which it was read. `pattern`: its kind, "ring", "tree" ... `detail`: further text for readers; "" = none.
 */
const graph = z.strictObject({
  source: z.string(),
  pattern: z.string(),
  detail: z.string(),
  channels: z.array(
    z.strictObject({
      channel: z.int(),
      /**
       * Names of devices ("GPU 0", "NET 0") or numbers of ranks, in the order in which data pass through the ring or chain; empty
       * for a tree. The first is not repeated at the end, but a ring through an adapter may have it at both ends.
       */
      order: z.array(z.string()),
      /**
       * True if the last member of `order` sends to the first. False for a ring through a network adapter, which continues on
       * another machine.
       */
      isClosed: z.boolean(),
      /** Edges of a tree of ranks, as [number of the child, number of the parent]; empty for a ring or chain. */
      edges: z.array(z.tuple([z.string(), z.string()])),
    }),
  ),
});

/**
 * Output of `collbench topo --json`: devices and links of machines, in one JSON object. `at`: time of the output. `log`: what
 * NCCL's log says; null if no log was read.
 */
export const topologyReport = z.strictObject({
  schemaVersion: z.literal(1),
  collbenchVersion: z.string(),
  at: z.iso.datetime(),
  machines: z.array(
    z.strictObject({
      host: z.string(),
      source: z.string(),
      processor: z.string().nullable(),
      sockets: z.int().nullable(),
      domains: z.array(
        z.strictObject({
          node: z.int().nullable(),
          cpus: z.string().nullable(),
          devices: z.array(device),
        }),
      ),
      /**
       * Links between devices other than PCIe, such as NVLink. `from`: id of a GPU. `to`: id of another GPU, "switch" or
       * "processor"; null = not known.
       */
      peers: z.array(
        z.strictObject({
          from: z.string(),
          to: z.string().nullable(),
          /**
           * Type of link: "NVLink", "xGMI", "C2C", or the name that the source of the facts uses. `count`: number of such links.
           */
          kind: z.string(),
          count: z.int(),
          /** Speed of all `count` links together: `GBps` is their total bandwidth in one direction. */
          rate,
        }),
      ),
      /**
       * Paths between two devices with the ids `a` and `b`. Data of a collective may start or end there: GPUs, network and NTB
       * adapters, accelerators. Each pair of devices occurs once. `joint`: kind of connection; null = not known.
       */
      paths: z.array(
        z.strictObject({
          a: z.string(),
          b: z.string(),
          joint: z.enum(['nvlink', 'xgmi', 'switch', 'processor', 'nodes']).nullable(),
          /**
           * Bandwidth in one direction of the slowest link on the path, among the links whose bandwidth is known, GB/s; null if
           * none is known.
           */
          ceilingGBps: z.number().nullable(),
          /** Name of the slowest link on the path; null if the bandwidth of no link is known. */
          limit: z.string().nullable(),
          /**
           * False if the bandwidth of some links on the path is unknown, such as that between NUMA nodes, so that the path may be
           * slower than `ceilingGBps`.
           */
          isComplete: z.boolean(),
        }),
      ),
      notes: z.array(z.string()),
    }),
  ),
  /** Rings and trees of GPUs that NCCL chose, read from its graph files or log; empty if none were read. */
  graphs: z.array(graph),
  /**
   * Connection matrices that `nvidia-smi topo -m` printed: `cells[row][column]` is the kind of connection between two of the
   * devices in `names`, null on the diagonal. `cpus`, `numaNodes`: one value per row; null = not printed.
   */
  matrices: z.array(
    z.strictObject({
      name: z.string(),
      matrix: z.strictObject({
        /** Names of devices: "GPU0", "NIC0". An adapter has its own name instead if the legend below the table gives it. */
        names: z.array(z.string()),
        cells: z.array(z.array(z.string().nullable())),
        cpus: z.array(z.string().nullable()),
        numaNodes: z.array(z.int().nullable()),
      }),
    }),
  ),
  log: z
    .strictObject({
      version: z.string().nullable(),
      /** Name of the network from the line "Using network IB"; null if the log has no such line. */
      network: z.string().nullable(),
      /** Loaded net plugin and the version of its interface: "AWS Libfabric v10"; null if the log names none. */
      plugin: z.string().nullable(),
      /**
       * Implementation of NCCL's GPU-initiated networking (GIN): "GDAKI" = the GPU posts operations itself, "PROXY" = a CPU thread
       * does; for others "GPI" or "type N". Null if the log does not name it.
       */
      gin: z.string().nullable(),
      /** Adapters that use GPUDirect RDMA, as "NETWORK ADAPTER": "IB mlx5_0". `noGpuDirect` lists those that do not. */
      gpuDirect: z.array(z.string()),
      noGpuDirect: z.array(z.string()),
      /**
       * Connections from one rank of the communicator to another, from lines "Channel 00 : 0[0] -> 1[1] via P2P/CUMEM". `way`: type
       * without device numbers and buffer types, "P2P/CUMEM", "NET/IB/GDRDMA" (with GPUDirect RDMA).
       */
      connections: z.array(z.strictObject({ channel: z.int(), from: z.int(), to: z.int(), way: z.string() })),
      /**
       * Network adapters, with the number of ends of NCCL's connections that use each (`ends`); absent unless NCCL's log lists
       * several adapters and a connection uses one of them.
       */
      rails: z.array(z.strictObject({ name: z.string(), ends: z.int() })).optional(),
      /**
       * Algorithm and protocol that NCCL chose for a collective of `bytes` bytes. `what`: its name, "AllReduce"; "" in logs of NCCL
       * before 2.23. `protocol`: for the algorithm "Symmetric" the name of the kernel; "" if the line has neither.
       */
      choices: z.array(
        z.strictObject({ what: z.string(), bytes: z.int(), algorithm: z.string(), protocol: z.string() }),
      ),
      /** Remarks on what is missing from the other fields: "incomplete trees are left out". */
      notes: z.array(z.string()),
    })
    .nullable(),
});
export type TopologyReport = z.infer<typeof topologyReport>;
