import { z } from 'zod';

const rate = z.strictObject({
  /** Text of the rate: "PCIe gen 5 x16", "18 NVLinks", "400 Gbit/s". */
  text: z.string(),
  /** GB/s in one direction; null = not known. */
  GBps: z.number().nullable(),
});

const deviceFields = z.strictObject({
  /** PCI address if the device has one, else another unique name. */
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

/** A device with the devices below it in the PCIe tree. */
const device: z.ZodType<DeviceReport> = deviceFields.extend({ children: z.lazy(() => z.array(device)) });

const graph = z.strictObject({
  source: z.string(),
  pattern: z.string(),
  detail: z.string(),
  channels: z.array(
    z.strictObject({
      channel: z.int(),
      /** Ids of the devices, in the order of the ring or chain. */
      order: z.array(z.string()),
      /**
       * True if the last device of `order` sends to the first. A ring through a network adapter continues on another machine, so
       * false.
       */
      isClosed: z.boolean(),
      /** Edges of a tree, as [child, parent]. */
      edges: z.array(z.tuple([z.string(), z.string()])),
    }),
  ),
});

/** Output of `collbench topo --json`: one object. */
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
      /** Links other than PCIe. `to` is the id of another GPU, "switch" or "processor"; null = unknown. */
      peers: z.array(
        z.strictObject({
          from: z.string(),
          to: z.string().nullable(),
          /** Link type: "NVLink", "xGMI", "C2C", or the name used by the source. */
          kind: z.string(),
          count: z.int(),
          /** Rate of all `count` links together. */
          rate,
        }),
      ),
      /** Paths between two devices; each pair of devices occurs once. */
      paths: z.array(
        z.strictObject({
          a: z.string(),
          b: z.string(),
          joint: z.enum(['nvlink', 'xgmi', 'switch', 'processor', 'nodes']).nullable(),
          /** Lowest known bandwidth of a link on the path, GB/s in one direction; null if no link's rate is known. */
          ceilingGBps: z.number().nullable(),
          /** Name of the link with that lowest bandwidth; null if no rate is known. */
          limit: z.string().nullable(),
          /** False if the rate of some links on the path is unknown, so that the true ceiling may be lower. */
          isComplete: z.boolean(),
        }),
      ),
      notes: z.array(z.string()),
    }),
  ),
  /** Rings and trees that NCCL wrote to a file or logged. */
  graphs: z.array(graph),
  /** Tables that nvidia-smi topo -m printed. */
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
      choices: z.array(
        z.strictObject({ what: z.string(), bytes: z.int(), algorithm: z.string(), protocol: z.string() }),
      ),
      notes: z.array(z.string()),
    })
    .nullable(),
});
export type TopologyReport = z.infer<typeof topologyReport>;
