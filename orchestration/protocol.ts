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
  /** Algorithm that the engine used; "" = not known. */
  algorithm: z.string(),
  protocol: z.string().optional(),
  /** Number of connections that this rank has opened so far, by kind of path ("NET/Socket", "P2P/CUMEM"). */
  paths: z.record(z.string(), z.int()).optional(),
  /** `device`: times are timestamps taken on the rank's device; absent = `host`. */
  clock: z.enum(['host', 'device']).optional(),
  markNs: z.int().optional(),
  /** Times (ns) or counts of the parts of an operation, by name of the part: [sample]. Only in isolated trials. */
  columns: z.record(z.string(), z.array(z.int())).optional(),
  /** Host time to queue the operation, ns: [sample]; empty where the host's clock measures. */
  enqueueNs: z.array(z.int()).optional(),
  batch: z.int(),
  operations: z.int(),
  windowNs: z.int(),
  /**
   * Clock of the machine of rank 0 minus this machine's at the last sample. All times below are on the clock of rank 0. Absent
   * where the launch runs on one machine. `clockUncertaintyNs` is the largest possible error of the block, either way.
   */
  clockOffsetNs: z.int().optional(),
  clockUncertaintyNs: z.int().optional(),
  commonStartNs: z.array(z.int()),
  startNs: z.array(z.int()),
  endNs: z.array(z.int()),
  late: z.array(z.int()),
  warmupNs: z.array(z.int()),
  checks: z.int(),
  /** Time spent between samples on filling buffers and comparing results. */
  checkingNs: z.int().optional(),
  wrong: wrongData.omit({ rank: true }),
  counters,
  /** Concurrent load during the block; absent = there was none. */
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
  /** Last lines that the libraries of the rank's engine logged. */
  engineTail: z.array(z.string()).optional(),
}); // prettier-ignore
export type RankProgress = z.infer<typeof rankProgress>;

const interfaceTraffic = z.object({
  name: z.string(),
  /** up, down or unknown */
  state: z.string(),
  receivedBytes: z.int(),
  sentBytes: z.int(),
  troubledPackets: z.int(),
  /** Traffic in the second after the deadline; absent where the agent did not measure it. */
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
  /** Properties found by the probe: versions, paths, devices; `env.NAME` = value that the variable would get. */
  facts: z.record(z.string(), z.string()).optional(),
  /** Present if a separate process ran the probe: its last output, and its stack when it crashed or hung. */
  words: z.array(z.string()).optional(),
  stack: z.array(z.string()).optional(),
}); // prettier-ignore
export type TransportCapability = z.infer<typeof transportCapability>;

export const engineOffer = z.object({
  name: z.string(),
  /** Supported values by workload and axis; an axis that is absent takes any value. */
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
    /** Workloads of each engine, with the axes that accept only certain names. */
    engines: z.array(engineOffer),
    transports: z.array(transportCapability),
    inventory,
    /** Id of the machine, equal for all agents on it; "" = not known. */
    machine: z.string().optional(),
    /** Id of the clock, equal for agents that read the same one. Namespaces of one machine can have different clocks. */
    clock: z.string().optional(),
    /** Id of the network namespace, equal for agents that have the same network interfaces. */
    network: z.string().optional(),
    /** CPUs that the agent may use, in the kernel's list format. `numa` has the CPUs of each NUMA node. */
    cpus: z.string().optional(),
    /** The lowest CPU of each core in `cpus`. */
    oneCpuPerCore: z.string().optional(),
    numa: z.array(z.object({ node: z.int(), cpus: z.string() })).optional(),
    /** Memory limit of the agent's control groups; null = no limit. */
    memoryLimitBytes: z.int().nullable().optional(),
    clockNs: z.int(),
  }),
  /** Answer to `clock`: the machine's clock when the agent read the question. */
  z.object({ type: z.literal('clock'), id: z.int(), clockNs: z.int() }),
  /** Answer to `probe`. */
  z.object({ type: z.literal('probed'), id: z.int(), transport: transportCapability }),
  /** A rank's blob for a named all-gather; the controller answers `exchanged` once it has all. */
  z.object({
    type: z.literal('exchange'),
    launch: z.int(),
    rank: z.int(),
    key: z.string(),
    data: z.string(),
  }),
  /** All local ranks of the launch are connected. */
  z.object({
    type: z.literal('ready'),
    launch: z.int(),
    setupNs: z.int(),
    ranks: z.array(
      z.object({
        rank: z.int(),
        pid: z.int(),
        /** The core that the rank is bound to; null if it is not bound. */
        cpu: z.int().nullable().optional(),
        /** CPUs on which the kernel lets the rank run ("0-3"). `memory` is its memory policy ("bind:0"; "" = none). */
        cpus: z.string().optional(),
        /** The cores that these CPUs belong to, each by its lowest hardware thread. */
        cores: z.string().optional(),
        memory: z.string().optional(),
        device: z.string(),
        detail: z.string(),
        medium: z.string(),
        facts: z.record(z.string(), z.string()).optional(),
      }),
    ),
  }),
  /** `measure` is done on all local ranks. */
  z.object({
    type: z.literal('measured'),
    launch: z.int(),
    block: z.int(),
    ranks: z.array(rankOutcome),
    interfaceBytes: z.record(z.string(), z.int()),
  }),
  /** Answer to `sample`: channels that the agent now reads, and sources that it cannot read on this machine. */
  z.object({
    type: z.literal('sampling'),
    ...metricsHeader.pick({ intervalUs: true, channels: true, failed: true }).shape,
  }),
  /** Metric readings: [reading][channel]. Sent without a request between blocks, or when the agent's buffer is full. */
  z.object({
    type: z.literal('samples'),
    startNs: z.array(metricsTick.shape.startNs),
    costNs: z.array(metricsTick.shape.costNs),
    values: z.array(metricsTick.shape.values),
  }),
  /** A source that could be read until now has failed; its channels are null from now on. */
  z.object({ type: z.literal('sourceFailed'), source: z.string(), reason: z.string() }),
  /** Answer to `unsample`, after the last `samples`. */
  z.object({ type: z.literal('sampled'), ...samplerCost.shape }),
  z.object({ type: z.literal('stopped'), launch: z.int() }),
  /** The launch has failed; the agent has already killed all its processes. failure-text.ts writes the sentences about it. */
  z.object({
    type: z.literal('failed'),
    launch: z.int(),
    kind: z.enum(['rank-died', 'rank-error', 'hang', 'setup']),
    /** Error code. For a death: signal name or "exit". For a hang: "timeout", "slow", "absent" or "never_joined". */
    code: z.string(),
    /** The rank that the agent suspects; null if none of its ranks stands out. */
    rank: z.int().nullable(),
    phase: z.string(),
    activity: z.enum(['starting', 'connecting', 'idle', 'measuring']),
    /** Text of the error that a rank, a library or the system raised; "" for deaths and hangs. */
    reason: z.string(),
    /** Exit status of a rank that exited. */
    exitStatus: z.int().nullable(),
    /** True if the kernel killed a process for lack of memory during the launch. */
    outOfMemory: z.boolean(),
    /** The suspected rank's state letter in /proc/PID/stat, "T" = stopped; "" = not read. */
    processState: z.string(),
    /** Process id of the framework's worker that the suspected rank uses; null if it has none. */
    workerPid: z.int().nullable(),
    ranks: z.array(rankProgress),
    /** Interfaces that carried traffic since the block (or the launch) began, or that are down. */
    traffic: z.array(interfaceTraffic).optional(),
    /** Report on the job by NCCL's RAS service. */
    ras: z.array(z.string()).optional(),
  }),
  /**
   * Output of a rank. `stderr`: one line of its stderr or stdout. `engine`: the whole log of its engine's libraries, at the end.
   */
  z.object({
    type: z.literal('output'),
    launch: z.int(),
    rank: z.int(),
    from: z.enum(['stderr', 'engine']),
    text: z.string(),
  }),
  /** Answer to `facts`. */
  z.object({ type: z.literal('facts'), id: z.int(), facts: machineFacts }),
  /** Answer to `door`: the listener's address and port. `problem` says why it could not listen; "" = it listens. */
  z.object({
    type: z.literal('door'),
    id: z.int(),
    interface: z.string(),
    address: z.string(),
    port: z.int(),
    problem: z.string(),
    /** Wall clock, ns; larger than 2^53, so exact only to about a microsecond. */
    realtimeNs: z.number(),
  }),
  /** Answer to `knock`: one result per target, in the order of the request. */
  z.object({
    type: z.literal('knocked'),
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
  /** Keepalive, sent at the interval that `hello` requested. */
  z.object({ type: z.literal('beat') }),
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
 * Returns true if the value is a valid `samples` message, checked without the schema. Reason: on large hosts most messages are
 * samples, and the schema would copy every value. If false, the schema checks the message and explains the error.
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

/** Values of a workload's axes; null = the axis does not apply. */
const axes = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

/**
 * Fields of TransportOptions in native/transports/transport.h: interface, token, streams, queue, link, fault, library, pathProof.
 */
const transportOptions = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

/** Messages from controller to agent. */
export const controllerMessage = z.discriminatedUnion('type', [
  /** `beatMs`: interval at which both sides send `beat`. The agent exits when six intervals pass without a message. */
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
    /** Variables added for a separate probe process, and its time limit; both absent if the agent probes in its own process. */
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
    /** Engine settings by name (native/engines/nccl/settings.h). */
    settings: z.record(z.string(), z.string()).optional(),
    ranks: z.int(),
    localRanks: z.array(z.int()),
    /** True if the agent shall send the output of ranks as `output` messages. */
    output: z.boolean().optional(),
    /** CPUs and NUMA nodes of each local rank, in the kernel's list format ("0-3,8"; "" = not bound). */
    places: z.array(z.object({ rank: z.int(), cpus: z.string(), memoryNodes: z.string() })).optional(),
    seed: z.int(),
    environment: z.record(z.string(), z.string()),
    /**
     * Number of ranks that measure together on this machine, in all launches, and how many of them take their cores before these.
     */
    together: z.object({ ranks: z.int(), before: z.int() }).optional(),
    /** Number of the launch in its series, from 0. The agent picks other cores for each number (native/agent/cores.h). */
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
    /** Name of a folder in native/workloads; `axes` holds the point. */
    workload: z.string(),
    axes,
    /** Workload program, for workloads whose unit of work the axes cannot describe. */
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
    /** Frees large buffers after the block, because another launch measures next. */
    release: z.boolean(),
    /** Start of the warm-up on the clock of the agent's machine; buffers are filled earlier. Absent = start at once. */
    startAtNs: z.int().optional(),
    deadlineMs: z.int(),
  }),
  /**
   * Starts metric sampling; sent once, after `hello`. `sources`: null = all available. `ranks`: ranks that will run on this host.
   */
  z.object({
    type: z.literal('sample'),
    intervalUs: z.int(),
    sources: z.array(z.string()).nullable(),
    ranks: z.array(z.int()),
  }),
  z.object({ type: z.literal('unsample') }),
  z.object({ type: z.literal('stop'), launch: z.int() }),
  /** Asks for hardware and software of the machine. `hashes` hashes every library found, `brief` leaves out the current load. */
  z.object({
    type: z.literal('facts'),
    id: z.int(),
    plugins: z.array(z.string()).optional(),
    hashes: z.boolean().optional(),
    brief: z.boolean().optional(),
  }),
  /** Opens a test listener on the interface that ranks would use; only clients that send `word` are answered. */
  z.object({ type: z.literal('door'), id: z.int(), interface: z.string(), word: z.string() }),
  z.object({
    type: z.literal('knock'),
    id: z.int(),
    interface: z.string(),
    word: z.string(),
    targets: z.array(z.object({ address: z.string(), port: z.int() })),
    timeoutMs: z.int(),
  }),
]);
export type ControllerMessage = z.infer<typeof controllerMessage>;
