import { z } from 'zod';
import {
  counters,
  engineNames,
  inventory,
  loadBlock,
  machineFacts,
  mediumNames,
  metricsHeader,
  metricsTick,
  samplerCost,
  timedTrialNames,
  wrongData,
} from '../results/schema/index.ts';

/**
 * Controller <-> agent, one JSON object per line over stdin/stdout. orchestration/contract generates the C++ structs, parsers and
 * writers of the agent from these schemas (native/agent/protocol/generated), with the texts of `describe` as comments.
 * The agent speaks first (`hello`). Unknown message types are a protocol error; unknown fields are ignored by the agent.
 * `launch` is the controller's number of one set of rank processes. Several may be open; one measures at a time, or
 * several together, which share the machine then (`together`, `startAtNs`).
 */
export const protocolVersion = 2;
/** Code of a hang whose suspect is not in the collective call in which all other ranks wait. */
export const absentCode = 'absent';
/** Code of a hang whose suspect has not connected to the address at which the ranks meet. */
export const neverJoinedCode = 'never_joined';

/** Rank numbers and other counts that C++ holds in an `int`. */
const count = z.int32().min(0);
/** Number of a message, which its answer repeats. */
const messageId = z.int();
const natural = z.int().min(0);
const milliseconds = z.int().min(1).max(1_000_000_000);
export const medium = z.enum(mediumNames);

export const rankOutcome = z.object({
  rank: z.int(),
  /** Algorithm that the engine used; "" = unknown. */
  algorithm: z.string(),
  protocol: z.string(),
  /** Number of connections that this rank has opened so far, by kind of connection ("NET/Socket", "P2P/CUMEM"). */
  paths: z.record(z.string(), z.int()),
  /** Clock that measures the times: `host` = CLOCK_MONOTONIC of the CPU, `device` = time stamps that the rank's GPU takes. */
  clock: z.enum(['host', 'device']),
  markNs: z.int(),
  /** Times (ns) or counts of parts of an operation, by name of the part, one value per sample. Only in isolated trials. */
  columns: z.record(z.string(), z.array(z.int())),
  /** Host time to queue the operation, ns, one value per sample. Empty if times are measured by the host's clock. */
  enqueueNs: z.array(z.int()),
  batch: z.int(),
  operations: z.int(),
  windowNs: z.int(),
  /**
   * Clock of the machine of rank 0 minus the clock of this machine, at the last sample. All times below are on the clock of
   * rank 0. Absent if the launch runs on one machine. `clockUncertaintyNs` is the largest possible error of this offset during
   * the block, in either direction.
   */
  clockOffsetNs: z.int().optional(),
  clockUncertaintyNs: z.int().optional(),
  commonStartNs: z.array(z.int()),
  startNs: z.array(z.int()),
  endNs: z.array(z.int()),
  late: z.array(z.int()),
  warmupNs: z.array(z.int()),
  checks: z.int(),
  /** Nanoseconds spent between samples on filling buffers and comparing results. */
  checkingNs: z.int(),
  wrong: wrongData.omit({ rank: true }),
  counters,
  /** Measurements of the extra load that collbench itself ran during the block; absent = there was no such load. */
  beside: loadBlock.optional(),
}); // prettier-ignore
export type RankOutcome = z.infer<typeof rankOutcome>;

export const rankProgress = z
  .object({
    rank: count,
    pid: z.int(),
    alive: z.boolean(),
    phase: z.string(),
    block: natural,
    iterationsDone: z.int().describe('Number of operations that the rank has completed in this block.'),
    idleMs: z.number().describe('Time since the rank last made progress.'),
    stack: z.array(z.string()),
    logTail: z.array(z.string()),
    engineTail: z.array(z.string()).describe("Last log lines of the libraries that the rank's engine uses."),
  })
  .describe(
    'State of one rank at one moment. Sent with the message `failed`; the watch of deadlines compares these states, too.',
  );
export type RankProgress = z.infer<typeof rankProgress>;

export const interfaceTraffic = z
  .object({
    name: z.string(),
    state: z.string().describe("State of the interface as the kernel's operstate: up, down or unknown."),
    receivedBytes: natural,
    sentBytes: natural,
    troubledPackets: natural.describe('Number of packets that were lost or damaged.'),
    lastReceivedBytes: natural
      .optional()
      .describe('Bytes received in the second after the deadline; absent if the agent did not measure them.'),
    lastSentBytes: natural.optional(),
  })
  .describe(
    'Traffic of a network interface since the block began, or the launch if its ranks still connected.',
  );
export type InterfaceTraffic = z.infer<typeof interfaceTraffic>;

export const transportCapability = z.object({
  name: z.string(),
  summary: z.string(),
  available: z.boolean(),
  medium: medium,
  detail: z.string(),
  reason: z.string(),
  remedy: z.string(),
  /**
   * Properties that the probe found: versions, paths, devices. `env.NAME` = the value that the environment variable NAME will
   * get.
   */
  facts: z.record(z.string(), z.string()),
  /** Filled only if a separate process ran the probe: last output of that process and, if it crashed or hung, its stack. */
  words: z.array(z.string()),
  stack: z.array(z.string()),
}); // prettier-ignore
export type TransportCapability = z.infer<typeof transportCapability>;

export const engineOffer = z.object({
  name: z.string(),
  /** Supported values of parameters (data type, ...): by workload, then by parameter. An absent parameter supports all values. */
  offers: z.record(z.string(), z.record(z.string(), z.array(z.string()))),
});
export type EngineOffer = z.infer<typeof engineOffer>;

export const readyRank = z.object({
  rank: z.int(),
  pid: z.int(),
  /** The core that the rank is bound to; null if it is not bound. */
  cpu: z.int().nullable(),
  /** CPUs on which the kernel lets the rank run ("0-3"). `memory`: the rank's memory policy ("bind:0"; "" = none). */
  cpus: z.string(),
  /** The cores to which these CPUs belong; each core is named by its lowest hardware thread. */
  cores: z.string(),
  memory: z.string(),
  device: z.string(),
  detail: z.string(),
  medium: medium,
  facts: z.record(z.string(), z.string()),
});

export const numaNode = z.object({ node: z.int(), cpus: z.string() });
export const agentInventory = inventory.required({ coreCount: true });

export const connectionResult = z.object({
  outcome: z.string(),
  detail: z.string(),
  connectNs: z.number(),
  elapsedNs: z.number(),
  pathMtu: z.int().nullable(),
  segmentBytes: z.int().nullable(),
});

export const failureKind = z
  .enum(['rank-died', 'rank-error', 'hang', 'setup'])
  .describe('Kind of a failed launch. setup: its ranks had not all connected.');
export const launchActivity = z
  .enum(['starting', 'connecting', 'idle', 'measuring'])
  .describe(
    'Activity of a launch when it failed: starting its processes, connecting the ranks, idle between blocks, or measuring a block.',
  );

/**
 * Messages from agent to controller. Times are CLOCK_MONOTONIC of the agent's machine, in absolute ns. They are exact below 2^53
 * ns: 104 days of uptime. Times in `measured` are on the clock of the machine of rank 0.
 */
export const agentMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    protocol: z.int(),
    version: z.string(),
    /** Workloads that each engine supports, with the supported values of their parameters (data type, ...). */
    engines: z.array(engineOffer),
    transports: z.array(transportCapability),
    inventory: agentInventory,
    /** Id of the machine, equal for all agents on the same machine; "" = unknown. */
    machine: z.string(),
    /**
     * Id of the agent's clock, equal for agents that read the same clock. Containers (time namespaces) of one machine can have
     * different clocks.
     */
    clock: z.string(),
    /** Id of the agent's network namespace, equal for agents that have the same network interfaces. */
    network: z.string(),
    /** CPUs that the agent may use, in the kernel's list format. `numa` has the CPUs of each NUMA node. */
    cpus: z.string(),
    /** One CPU of each core in `cpus`, the lowest. */
    oneCpuPerCore: z.string(),
    numa: z.array(numaNode),
    /** Memory limit of the agent's control groups; null = no limit. */
    memoryLimitBytes: z.int().nullable(),
    clockNs: z.int(),
  }),
  /** Answer to `clock`: the machine's clock at the time when the agent read the request. */
  z.object({ type: z.literal('clock'), id: z.int(), clockNs: z.int() }),
  /** Answer to `probe`: whether the transport can run, and its properties. */
  z.object({ type: z.literal('probed'), id: z.int(), transport: transportCapability }),
  /**
   * Data (blob) that a rank contributes to an all-gather with this key. When all ranks have contributed, the controller sends
   * all blobs as `exchanged`.
   */
  z.object({
    type: z.literal('exchange'),
    launch: count,
    rank: count,
    key: z.string(),
    data: z.string(),
  }),
  /** All ranks of the launch on this host are connected. */
  z.object({
    type: z.literal('ready'),
    launch: count,
    setupNs: z.int(),
    ranks: z.array(readyRank),
  }),
  /** Answer to `measure`: all ranks of this host have measured the block (samples of one point, taken without a break). */
  z.object({
    type: z.literal('measured'),
    launch: z.int(),
    block: z.int(),
    ranks: z.array(rankOutcome),
    interfaceBytes: z.record(z.string(), z.int()),
  }),
  /** Answer to `sample`: channels that the agent now samples, and sources that it cannot read on this machine. */
  z.object({
    type: z.literal('sampling'),
    ...metricsHeader.pick({ intervalUs: true, channels: true, failed: true }).shape,
  }),
  /**
   * Metric readings, as values[reading][channel]. The agent sends them without a request, between blocks or when its buffer is
   * full.
   */
  z.object({
    type: z.literal('samples'),
    startNs: z.array(metricsTick.shape.startNs),
    costNs: z.array(metricsTick.shape.costNs),
    values: z.array(metricsTick.shape.values),
  }),
  /** A metric source that was readable before has failed. The values of its channels are null from now on. */
  z.object({ type: z.literal('sourceFailed'), source: z.string(), reason: z.string() }),
  /** Answer to `unsample`: the cost of sampling. It comes after the last `samples` message. */
  z.object({ type: z.literal('sampled'), ...samplerCost.shape }),
  z.object({ type: z.literal('stopped'), launch: count }),
  z
    .object({
      type: z.literal('failed'),
      launch: count,
      kind: failureKind,
      code: z
        .string()
        .describe(
          'Error code of the failure. For a death: signal name or "exit". For a hang: "timeout", kAbsentCode or kNeverJoinedCode.',
        ),
      rank: count
        .nullable()
        .describe(
          'The rank that the agent suspects of causing the failure; null if none of its ranks stands out.',
        ),
      phase: z.string(),
      activity: launchActivity,
      reason: z
        .string()
        .describe('Text of the error that a rank, a library or the system raised; "" for deaths and hangs.'),
      exitStatus: z.int32().nullable().describe('Exit status of the rank, if it exited; otherwise null.'),
      outOfMemory: z
        .boolean()
        .describe('True if the kernel killed a process for lack of memory during the launch.'),
      processState: z
        .string()
        .describe(
          'State letter of the suspected rank in /proc/PID/stat, for example "T" = stopped; "" = not read.',
        ),
      workerPid: z
        .int()
        .nullable()
        .describe(
          "Process id of the framework's worker process of the suspected rank; null if there is none.",
        ),
      ranks: z.array(rankProgress),
      traffic: z
        .array(interfaceTraffic)
        .describe(
          'Network interfaces that carried traffic since the block (or the launch) began, or that are down.',
        ),
      ras: z
        .array(z.string())
        .describe(
          "Lines of the report that NCCL's RAS service gives when a launch hangs; empty if there is none.",
        ),
    })
    .describe(
      'A launch has failed: a rank died, hung or reported an error. The agent has already killed all its processes. The controller compares the reports of all agents to find the first cause, and writes the text for users.',
    ),
  /**
   * Output of a rank. Kind `stderr`: one line of its stderr or stdout. Kind `engine`: the whole log of its engine's libraries,
   * sent at the end.
   */
  z.object({
    type: z.literal('output'),
    launch: count,
    rank: count,
    from: z.enum(['stderr', 'engine']),
    text: z.string(),
  }),
  /** Answer to `facts`: hardware and software of the machine. */
  z.object({ type: z.literal('facts'), id: z.int(), facts: machineFacts }),
  /** Answer to `listener`: address and port of the test listener. `problem` says why it could not be opened; "" = it is open. */
  z.object({
    type: z.literal('listener'),
    id: z.int(),
    interface: z.string(),
    address: z.string(),
    port: z.int(),
    problem: z.string(),
    /** Wall clock in ns since 1970. The number is larger than 2^53, so it is exact only to about a microsecond. */
    realtimeNs: z.number(),
  }),
  /** Answer to `connect`: results of the connection attempts, one per target, in the order of the request. */
  z.object({
    type: z.literal('connections'),
    id: z.int(),
    results: z.array(connectionResult),
  }),
  /** Keepalive, sent at the interval `beatMs` that the controller's `hello` requested. */
  z.object({ type: z.literal('beat') }),
  /** Ranks made progress in the block since it began or since the last report. The controller then restarts its timeout. */
  z.object({ type: z.literal('progress'), launch: count, block: natural }),
  z.object({
    type: z.literal('log'),
    level: z.enum(['warn', 'info']),
    launch: count,
    rank: count,
    text: z.string(),
  }),
]); // prettier-ignore
export type AgentMessage = z.infer<typeof agentMessage>;

/**
 * True if the value is a valid `samples` message; checked by hand, without the schema. On large hosts most messages are
 * samples, and the schema would copy every value. If false, the caller lets the schema check the message and explain the error.
 */
export function isSamples(raw: unknown): raw is Extract<AgentMessage, { type: 'samples' }> {
  const { type, startNs, costNs, values } = (raw ?? {}) as Record<string, unknown>;
  if (type !== 'samples' || !Array.isArray(startNs) || !Array.isArray(costNs) || !Array.isArray(values))
    return false;
  return (
    startNs.every(Number.isSafeInteger) &&
    costNs.every(Number.isSafeInteger) &&
    values.every((row) => Array.isArray(row) && row.every((one) => one === null || Number.isFinite(one)))
  );
}

/** Parameters of the operation to measure (axes: collective, bytes, dtype, ...) by name; null = the parameter does not apply. */
export const axes = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

/**
 * Transport options by name. Fields of TransportOptions in native/transports/transport.h: interface, token, streams, queue,
 * link, fault, library, pathProof.
 */
export const transportOptions = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

/** CPUs or NUMA nodes in the kernel's list format ("0-3,8"); "" = none. */
export const numberList = z.string();

export const coreSharing = z
  .object({
    ranks: count.describe('Number of ranks of all these launches on this machine, this one included.'),
    before: count.describe('Number of ranks that get their cores before the ranks of this launch.'),
  })
  .describe("Share of a launch in the machine's cores, if several launches measure at the same time.");

export const rankPlacement = z
  .object({
    rank: count,
    cpus: numberList.describe('CPUs that the rank may use; empty = not bound.'),
    memoryNodes: numberList.describe("NUMA nodes of the rank's memory; empty = any."),
  })
  .describe(
    'CPUs and NUMA nodes that the controller has chosen for one rank, for example because the user named them.',
  );

export const trialKind = z.enum(timedTrialNames);

export const probeTarget = z.object({ address: z.string(), port: z.int32().min(1).max(65_535) });

const environment = z.record(z.string(), z.string());
const settings = z.record(z.string(), z.string());

/** Messages from controller to agent. */
export const controllerMessage = z.discriminatedUnion('type', [
  z
    .object({
      type: z.literal('hello'),
      protocol: count,
      logLevel: z.string().default('').describe('One of warn, info, debug; "" = unchanged.'),
      beatMs: z
        .int()
        .min(0)
        .max(1_000_000_000)
        .default(0)
        .describe(
          'Interval at which both sides send `beat`. The agent exits when kBeatsMissed intervals pass without a message. 0 = no beats: a controller on the same machine does not need them, because stdin ends when it ends.',
        ),
    })
    .describe('First message of the controller.'),
  z
    .object({ type: z.literal('beat') })
    .describe('Message without content; it shows that the sender is alive.'),
  z
    .object({ type: z.literal('clock'), id: messageId })
    .describe("Request for the current time of this machine's clock."),
  z
    .object({
      type: z.literal('probe'),
      id: messageId,
      engine: z.string().default('').describe('Engine to probe; "" = cpu.'),
      transport: z
        .string()
        .describe(
          'Name of the transport. "plugin:PATH" is read as "plugin", with the path in options.library.',
        ),
      options: transportOptions,
      settings: settings.default({}),
      environment: environment
        .default({})
        .describe(
          'Environment variables for the probe of a plugin, which runs in a separate process, and the time limit of that process.',
        ),
      deadlineMs: milliseconds.default(8_000),
    })
    .describe('Request to test whether a transport can run on this machine.'),
  z
    .object({
      type: z.literal('launch'),
      launch: count,
      engine: z.enum(engineNames),
      transport: z.string().describe('Name of the transport, as in `probe`.'),
      options: transportOptions,
      algorithm: z.string().nullable().describe('Algorithm of the engine; null = chosen per size.'),
      settings: settings
        .default({})
        .describe(
          "Settings of the engine by name, such as the numbers of the GPUs to use or NCCL's algorithm.",
        ),
      ranks: z.int32().min(1).max(4096),
      localRanks: z.array(count).min(1).describe('Ranks that this machine starts, ascending.'),
      output: z
        .boolean()
        .default(false)
        .describe(
          'True: the agent sends the output of ranks and the logs of their engines as `output` messages.',
        ),
      places: z
        .array(rankPlacement)
        .optional()
        .describe(
          'CPUs and NUMA nodes of each local rank. Absent = the agent binds each rank to one core, if there are enough (cores.h).',
        ),
      seed: natural,
      environment,
      together: coreSharing.optional().describe('Absent = this launch measures alone.'),
      turn: count
        .default(0)
        .describe(
          'Number of the launch among those over its transport, from 0. For each number the agent chooses other cores for the ranks (cores.h).',
        ),
      deadlineMs: milliseconds,
    })
    .describe('Request to start the rank processes of a launch.'),
  z
    .object({
      type: z.literal('exchanged'),
      launch: count,
      key: z.string(),
      data: z.array(z.string()).describe('Data of all ranks, by rank, as they sent them.'),
    })
    .describe('End of an all-gather in which each rank sent `exchange`.'),
  z.object({
    type: z.literal('measure'),
    launch: count,
    block: natural,
    /** Workload to measure: name of a folder in native/workloads. `axes` has the parameters of its operation. */
    workload: z.string(),
    axes,
    /** Text of the operations to perform, for workloads such as replay whose operations cannot be described by axis values. */
    script: z.string().default(''),
    trial: z.object({
      kind: trialKind,
      firstIteration: natural,
      warmup: z.uint32(),
      minSamples: z.uint32().min(1).max(10_000_000),
      /** At least minSamples. */
      maxSamples: z.uint32().min(1).max(10_000_000),
      targetNs: natural,
      batch: z.uint32(),
      checkEvery: z.uint32(),
      check: z.boolean(),
    }),
    /** True if large buffers are freed after the block, because another launch measures next. */
    release: z.boolean(),
    /** Time at which the warm-up starts, on the clock of the agent's machine; buffers are filled before. 0 = start at once. */
    startAtNs: natural.default(0),
    deadlineMs: milliseconds,
  }),
  z
    .object({
      type: z.literal('sample'),
      intervalUs: z.int().min(1_000).max(10_000_000),
      sources: z
        .array(z.string())
        .min(1)
        .nullable()
        .describe('Names of metric sources; null = all that this machine has.'),
      ranks: z
        .array(z.int32().min(0).max(4095))
        .max(4096)
        .describe('Ranks whose CPU time and memory are recorded while launches run them on this machine.'),
    })
    .describe(
      'Request to start recording metrics of the machine (CPU time, network traffic, ...); sent once, after `hello`.',
    ),
  z.object({ type: z.literal('unsample') }),
  z.object({ type: z.literal('stop'), launch: count }),
  /**
   * Requests facts about hardware and software of the machine. `hashes`: every library that is found is hashed. `brief`: the
   * current load is left out.
   */
  z.object({
    type: z.literal('facts'),
    id: messageId,
    plugins: z.array(z.string()).max(16).default([]),
    hashes: z.boolean().default(false),
    brief: z.boolean().default(false),
  }),
  z
    .object({
      type: z.literal('listener'),
      id: messageId,
      interface: z
        .string()
        .describe(
          'Network interface on which to listen, in the form of the socket transport\'s option; "" = the one that it chooses between machines.',
        ),
      word: z.string().describe('Secret word that a connecting agent must send; others get no answer.'),
    })
    .describe(
      'Request to open a test listener where ranks would listen, so that other hosts can try to connect.',
    ),
  z
    .object({
      type: z.literal('connect'),
      id: messageId,
      interface: z.string(),
      word: z.string(),
      targets: z.array(probeTarget).max(256).describe('Listeners to connect to.'),
      timeoutMs: z.int().min(1).max(600_000),
    })
    .describe('Request to test connections to the listeners of other machines.'),
]);
/** A message as it is sent; the agent completes fields that are absent. */
export type ControllerMessage = z.input<typeof controllerMessage>;
