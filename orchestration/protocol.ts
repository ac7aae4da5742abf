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
  wrongData,
} from '../results/schema/index.ts';

/**
 * Controller <-> agent, one JSON object per line over stdin/stdout. native/agent/protocol has the same in C++; tests
 * compare both with samples of every message (native/contract, bin/contract.test.ts).
 * The agent speaks first (`hello`). Unknown message types are a protocol error; unknown fields are ignored by the agent.
 * `launch` is the controller's number of one set of rank processes. Several may be open; one measures at a time, or
 * several together, which share the machine then (`together`, `startAtNs`).
 */
export const protocolVersion = 2;

const rankOutcome = z.object({
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

const rankProgress = z.object({
  rank: z.int(),
  pid: z.int(),
  alive: z.boolean(),
  phase: z.string(),
  block: z.int(),
  iterationsDone: z.int(),
  idleMs: z.number(),
  stack: z.array(z.string()),
  logTail: z.array(z.string()),
  /** Last log lines of the libraries that the rank's engine uses. */
  engineTail: z.array(z.string()),
}); // prettier-ignore
export type RankProgress = z.infer<typeof rankProgress>;

const interfaceTraffic = z.object({
  name: z.string(),
  /** State of the interface: up, down or unknown. */
  state: z.string(),
  receivedBytes: z.int(),
  sentBytes: z.int(),
  troubledPackets: z.int(),
  /** Bytes received in the second after the deadline; absent if the agent did not measure them. */
  lastReceivedBytes: z.int().optional(),
  lastSentBytes: z.int().optional(),
}); // prettier-ignore
export type InterfaceTraffic = z.infer<typeof interfaceTraffic>;

export const transportCapability = z.object({
  name: z.string(),
  summary: z.string(),
  available: z.boolean(),
  medium: z.enum(mediumNames),
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
    inventory: inventory.required({ coreCount: true }),
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
    numa: z.array(z.object({ node: z.int(), cpus: z.string() })),
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
    launch: z.int(),
    rank: z.int(),
    key: z.string(),
    data: z.string(),
  }),
  /** All ranks of the launch on this host are connected. */
  z.object({
    type: z.literal('ready'),
    launch: z.int(),
    setupNs: z.int(),
    ranks: z.array(
      z.object({
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
        medium: z.string(),
        facts: z.record(z.string(), z.string()),
      }),
    ),
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
  z.object({ type: z.literal('stopped'), launch: z.int() }),
  /** A launch has failed: a rank died, hung or reported an error. The agent has already killed all processes of the launch. */
  z.object({
    type: z.literal('failed'),
    launch: z.int(),
    kind: z.enum(['rank-died', 'rank-error', 'hang', 'setup']),
    /** Error code of the failure. For a death: signal name or "exit". For a hang: "timeout", "absent" or "never_joined". */
    code: z.string(),
    /** The rank that the agent suspects of causing the failure; null if none of its ranks stands out. */
    rank: z.int().nullable(),
    phase: z.string(),
    activity: z.enum(['starting', 'connecting', 'idle', 'measuring']),
    /** Text of the error that a rank, a library or the system raised; "" for deaths and hangs. */
    reason: z.string(),
    /** Exit status of the rank, if it exited; otherwise null. */
    exitStatus: z.int().nullable(),
    /** True if the kernel killed a process for lack of memory during the launch. */
    outOfMemory: z.boolean(),
    /** State letter of the suspected rank in /proc/PID/stat, for example "T" = stopped; "" = not read. */
    processState: z.string(),
    /** Process id of the framework's worker process that belongs to the suspected rank; null if there is none. */
    workerPid: z.int().nullable(),
    ranks: z.array(rankProgress),
    /** Network interfaces that carried traffic since the block (or the launch) began, or that are down. */
    traffic: z.array(interfaceTraffic),
    /** Lines of the report about the job that NCCL's RAS service gives when a launch hangs; empty if there is none. */
    ras: z.array(z.string()),
  }),
  /**
   * Output of a rank. Kind `stderr`: one line of its stderr or stdout. Kind `engine`: the whole log of its engine's libraries,
   * sent at the end.
   */
  z.object({
    type: z.literal('output'),
    launch: z.int(),
    rank: z.int(),
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
    results: z.array(
      z.object({
        outcome: z.string(),
        detail: z.string(),
        connectNs: z.number(),
        elapsedNs: z.number(),
        pathMtu: z.int().nullable(),
        segmentBytes: z.int().nullable(),
      }),
    ),
  }),
  /** Keepalive, sent at the interval `beatMs` that the controller's `hello` requested. */
  z.object({ type: z.literal('beat') }),
  /** Ranks made progress in the block since it began or since the last report. The controller then restarts its timeout. */
  z.object({ type: z.literal('progress'), launch: z.int(), block: z.int() }),
  z.object({
    type: z.literal('log'),
    level: z.enum(['warn', 'info']),
    launch: z.int(),
    rank: z.int(),
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
const axes = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

/**
 * Transport options by name. Fields of TransportOptions in native/transports/transport.h: interface, token, streams, queue,
 * link, fault, library, pathProof.
 */
const transportOptions = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

/** Messages from controller to agent. */
export const controllerMessage = z.discriminatedUnion('type', [
  /**
   * First message of the controller. `beatMs`: interval at which both sides send `beat`. The agent exits when six intervals
   * pass without a message.
   */
  z.object({
    type: z.literal('hello'),
    protocol: z.int(),
    logLevel: z.string().optional(),
    beatMs: z.int().optional(),
  }),
  z.object({ type: z.literal('beat') }),
  z.object({ type: z.literal('clock'), id: z.int() }),
  z.object({
    type: z.literal('probe'),
    id: z.int(),
    /** Engine to probe; absent = `cpu`. */
    engine: z.string().optional(),
    transport: z.string(),
    options: transportOptions,
    settings: z.record(z.string(), z.string()).optional(),
    /**
     * Environment variables for the probe, which then runs in a separate process, and the time limit of that process. Both
     * absent = the agent probes in its own process.
     */
    environment: z.record(z.string(), z.string()).optional(),
    deadlineMs: z.int().optional(),
  }),
  z.object({
    type: z.literal('launch'),
    launch: z.int(),
    engine: z.enum(engineNames),
    transport: z.string(),
    options: transportOptions,
    algorithm: z.string().nullable(),
    /** Settings of the engine by name, such as the numbers of the GPUs to use or NCCL's algorithm. */
    settings: z.record(z.string(), z.string()).optional(),
    ranks: z.int(),
    localRanks: z.array(z.int()),
    /** True if the agent sends the output of ranks as `output` messages. */
    output: z.boolean().optional(),
    /** CPUs and NUMA nodes of each rank on this host, in the kernel's list format ("0-3,8"; "" = not bound). */
    places: z.array(z.object({ rank: z.int(), cpus: z.string(), memoryNodes: z.string() })).optional(),
    seed: z.int(),
    environment: z.record(z.string(), z.string()),
    /**
     * Share of this launch in the machine's cores, if several launches measure at the same time: `ranks` = number of ranks of
     * all these launches on this machine, `before` = how many of them get their cores before the ranks of this launch.
     */
    together: z.object({ ranks: z.int(), before: z.int() }).optional(),
    /**
     * Number of the launch among those over its transport, from 0. For each number the agent chooses other cores for the ranks
     * (native/agent/cores.h).
     */
    turn: z.int().optional(),
    deadlineMs: z.int(),
  }),
  z.object({
    type: z.literal('exchanged'),
    launch: z.int(),
    key: z.string(),
    data: z.array(z.string()),
  }),
  z.object({
    type: z.literal('measure'),
    launch: z.int(),
    block: z.int(),
    /** Workload to measure: name of a folder in native/workloads. `axes` has the parameters of its operation. */
    workload: z.string(),
    axes,
    /** Text of the operations to perform, for workloads such as replay whose operations cannot be described by axis values. */
    script: z.string().optional(),
    trial: z.object({
      kind: z.enum(['isolated', 'pipelined']),
      firstIteration: z.int(),
      warmup: z.int(),
      minSamples: z.int(),
      maxSamples: z.int(),
      targetNs: z.int(),
      batch: z.int(),
      checkEvery: z.int(),
      check: z.boolean(),
    }),
    /** True if large buffers are freed after the block, because another launch measures next. */
    release: z.boolean(),
    /**
     * Time at which the warm-up starts, on the clock of the agent's machine; buffers are filled before. Absent = start at once.
     */
    startAtNs: z.int().optional(),
    deadlineMs: z.int(),
  }),
  /**
   * Starts metric sampling; sent once, after `hello`. `sources`: names of metric sources, null = all available. `ranks`: ranks
   * that will run on this host.
   */
  z.object({
    type: z.literal('sample'),
    intervalUs: z.int(),
    sources: z.array(z.string()).nullable(),
    ranks: z.array(z.int()),
  }),
  z.object({ type: z.literal('unsample') }),
  z.object({ type: z.literal('stop'), launch: z.int() }),
  /**
   * Requests facts about hardware and software of the machine. `hashes`: every library that is found is hashed. `brief`: the
   * current load is left out.
   */
  z.object({
    type: z.literal('facts'),
    id: z.int(),
    plugins: z.array(z.string()).optional(),
    hashes: z.boolean().optional(),
    brief: z.boolean().optional(),
  }),
  /**
   * Opens a test listener on the network interface that ranks would use, so that other hosts can try to connect. It answers
   * only clients that send `word`.
   */
  z.object({ type: z.literal('listener'), id: z.int(), interface: z.string(), word: z.string() }),
  z.object({
    type: z.literal('connect'),
    id: z.int(),
    interface: z.string(),
    word: z.string(),
    targets: z.array(z.object({ address: z.string(), port: z.int() })),
    timeoutMs: z.int(),
  }),
]);
export type ControllerMessage = z.infer<typeof controllerMessage>;
