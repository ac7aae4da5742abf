import { z } from 'zod';

const rate = z.strictObject({
  /** "PCIe gen 5 x16", "18 NVLinks", "400 Gbit/s". */
  text: z.string(),
  /** One direction; null = not known. */
  GBps: z.number().nullable(),
});

const deviceFields = z.strictObject({
  /** PCI address, where it has one. */
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

/** A device with those below it. */
const device: z.ZodType<DeviceReport> = deviceFields.extend({ children: z.lazy(() => z.array(device)) });

const graph = z.strictObject({
  source: z.string(),
  pattern: z.string(),
  detail: z.string(),
  channels: z.array(
    z.strictObject({
      channel: z.int(),
      /** Along a ring or chain. */
      order: z.array(z.string()),
      /** Whether the last of `order` sends to the first; a ring through an adapter continues on another machine. */
      isClosed: z.boolean(),
      /** Of a tree: child, parent. */
      edges: z.array(z.tuple([z.string(), z.string()])),
    }),
  ),
});

/** What `collbench topo --json` prints: one object. */
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
      /** Links beside PCIe: from a GPU to another's id, "switch", "processor", or null = unknown. */
      peers: z.array(
        z.strictObject({
          from: z.string(),
          to: z.string().nullable(),
          /** "NVLink", "xGMI", "C2C", or the name that the source gives. */
          kind: z.string(),
          count: z.int(),
          /** Rate of all `count` links together. */
          rate,
        }),
      ),
      /** Each pair of devices once, by id. */
      paths: z.array(
        z.strictObject({
          a: z.string(),
          b: z.string(),
          joint: z.enum(['nvlink', 'xgmi', 'switch', 'processor', 'nodes']).nullable(),
          /** The most in one direction; null = of no link on the way the rate is known. */
          ceilingGBps: z.number().nullable(),
          /** The link that sets it. */
          limit: z.string().nullable(),
          /** false: not all links on the way are known, the true ceiling may be lower. */
          isComplete: z.boolean(),
        }),
      ),
      notes: z.array(z.string()),
    }),
  ),
  /** Rings and trees, as NCCL wrote or logged them. */
  graphs: z.array(graph),
  /** Tables of nvidia-smi topo -m. */
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
