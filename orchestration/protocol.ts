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
  reportedDetail,
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
export const protocolVersion = 3;

/** Schema of rank numbers and other counts that C++ holds in an `int`. */
const count = z.int32().min(0);
/** Schema of the number of a request, which the controller chooses and the answer repeats. */
const messageId = z.int();
const natural = z.int().min(0);
const milliseconds = z.int().min(1).max(1_000_000_000);
const text = z.string();
const texts = z.array(text);
const textByName = z.record(z.string(), z.string());
export const medium = z.enum(mediumNames);

/**
 * Makes the schema of an object within a message.
 * @param docs comment of its C++ struct
 * @param fields schemas of its fields, by name
 */
const record = <S extends z.ZodRawShape>(docs: string, fields: S) => z.object(fields).describe(docs);

/**
 * Makes the schema of a message.
 * @param type value of its field `type`
 * @param docs comment of its C++ struct
 * @param fields schemas of its other fields, by name
 */
const message = <T extends string, S extends z.ZodRawShape>(type: T, docs: string, fields: S) =>
  z.object({ type: z.literal(type), ...fields }).describe(docs);

export const rankOutcome = z.object({
  rank: z.int(),
  /** Algorithm that the engine used; "" = unknown. */
  algorithm: z.string(),
  protocol: z.string(),
  /** Number of connections that this rank has opened so far, by kind of connection ("NET/Socket", "P2P/CUMEM"). */
  paths: z.record(z.string(), z.int()),
  /** Clock that measures the times: `host` = CLOCK_MONOTONIC of the CPU, `device` = time stamps that the rank's GPU takes. */
  clock: z.enum(['host', 'device']),
  /** Time that recording the start and end time stamps adds to one sample, ns; 0 if the host's clock measures. */
  markNs: z.int(),
  /** Times (ns) or counts of parts of an operation, by name of the part, one value per sample. Only in isolated trials. */
  columns: z.record(z.string(), z.array(z.int())),
  /** Host time to queue one operation, ns, one value per sample. Empty if times are measured by the host's clock. */
  enqueueNs: z.array(z.int()),
  /** Number of operations that are timed together as one sample. */
  batch: z.int(),
  /** Number of operations that this rank ran in the block, warm-up and all operations of a batch included. */
  operations: z.int(),
  /**
   * Nanoseconds between the moment when rank 0 last announced a common start time and that start time; 0 if this rank
   * announced none.
   */
  windowNs: z.int(),
  /**
   * Clock of rank 0's machine minus the clock of this rank's machine at the last sample, ns; the rank has already converted its
   * times with it. Absent if the launch runs on one machine.
   */
  clockOffsetNs: z.int().optional(),
  /** Largest possible error of `clockOffsetNs` during the block, in either direction, ns; absent with one machine. */
  clockUncertaintyNs: z.int().optional(),
  /**
   * Start time that all ranks agreed on, one value per sample, ns on the clock of rank 0's machine. With `--skew` it
   * is the start time of the latest rank. In pipelined trials and for GPU times it equals `startNs`.
   */
  commonStartNs: z.array(z.int()),
  /** Time at which this rank really started, one value per sample, ns on the clock of rank 0's machine. */
  startNs: z.array(z.int()),
  /** Time at which this rank ended, one value per sample, ns on the clock of rank 0's machine. */
  endNs: z.array(z.int()),
  /** 1 if this rank missed the agreed start time, else 0; one value per sample. 0 in pipelined trials and for GPU times. */
  late: z.array(z.int()),
  /** Duration of each warm-up operation, ns, in the order in which they ran. */
  warmupNs: z.array(z.int()),
  /** Number of operations whose result this rank compared with the expected one. */
  checks: z.int(),
  /** Nanoseconds spent between samples on filling buffers and comparing results. */
  checkingNs: z.int(),
  /**
   * Number of compared elements and of wrong ones, with the first wrong element, if recorded. The rank is added when the outcomes
   * of all ranks are merged (merge.ts).
   */
  wrong: wrongData.omit({ rank: true }),
  counters,
  /** Measurements of the extra load that collbench itself ran during the block; absent = there was no such load. */
  beside: loadBlock.optional(),
}); // prettier-ignore
export type RankOutcome = z.infer<typeof rankOutcome>;

export const rankProgress = record('State of one rank at one moment.', {
  rank: count,
  pid: z.int(),
  alive: z.boolean(),
  phase: z.string(),
  block: natural,
  iterationsDone: z.int().describe('Number of operations that the rank has completed in this block.'),
  idleMs: z.number().describe('Time since the rank last made progress.'),
  stack: texts,
  logTail: texts,
  engineTail: texts.describe("Last log lines of the libraries that the rank's engine uses."),
});
export type RankProgress = z.infer<typeof rankProgress>;

export const interfaceTraffic = record(
  'Traffic of a network interface since the block or the launch began.',
  {
    name: z.string(),
    state: text.describe("State of the interface as the kernel's operstate: up, down or unknown."),
    receivedBytes: natural,
    sentBytes: natural,
    troubledPackets: natural.describe('Number of packets that were lost or damaged.'),
    lastReceivedBytes: natural
      .optional()
      .describe('In the second after the deadline; absent = not measured.'),
    lastSentBytes: natural.optional(),
  },
);
export type InterfaceTraffic = z.infer<typeof interfaceTraffic>;

export const transportCapability = z.object({
  name: z.string(),
  summary: z.string(),
  available: z.boolean(),
  medium,
  detail: reportedDetail,
  reason: z.string(),
  remedy: z.string(),
  /**
   * Properties that the probe found, keyed by name: versions, paths, devices. A fact `env.NAME` is the value that the environment
   * variable NAME gets in the ranks.
   */
  facts: textByName,
  /**
   * `words`: last lines of output of the process that ran the probe. `stack`: its stack, if it crashed or hung. Both are empty
   * unless the probe ran in a separate process.
   */
  words: texts,
  stack: texts,
});
export type TransportCapability = z.infer<typeof transportCapability>;

export const engineOffer = z.object({
  name: z.string(),
  /**
   * Supported values of parameters (data type, ...), keyed by workload, then by parameter. A workload that is absent
   * is not supported. For a parameter that is absent, all values are supported.
   */
  offers: z.record(z.string(), z.record(z.string(), texts)),
});
export type EngineOffer = z.infer<typeof engineOffer>;

export const readyRank = z.object({
  rank: count,
  pid: z.int(),
  /** The core that the rank is bound to; null if it is not bound. */
  cpu: z.int().nullable(),
  /**
   * `cpus`: CPUs on which the kernel lets the rank run ("0-3"; "" = not read). `memory`: the memory policy of the rank ("bind:0";
   * "" = none, or not known).
   */
  cpus: z.string(),
  /** Cores to which the CPUs in `cpus` belong; each core is named by the lowest of its hardware threads. */
  cores: z.string(),
  memory: z.string(),
  device: z.string(),
  detail: reportedDetail,
  medium,
  facts: textByName,
});

export const numaNode = z.object({ node: z.int(), cpus: z.string() });
export const agentInventory = inventory.extend({ coreCount: z.int() });

export const connectionResult = record('Result of connecting to one target.', {
  outcome: text.describe('through, refused, unanswered, stalled (bytes are missing), unreachable or failed'),
  detail: text.describe('Error text of the system; "" = none.'),
  connectNs: z.int().describe('Time until the connection was made.'),
  elapsedNs: z.int().describe('Time until all bytes had come back.'),
  pathMtu: z.int32().nullable().describe('Path MTU as the kernel knows it, bytes.'),
  segmentBytes: z.int32().nullable().describe('Largest TCP segment.'),
});

export const failureKind = z
  .enum(['rank-died', 'rank-error', 'hang', 'setup'])
  .describe('Kind of a failed launch. setup: its ranks had not all connected.');
export const launchActivity = z
  .enum(['starting', 'connecting', 'idle', 'measuring'])
  .describe('Activity of a launch. idle: between two blocks.');

/**
 * Messages from agent to controller. Times are CLOCK_MONOTONIC of the agent's machine, in absolute ns. They are exact below 2^53
 * ns: 104 days of uptime. Times in `measured` are on the clock of the machine of rank 0.
 */
export const agentMessage = z.discriminatedUnion('type', [
  message('hello', 'First message of the agent: its build, and what it and the machine can do.', {
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
    /** Lowest CPU of each core in `cpus`, in the kernel's list format. */
    oneCpuPerCore: z.string(),
    numa: z.array(numaNode),
    /** Memory limit of the agent's control groups; null = no limit. */
    memoryLimitBytes: z.int().nullable(),
    clockNs: z.int(),
  }),
  message('clock', "Answer to `clock`: the machine's clock when the agent read the request.", {
    id: messageId,
    clockNs: z.int(),
  }),
  message('probed', 'Answer to `probe`: whether the transport can run, and its properties.', {
    id: messageId,
    transport: transportCapability,
  }),
  message('exchange', 'Data that a rank contributes to an all-gather; all ranks get `exchanged`.', {
    launch: count,
    rank: count,
    key: z.string(),
    data: z.string(),
  }),
  message('ready', 'All ranks of the launch on this host are connected.', {
    launch: count,
    setupNs: z.int(),
    ranks: z.array(readyRank),
  }),
  message('measured', 'Answer to `measure`: all ranks of this host have measured the block.', {
    launch: z.int(),
    block: z.int(),
    ranks: z.array(rankOutcome),
    interfaceBytes: z.record(z.string(), z.int()),
  }),
  message(
    'sampling',
    'Answer to `sample`: channels that the agent now samples, and sources that it cannot read.',
    {
      ...metricsHeader.pick({ intervalUs: true, channels: true, failed: true }).shape,
    },
  ),
  message('samples', 'Metric readings, as values[reading][channel], without a request.', {
    startNs: z.array(metricsTick.shape.startNs),
    costNs: z.array(metricsTick.shape.costNs),
    values: z.array(metricsTick.shape.values),
  }),
  message('sourceFailed', 'A metric source has failed; the values of its channels are null from now on.', {
    source: z.string(),
    reason: z.string(),
  }),
  message('sampled', 'Answer to `unsample`: the cost of sampling, after the last `samples`.', {
    ...samplerCost.shape,
  }),
  message('stopped', 'Answer to `stop`.', { launch: count }),
  message('failed', 'A launch has failed; the agent has already killed all its processes.', {
    launch: count,
    kind: failureKind,
    code: text.describe(
      'Code of an error or a hang (ErrorCode); for a death the name of the signal, or "exit".',
    ),
    rank: count
      .nullable()
      .describe('The rank that the agent suspects of causing the failure; null = none stands out.'),
    phase: z.string(),
    activity: launchActivity,
    reason: text.describe(
      'Text of the error that a rank, a library or the system raised; "" = a death or a hang.',
    ),
    exitStatus: z.int32().nullable().describe('Exit status of the rank, if it exited.'),
    outOfMemory: z.boolean().describe('True if the kernel killed a process for lack of memory.'),
    processState: text.describe(
      'State letter of the suspect in /proc/PID/stat: "T" = stopped; "" = not read.',
    ),
    workerPid: z.int().nullable().describe("Process of the framework's worker that belongs to the suspect."),
    ranks: z.array(rankProgress),
    traffic: z.array(interfaceTraffic).describe('Interfaces that carried traffic, or that are down.'),
    ras: texts.describe("Lines of the report that NCCL's RAS service gives when a launch hangs."),
  }),
  message('output', 'stderr: a line that a rank wrote. engine: the whole log of its libraries, at the end.', {
    launch: count,
    rank: count,
    from: z.enum(['stderr', 'engine']),
    text: z.string(),
  }),
  message('facts', 'Answer to `facts`: hardware and software of the machine.', {
    id: messageId,
    facts: machineFacts,
  }),
  message('listener', 'Answer to `listener`: address and port of the test listener.', {
    id: messageId,
    interface: z.string(),
    address: z.string(),
    port: count,
    problem: text.describe('Reason why there is no listener; "" = none.'),
    realtimeNs: z.number().describe('Wall clock since 1970, exact only to about a microsecond.'),
  }),
  message('connections', 'Answer to `connect`: results of the targets, in the order of the request.', {
    id: messageId,
    results: z.array(connectionResult),
  }),
  message('beat', "Keepalive, sent at the interval that the controller's `hello` requested.", {}),
  message('progress', 'Ranks made progress in the block; the controller restarts its timeout.', {
    launch: count,
    block: natural,
  }),
  message('log', 'A text about a rank.', {
    level: z.enum(['warn', 'info']),
    launch: count,
    rank: count,
    text: z.string(),
  }),
]);
export type AgentMessage = z.infer<typeof agentMessage>;

/**
 * Returns true if the value is a valid `samples` message; checked by hand, without the schema. On large hosts most messages are
 * samples, and the schema would copy every value. If false, the caller lets the schema check the message and explain the error.
 * Lists of different lengths are accepted; MetricsStream rejects them.
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
 * Transport options by name. Fields of TransportOptions in native/transports/transport.h: interface, token, streams,
 * bufferBytes, queue, link, fault, library, pathProof.
 */
export const transportOptions = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

/** CPUs or NUMA nodes in the kernel's list format ("0-3,8"); "" = none. */
export const numberList = z.string();

export const coreSharing = record(
  'Share in the cores of a machine on which several launches measure at once.',
  {
    ranks: count.describe('Number of ranks of all these launches on this machine, this one included.'),
    before: count.describe('Number of ranks that get their cores before the ranks of this launch.'),
  },
);

export const rankPlacement = record('CPUs and NUMA nodes that the controller has chosen for one rank.', {
  rank: count,
  cpus: numberList.describe('CPUs that the rank may use; empty = not bound.'),
  memoryNodes: numberList.describe("NUMA nodes of the rank's memory; empty = any."),
});

export const trialKind = z.enum(timedTrialNames);

export const probeTarget = z.object({ address: z.string(), port: z.int32().min(1).max(65_535) });

/** Messages from controller to agent. */
export const controllerMessage = z.discriminatedUnion('type', [
  message('hello', 'First message of the controller.', {
    protocol: count,
    logLevel: z.string().default('').describe('One of warn, info, debug; "" = unchanged.'),
    beatMs: milliseconds.optional().describe('Interval at which both sides send `beat`; absent = never.'),
  }),
  message('beat', 'Message without content; it shows that the sender is alive.', {}),
  message('clock', "Request for the current time of this machine's clock.", { id: messageId }),
  message('probe', 'Request to test whether a transport can run on this machine.', {
    id: messageId,
    engine: z.string().default('').describe('Engine to probe; "" = cpu.'),
    transport: text.describe('"plugin:PATH" is read as "plugin", with the path in options.library.'),
    options: transportOptions,
    settings: textByName.default({}),
    environment: textByName.default({}).describe('Variables for the process in which a plugin is probed.'),
    deadlineMs: milliseconds.default(8_000).describe('Time limit of that process.'),
  }),
  message('launch', 'Request to start the rank processes of a launch.', {
    launch: count,
    engine: z.enum(engineNames),
    transport: text.describe('Name of the transport, as in `probe`.'),
    options: transportOptions,
    algorithm: z.string().nullable().describe('Algorithm of the engine; null = chosen per size.'),
    settings: textByName
      .default({})
      .describe('Settings of the engine by name, such as the numbers of the GPUs to use.'),
    ranks: z.int32().min(1).max(4096),
    localRanks: z.array(count).min(1).describe('Ranks that this machine starts, ascending.'),
    output: z
      .boolean()
      .default(false)
      .describe('True: the agent sends what ranks write as `output` messages.'),
    placements: z
      .array(rankPlacement)
      .optional()
      .describe('One for each local rank; absent = cores.h decides.'),
    highPriority: z
      .boolean()
      .default(false)
      .describe('True: ranks raise their scheduling priority, or fail (scheduling.h).'),
    leaveCpuQuota: z
      .boolean()
      .default(false)
      .describe('True: ranks leave control groups with a quota of processor time, or fail (scheduling.h).'),
    seed: natural,
    environment: textByName,
    together: coreSharing.optional().describe('Absent = this launch measures alone.'),
    turn: count.default(0).describe('Launches with another number get other cores (cores.h).'),
    deadlineMs: milliseconds,
  }),
  message('exchanged', 'End of an all-gather in which each rank sent `exchange`.', {
    launch: count,
    key: z.string(),
    data: texts.describe('Data of all ranks, by rank, as they sent them.'),
  }),
  message('measure', 'Request to measure one block.', {
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
      /** Maximum number of samples of the block; not below `minSamples`. */
      maxSamples: z.uint32().min(1).max(10_000_000),
      targetNs: natural,
      batch: z.uint32(),
      checkEvery: z.uint32(),
      check: z.boolean(),
    }),
    /** True if ranks free large buffers after the block, because another launch measures next. */
    release: z.boolean(),
    /**
     * Time at which the warm-up starts, ns on the clock of the agent's machine. Ranks fill their buffers before this
     * time. 0 = start at once.
     */
    startAtNs: natural.default(0),
    deadlineMs: milliseconds,
  }),
  message('sample', 'Request to start recording metrics of the machine; sent once, after `hello`.', {
    intervalUs: z.int().min(1_000).max(10_000_000),
    sources: texts.min(1).nullable().describe('Names of metric sources; null = all that this machine has.'),
    ranks: z
      .array(z.int32().min(0).max(4095))
      .max(4096)
      .describe('Ranks whose CPU time and memory are recorded while launches run them on this machine.'),
  }),
  message('unsample', 'Request to stop recording.', {}),
  message('stop', 'Request to end the ranks of a launch.', { launch: count }),
  message('facts', 'Request for facts about hardware and software of the machine.', {
    id: messageId,
    plugins: texts.max(16).default([]),
    /**
     * `hashes`, if true: the agent computes a hash of every library that it finds. `brief`, if true: the current load of the
     * machine is left out.
     */
    hashes: z.boolean().default(false),
    brief: z.boolean().default(false),
  }),
  message(
    'listener',
    'Request to open a test listener where ranks would listen, so that other hosts can try it.',
    {
      id: messageId,
      interface: text.describe('Name, as in the options of the transport socket; "" = chosen by the agent.'),
      word: text.describe('Secret word that a connecting agent must send; others get no answer.'),
    },
  ),
  message('connect', 'Request to test connections to the listeners of other machines.', {
    id: messageId,
    interface: z.string(),
    word: z.string(),
    targets: z.array(probeTarget).max(256).describe('Listeners to connect to.'),
    timeoutMs: z.int().min(1).max(600_000),
  }),
]);
/** A message as the controller sends it. Absent optional fields get their default values in the agent. */
export type ControllerMessage = z.input<typeof controllerMessage>;
