import { z } from 'zod';

const rate = z.strictObject({
  /** Link speed as text: "PCIe gen 5 x16", "18 NVLinks", "400 Gbit/s". */
  text: z.string(),
  /** GB/s in one direction; null = not known. */
  GBps: z.number().nullable(),
});

const deviceFields = z.strictObject({
  /** PCI address of the device, or another unique name if it has none. */
  id: z.string(),
  kind: z.enum(['gpu', 'network', 'ntb', 'accelerator', 'bridge', 'other']),
  short: z.string(),
  detail: z.string(),
  up: rate.nullable(),
  problem: z.string().nullable(),
  wire: rate.nullable(),
});

interface DeviceReport extends z.infer<typeof deviceFields> {
  children: DeviceReport[];
}

/** A PCIe device with the devices below it in the PCIe tree of its machine. */
const device: z.ZodType<DeviceReport> = deviceFields.extend({ children: z.lazy(() => z.array(device)) });

const graph = z.strictObject({
  source: z.string(),
  pattern: z.string(),
  detail: z.string(),
  channels: z.array(
    z.strictObject({
      channel: z.int(),
      /** Ids of the devices in the order in which data pass through the ring or chain. */
      order: z.array(z.string()),
      /**
       * True if the last device of `order` sends to the first. A ring through a network adapter continues on another machine, so
       * false.
       */
      isClosed: z.boolean(),
      /** Edges of a tree between devices, as [id of child, id of parent]. */
      edges: z.array(z.tuple([z.string(), z.string()])),
    }),
  ),
});

/** Output of `collbench topo --json`, which shows devices and links of machines: one JSON object. */
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
      /** Links that are not PCIe, such as NVLink. `to`: id of the other GPU, "switch" or "processor"; null = not known. */
      peers: z.array(
        z.strictObject({
          from: z.string(),
          to: z.string().nullable(),
          /** Link type: "NVLink", "xGMI", "C2C", or the name used by the source. */
          kind: z.string(),
          count: z.int(),
          /** Bandwidth of all `count` links together. */
          rate,
        }),
      ),
      /** Paths between two devices; each pair of devices occurs once. */
      paths: z.array(
        z.strictObject({
          a: z.string(),
          b: z.string(),
          joint: z.enum(['nvlink', 'xgmi', 'switch', 'processor', 'nodes']).nullable(),
          /** Bandwidth of the slowest link on the path as far as known, GB/s in one direction; null if no link's is known. */
          ceilingGBps: z.number().nullable(),
          /** Name of that slowest link; null if no link's bandwidth is known. */
          limit: z.string().nullable(),
          /** False if the rate of some links on the path is unknown, so that the true ceiling may be lower. */
          isComplete: z.boolean(),
        }),
      ),
      notes: z.array(z.string()),
    }),
  ),
  /** Rings and trees of GPUs that NCCL chose, from its graph files or log. */
  graphs: z.array(graph),
  /** Connection matrices that `nvidia-smi topo -m` printed. */
  matrices: z.array(
    z.strictObject({
      name: z.string(),
      matrix: z.strictObject({
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
      network: z.string().nullable(),
      plugin: z.string().nullable(),
      gin: z.string().nullable(),
      gpuDirect: z.array(z.string()),
      noGpuDirect: z.array(z.string()),
      connections: z.array(z.strictObject({ channel: z.int(), from: z.int(), to: z.int(), way: z.string() })),
      /** Adapters of the network, if NCCL lists several, with the number of connection ends on each. */
      rails: z.array(z.strictObject({ name: z.string(), ends: z.int() })).optional(),
      choices: z.array(
        z.strictObject({ what: z.string(), bytes: z.int(), algorithm: z.string(), protocol: z.string() }),
      ),
      notes: z.array(z.string()),
    })
    .nullable(),
});
export type TopologyReport = z.infer<typeof topologyReport>;
