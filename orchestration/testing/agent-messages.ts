import type { FailedMessage } from '../failures/blame.ts';
import {
  type AgentMessage,
  protocolVersion,
  type RankOutcome,
  type RankProgress,
  type TransportCapability,
} from '../protocol.ts';

type HelloMessage = Extract<AgentMessage, { type: 'hello' }>;
type ReadyRank = Extract<AgentMessage, { type: 'ready' }>['ranks'][number];

/** A `failed` message for tests: a hang at the deadline that names no rank, with the given fields changed. */
export const failedMessage = (parts: Partial<FailedMessage> = {}): FailedMessage => ({
  type: 'failed',
  launch: 0,
  kind: 'hang',
  code: 'timeout',
  rank: null,
  phase: 'running',
  activity: 'measuring',
  reason: '',
  exitStatus: null,
  outOfMemory: false,
  processState: '',
  workerPid: null,
  ranks: [],
  traffic: [],
  ras: [],
  ...parts,
});

/** Progress report for tests: a rank that is alive in operation 17 of block 0 and has made no progress for 10 s. */
export const rankProgress = (rank: number, parts: Partial<RankProgress> = {}): RankProgress => ({
  rank,
  pid: 100 + rank,
  alive: true,
  phase: 'running',
  block: 0,
  iterationsDone: 17,
  idleMs: 10_000,
  stack: [],
  logTail: [],
  engineTail: [],
  ...parts,
});

/** Entry of a `ready` message for tests: a rank over an emulated device, not bound to a core, with the given fields changed. */
export const readyRank = (rank: number, parts: Partial<ReadyRank> = {}): ReadyRank => ({
  rank,
  pid: 1,
  cpu: null,
  cpus: '',
  cores: '',
  memory: '',
  device: 'mock0',
  detail: { adapter: 'mock' },
  medium: 'emulated',
  facts: {},
  ...parts,
});

/** First message of an agent for tests: it has no engines, and its ids of machine, clock and network are unknown. */
export const helloMessage = (parts: Partial<HelloMessage> = {}): HelloMessage => ({
  type: 'hello',
  protocol: protocolVersion,
  version: 'test',
  engines: [],
  transports: [],
  inventory: {
    ...{ hostname: 'test', os: '', kernel: '', architecture: '', cpuModel: '', cpuCount: 1, coreCount: 1 },
    ...{ numaNodes: 1, memoryBytes: 1, virtualization: null, interfaces: [] },
  },
  machine: '',
  clock: '',
  network: '',
  cpus: '',
  oneCpuPerCore: '',
  numa: [],
  memoryLimitBytes: null,
  clockNs: 1,
  ...parts,
});

/** Probe result for tests: a transport that is available on emulated hardware, with the given fields changed. */
export const transportCapability = (
  name: string,
  parts: Partial<TransportCapability> = {},
): TransportCapability => ({
  name,
  summary: '',
  available: true,
  medium: 'emulated',
  detail: { adapter: 'mock' },
  reason: '',
  remedy: '',
  facts: {},
  words: [],
  stack: [],
  ...parts,
});

/** Measurements of one rank for tests: operations of 9 ns on the host's clock, one compared element, none wrong. */
export const rankOutcome = (
  rank: number,
  samples: number,
  parts: Partial<RankOutcome> = {},
): RankOutcome => ({
  rank,
  algorithm: '',
  protocol: '',
  paths: {},
  clock: 'host',
  markNs: 0,
  columns: {},
  enqueueNs: [],
  batch: 1,
  operations: samples,
  windowNs: 0,
  commonStartNs: new Array<number>(samples).fill(0),
  startNs: new Array<number>(samples).fill(0),
  endNs: new Array<number>(samples).fill(9),
  late: new Array<number>(samples).fill(0),
  warmupNs: [],
  checks: 1,
  checkingNs: 0,
  wrong: { wrongElements: 0, comparedElements: 1, first: null },
  counters: { bytesSent: 0, bytesReceived: 0, messagesSent: 0, messagesReceived: 0 },
  ...parts,
});
