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
  /** "" = not known. */
  algorithm: z.string(),
  protocol: z.string().optional(),
  /** Connections of this rank so far, by the way they go. */
  paths: z.record(z.string(), z.int()).optional(),
  /** `device`: times are marks on the device of the rank; absent = `host`. */
  clock: z.enum(['host', 'device']).optional(),
  markNs: z.int().optional(),
  /** By name the parts of operations that have some, isolated: [sample], ns or counts. */
  columns: z.record(z.string(), z.array(z.int())).optional(),
  /** [sample]; empty for the host's clock. */
  enqueueNs: z.array(z.int()).optional(),
  batch: z.int(),
  operations: z.int(),
  windowNs: z.int(),
  /** Only where the launch spans machines: root's clock minus this machine's at the last sample, and by how much that may
   * be wrong either way (the widest of the block). All times below are of the root's clock then. */
  clockOffsetNs: z.int().optional(),
  clockUncertaintyNs: z.int().optional(),
  commonStartNs: z.array(z.int()),
  startNs: z.array(z.int()),
  endNs: z.array(z.int()),
  late: z.array(z.int()),
  warmupNs: z.array(z.int()),
  checks: z.int(),
  /** Spent between the samples on filling and comparing. */
  checkingNs: z.int().optional(),
  wrong: wrongData.omit({ rank: true }),
  counters,
  /** What worked beside the block; absent = nothing did. */
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
  /** Last lines that libraries of its engine logged. */
  engineTail: z.array(z.string()).optional(),
}); // prettier-ignore
export type RankProgress = z.infer<typeof rankProgress>;

const interfaceTraffic = z.object({
  name: z.string(),
  /** up, down, unknown */
  state: z.string(),
  receivedBytes: z.int(),
  sentBytes: z.int(),
  troubledPackets: z.int(),
  /** In the second after the deadline; absent where nobody waited for it. */
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
  /** What was found: versions, paths, devices, `env.NAME` of what would be set. */
  facts: z.record(z.string(), z.string()).optional(),
  /** Of a process that was asked in the agent's place: what it wrote last, and where it stood when it crashed or hung. */
  words: z.array(z.string()).optional(),
  stack: z.array(z.string()).optional(),
}); // prettier-ignore
export type TransportCapability = z.infer<typeof transportCapability>;

export const engineOffer = z.object({
  name: z.string(),
  /** By workload and axis: the values it takes; an axis that is absent takes any. */
  offers: z.record(z.string(), z.record(z.string(), z.array(z.string()))),
});
export type EngineOffer = z.infer<typeof engineOffer>;

/** Agent to controller. Times are CLOCK_MONOTONIC of the agent's machine, absolute ns (exact below 2^53: 104 days of uptime);
 * those of `measured` of the machine that holds rank 0. */
export const agentMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    protocol: z.int(),
    version: z.string(),
    /** Workloads of each engine, with those axes that are limited to names. */
    engines: z.array(engineOffer),
    transports: z.array(transportCapability),
    inventory,
    /** Equal for agents on one machine; "" = not known. */
    machine: z.string().optional(),
    /** Equal for agents that read one clock: those of a machine may be in namespaces with clocks of their own. */
    clock: z.string().optional(),
    /** Equal for agents that have the same network interfaces: of one machine, in one network namespace. */
    network: z.string().optional(),
    /** CPUs that the agent may use, as the kernel lists them, and those of each NUMA node. */
    cpus: z.string().optional(),
    /** The lowest CPU of each core among them. */
    oneCpuPerCore: z.string().optional(),
    numa: z.array(z.object({ node: z.int(), cpus: z.string() })).optional(),
    /** What its control groups leave it; null = no limit. */
    memoryLimitBytes: z.int().nullable().optional(),
    clockNs: z.int(),
  }),
  /** Answer to `clock`: what the clock of the machine showed then. */
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
        /** The core it is bound to; null where it is not bound. */
        cpu: z.int().nullable().optional(),
        /** As the kernel tells: CPUs it may run on ("0-3"), what rules over its memory ("bind:0"; "" = nothing). */
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
  /** Answer to `sample`: what is read from now on, and what cannot be read on this machine. */
  z.object({
    type: z.literal('sampling'),
    ...metricsHeader.pick({ intervalUs: true, channels: true, failed: true }).shape,
  }),
  /** Readings, unasked: while no block is measured, or where the agent has no more room for them. [reading][channel] */
  z.object({
    type: z.literal('samples'),
    startNs: z.array(metricsTick.shape.startNs),
    costNs: z.array(metricsTick.shape.costNs),
    values: z.array(metricsTick.shape.values),
  }),
  /** A source that could be read before; its channels are null from now on. */
  z.object({ type: z.literal('sourceFailed'), source: z.string(), reason: z.string() }),
  /** Answer to `unsample`, after the last `samples`. */
  z.object({ type: z.literal('sampled'), ...samplerCost.shape }),
  z.object({ type: z.literal('stopped'), launch: z.int() }),
  /** The launch is over: every process of it has been killed before this is sent. Sentences about it: failure-text.ts. */
  z.object({
    type: z.literal('failed'),
    launch: z.int(),
    kind: z.enum(['rank-died', 'rank-error', 'hang', 'setup']),
    /** Code of the error; the signal's name or "exit" of a death; of a hang "timeout", "slow", "absent" or "never_joined". */
    code: z.string(),
    /** The rank that the agent suspects; null if none of its ranks stands out. */
    rank: z.int().nullable(),
    phase: z.string(),
    activity: z.enum(['starting', 'connecting', 'idle', 'measuring']),
    /** Text of the error that a rank, a library or the system raised; "" for deaths and hangs. */
    reason: z.string(),
    /** Exit status of a rank that exited. */
    exitStatus: z.int().nullable(),
    /** The kernel killed a process for its memory during the launch. */
    outOfMemory: z.boolean(),
    /** State letter of the suspect in /proc/PID/stat, "T" = stopped; "" = not read. */
    processState: z.string(),
    /** Process of the framework that the suspect works through. */
    workerPid: z.int().nullable(),
    ranks: z.array(rankProgress),
    /** Interfaces that moved anything since the block (or the launch) began, or that are down. */
    traffic: z.array(interfaceTraffic).optional(),
    /** What NCCL's RAS service says of the job. */
    ras: z.array(z.string()).optional(),
  }),
  /** What a rank wrote to stderr or stdout, a line at a time; or all that libraries of its engine logged, at its end. */
  z.object({
    type: z.literal('output'),
    launch: z.int(),
    rank: z.int(),
    from: z.enum(['stderr', 'engine']),
    text: z.string(),
  }),
  /** Answer to `facts`. */
  z.object({ type: z.literal('facts'), id: z.int(), facts: machineFacts }),
  /** Answer to `door`; `problem` "" = it is open. */
  z.object({
    type: z.literal('door'),
    id: z.int(),
    interface: z.string(),
    address: z.string(),
    port: z.int(),
    problem: z.string(),
    /** Wall clock; beyond 2^53, so only good to a microsecond. */
    realtimeNs: z.number(),
  }),
  /** Answer to `knock`, in the order of its targets. */
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
  /** A sign of life, as often as `hello` asked for. */
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
 * Whether `agentMessage` takes it as it is: many hosts with many cores send most of what is heard, and the schema would copy
 * every value. What this refuses the schema has to judge, and say why.
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

/** A point of a workload; null = the axis means nothing there. */
const axes = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

/** TransportOptions in native/transports/transport.h: interface, token, streams, queue, link, fault, library, pathProof. */
const transportOptions = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

/** Controller to agent. */
export const controllerMessage = z.discriminatedUnion('type', [
  /** `beatMs`: both sides say `beat` that often; the agent leaves when it hears nothing for six of them. */
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
    /** `cpu` where it is left out. */
    engine: z.string().optional(),
    transport: z.string(),
    options: transportOptions,
    settings: z.record(z.string(), z.string()).optional(),
    /** LaunchContext a process of its own is asked: its variables on top of the agent's, and how long it may take. */
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
    /** Words of the engine (native/engines/nccl/settings.h). */
    settings: z.record(z.string(), z.string()).optional(),
    ranks: z.int(),
    localRanks: z.array(z.int()),
    /** What ranks write is wanted as messages of that type. */
    output: z.boolean().optional(),
    /** LaunchContext the local ranks may run, as the kernel lists CPUs and NUMA nodes ("0-3,8"; "" = not bound). */
    places: z.array(z.object({ rank: z.int(), cpus: z.string(), memoryNodes: z.string() })).optional(),
    seed: z.int(),
    environment: z.record(z.string(), z.string()),
    /** Ranks of all launches that measure at the same time on the machine, and how many have their cores before these. */
    together: z.object({ ranks: z.int(), before: z.int() }).optional(),
    /** Which launch of its series, from 0: launches move on to other cores where there are more (native/agent/cores.h). */
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
    /** A folder of native/workloads, and the point in its axes. */
    workload: z.string(),
    axes,
    /** The workload's own words, where axes cannot say what a unit does. */
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
    /** Give large buffers back afterwards: another launch measures next. */
    release: z.boolean(),
    /** On the clock of the agent's machine: warm-up begins then, buffers are filled before; absent = at once. */
    startAtNs: z.int().optional(),
    deadlineMs: z.int(),
  }),
  /** Once, after `hello`: read the machine that often. `sources`: null = all that it has; `ranks`: that will be there. */
  z.object({
    type: z.literal('sample'),
    intervalUs: z.int(),
    sources: z.array(z.string()).nullable(),
    ranks: z.array(z.int()),
  }),
  z.object({ type: z.literal('unsample') }),
  z.object({ type: z.literal('stop'), launch: z.int() }),
  /** What the machine is made of; `hashes` reads every library found, `brief` leaves out the load of the moment. */
  z.object({
    type: z.literal('facts'),
    id: z.int(),
    plugins: z.array(z.string()).optional(),
    hashes: z.boolean().optional(),
    brief: z.boolean().optional(),
  }),
  /** Listens where ranks would, for those who know the word. */
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
