/**
 * A program: an agent that measures nothing. It speaks the protocol of native/agent and computes times from a seeded generator
 * and a virtual clock. A whole run, from plan to report, takes a second and gives the same result every time.
 *
 * COLLBENCH_MOCK_FAULT=`<kind>` or `<kind>:<block>` (default block 0) makes the agent fail when that block is due:
 * - `version`: its hello has an unknown protocol version; `silent-start`: it never sends a hello
 * - `die`, `killed`: exits with code 3 after a line on stderr; kills itself with SIGKILL
 * - `silent`: never answers again, and stays alive when stdin ends; `garbage`: prints a line that is no JSON
 * - `rank-died`, `hang`: reports that a rank died, or stopped answering: rank 1 if this agent has it
 * - `card`, `lost`, `cancelled`: reports an error of its first rank: of the rank itself, a lost peer, or a stop request
 * - `waiting`: does not measure the block, as if its ranks waited for ranks of another host; it still answers all other messages
 * - `fallback`: engine nccl reports NET/Socket for every connection; `choice`: it reports Tree, whatever was requested
 * - `sampler`: its first metric reading lacks one value
 * - `wrong`: rank 1 has 3 wrong elements; `short`: rank 1 has one sample less; `medium`: reports medium hardware
 * - `negative`, `boundless`: rank 1 reports -3 wrong elements, or more than it compared; `far-end`: a sample ends in 104 days
 * - `own-clock`: its times are from a different clock than those of the other hosts
 * - `thrice`: every rank is reported ready three times; `stranger`: a rank of another host is reported ready, too
 * - `stops-controller`: suspends its parent process for four seconds, and answers half a second later
 * - `flood`: 4.5 MB each of log lines, rank output and its own stderr; `sources`: 10,000 metric sources fail
 * - `long-line`: a line that never ends; `ranges`: a failure that names 4,000 times 4,096 ranks
 * - `forging`: texts that would move the cursor and start lines that look like messages of the program
 */
import { createInterface } from 'node:readline';
import { workloadOf } from '../../results/schema/index.ts';
import { type AgentMessage, type ControllerMessage, protocolVersion, type RankOutcome } from '../protocol.ts';
import { rankOutcome, rankProgress, readyRank, transportCapability } from './agent-messages.ts';

type LaunchMessage = Extract<ControllerMessage, { type: 'launch' }>;
type MeasureMessage = Extract<ControllerMessage, { type: 'measure' }>;
interface MockLaunch {
  request: LaunchMessage;
  random: () => number;
  /** Factor for all times of the launch. It differs between launches, because real launches differ. */
  pace: number;
}

const [fault = '', faultBlock = '0'] = (process.env.COLLBENCH_MOCK_FAULT ?? '').split(':');
const launches = new Map<number, MockLaunch>();
let clockNs = 1_000_000_000_000;
let isSilent = false;
let hasStopped = false;

const say = (message: AgentMessage): void => void process.stdout.write(`${JSON.stringify(message)}\n`);
const due = (kind: string, block: number): boolean => fault === kind && Number(faultBlock) === block;

/** Random number generator xorshift32 (Marsaglia 2003): each call returns a uniform value in [0, 1). */
function generator(seed: number): () => number {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

/** Random value of the standard normal distribution, by the Box-Muller transform. */
const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/**
 * Simulated time of one operation, ns: a latency for every rank after the first, plus bytes over bandwidth. Both depend on
 * the transport.
 */
function decreedNs(transport: string, payloadBytes: number, ranks: number): number {
  const [alphaNs, bytesPerNs] = transport === 'socket' ? [6000, 2.5] : [700, 4.5];
  return alphaNs * Math.max(1, ranks - 1) + payloadBytes / bytesPerNs;
}

/** Kind of connection that NCCL's log would name for each transport; all others are NET/SISCI. */
const ways: Record<string, string> = {
  p2p: 'P2P/CUMEM',
  shm: 'SHM/direct',
  socket: 'NET/Socket',
  ib: 'NET/IB',
};

/**
 * Fields, besides times, that a simulated rank of engine nccl reports. It reports the chosen algorithm only in launches that
 * check it (setting attest=1), device times only for isolated samples.
 */
function onDevice(
  { request }: MockLaunch,
  trial: MeasureMessage['trial'],
  samples: number,
): Partial<RankOutcome> {
  const { settings = {}, transport } = request;
  const way = fault === 'fallback' ? 'NET/Socket' : (ways[transport] ?? 'NET/SISCI');
  const algorithm = fault === 'choice' ? 'TREE' : (settings.algo ?? 'Ring');
  return {
    ...(settings.attest === '1' ? { algorithm, protocol: settings.proto ?? 'Simple' } : { algorithm: '' }),
    paths: { [way]: 4 },
    ...(trial.kind === 'isolated'
      ? { clock: 'device', markNs: 100, enqueueNs: Array.from({ length: samples }, () => 4000) }
      : {}),
  };
}

function capability(name: string) {
  return transportCapability(name, { summary: `${name}, decreed times` });
}

function hello(): void {
  say({
    type: 'hello',
    protocol: fault === 'version' ? protocolVersion + 1 : protocolVersion,
    version: 'mock',
    engines: ['cpu', 'nccl'].map((name) => ({ name, offers: { collective: {} } })),
    transports: ['socket', 'sisci'].map(capability),
    inventory: {
      hostname: 'mock',
      os: 'mock',
      kernel: 'mock',
      architecture: 'mock',
      cpuModel: 'mock',
      cpuCount: 64,
      coreCount: 64,
      numaNodes: 1,
      memoryBytes: 2 ** 36,
      virtualization: null,
      interfaces: [{ name: 'lo', state: 'up', mtu: 65536, speedMbps: null }],
    },
    machine: '',
    clock: '',
    network: '',
    cpus: '',
    oneCpuPerCore: '',
    numa: [],
    memoryLimitBytes: null,
    clockNs,
  });
}

function launch(request: LaunchMessage): void {
  const random = generator(request.seed * 1000 + request.launch);
  launches.set(request.launch, { request, random, pace: Math.exp(0.01 * normal(random)) });
  for (const rank of request.localRanks) {
    say({ type: 'exchange', launch: request.launch, rank, key: 'handles', data: `handle of rank ${rank}` });
  }
}

function ready({ request }: MockLaunch): void {
  say({
    type: 'ready',
    launch: request.launch,
    setupNs: 1_000_000,
    ranks: readyRanks(request.localRanks).map((rank) =>
      readyRank(rank, {
        pid: process.pid,
        medium: fault === 'medium' ? 'hardware' : 'emulated',
        ...(request.engine === 'nccl'
          ? { facts: { 'nccl.version': '2.30.3', 'env.SOFTNTB_FABRIC': `/${request.options.token}` } }
          : {}),
      }),
    ),
  });
}

function readyRanks(ranks: number[]): number[] {
  if (fault === 'thrice') return [...ranks, ...ranks, ...ranks];
  return fault === 'stranger' ? [...ranks, (ranks[0] ?? 0) + 1] : ranks;
}

function measure(message: MeasureMessage): void {
  const open = launches.get(message.launch);
  if (open === undefined) throw new Error(`launch ${message.launch} is not open`);
  if (fault !== '' && misbehave(message, open)) return;
  const { trial, axes } = message;
  const { ranks, localRanks, transport } = open.request;
  const row = workloadOf(message.workload);
  const place = { axes, ranks };
  const payload = row.payloadBytes(place);
  const meanNs = decreedNs(transport, payload, ranks) * open.pace;
  const batch = trial.kind === 'isolated' ? 1 : trial.batch > 0 ? trial.batch : Math.ceil(50_000 / meanNs);
  const fit = Math.ceil(trial.targetNs / (meanNs * batch));
  const samples =
    trial.targetNs === 0 ? trial.maxSamples : Math.min(trial.maxSamples, Math.max(trial.minSamples, fit));
  const operations = trial.warmup + samples * batch;
  const moved = row.minMovedBytes(place, 'ring') ?? 0;
  const perRank = Math.round((moved * operations) / ranks);
  const windowNs = 20_000;

  // Launches with a common start begin at that time, and the virtual clock continues after it.
  let atNs = (message.startAtNs ?? clockNs) + (due('own-clock', message.block) ? 2 ** 50 : 0);
  const common: number[] = [];
  const durations: number[] = [];
  for (let i = 0; i < samples; i += 1) {
    const outlier = open.random() < 0.02 ? 1 + open.random() : 1;
    const ns = Math.max(1, Math.round(meanNs * batch * Math.exp(0.02 * normal(open.random)) * outlier));
    common.push(atNs + windowNs);
    durations.push(ns);
    atNs += windowNs + ns;
  }
  clockNs = Math.max(clockNs, atNs);
  const farEnd = due('far-end', message.block) ? [Number.MAX_SAFE_INTEGER] : [];
  const outcomes = localRanks.map((rank): RankOutcome => {
    const skew = common.map(() => Math.floor(open.random() * 40));
    const short = due('short', message.block) && rank === 1 ? -1 : samples;
    const isWrong = due('wrong', message.block) && rank === 1;
    const start = common.map((at, i) => at + (skew[i] as number));
    return rankOutcome(rank, samples, {
      algorithm: 'ring',
      batch,
      operations,
      windowNs: trial.kind === 'isolated' ? windowNs : 0,
      commonStartNs: (trial.kind === 'isolated' ? common : start).slice(0, short),
      startNs: start.slice(0, short),
      // The last rank is the slowest, so that the headline equals the computed duration exactly.
      endNs: common
        .map((at, i) => farEnd[i] ?? at + (durations[i] as number) - (ranks - 1 - rank))
        .slice(0, short),
      late: common.map(() => 0).slice(0, short),
      ...(open.request.engine === 'nccl' ? onDevice(open, trial, samples) : {}),
      warmupNs: Array.from({ length: trial.warmup }, (_, i) => Math.round(meanNs * (i === 0 ? 5 : 1))),
      checks: trial.check ? 2 : 0,
      wrong: {
        wrongElements: rank === 1 ? wrongElements(message.block) : 0,
        comparedElements: trial.check ? payload : 0,
        first: isWrong
          ? {
              iteration: trial.firstIteration,
              index: 0,
              wanted: '3.5',
              got: '0',
              note: 'the value written before the transfer',
            }
          : null,
      },
      counters: {
        bytesSent: perRank,
        bytesReceived: perRank,
        messagesSent: operations,
        messagesReceived: operations,
      },
    });
  });
  const interfaceBytes: Record<string, number> =
    transport === 'socket' ? { lo: moved * operations + 66 * operations } : { lo: 0 };
  say({ type: 'measured', launch: message.launch, block: message.block, ranks: outcomes, interfaceBytes });
}

type MockFailure = Extract<AgentMessage, { type: 'failed' }>;
/** Parts of the `failed` message that the mock agent sends, by fault; other faults send no such message. */
const ends: Record<string, Pick<MockFailure, 'kind' | 'code' | 'reason'>> = {
  'rank-died': { kind: 'rank-died', code: 'SIGKILL', reason: '' },
  hang: { kind: 'hang', code: 'timeout', reason: '' },
  card: { kind: 'rank-error', code: 'internal', reason: 'the card is gone' },
  lost: { kind: 'rank-error', code: 'connection_lost', reason: 'the connection to a peer was lost' },
  cancelled: { kind: 'rank-error', code: 'cancelled', reason: 'cancelled' },
  ranges: {
    kind: 'rank-error',
    code: 'internal',
    reason: `lost ranks ${Array.from({ length: 4000 }, () => '0-4095').join(', ')}`,
  },
};

const wrongElements = (block: number): number => {
  if (due('negative', block)) return -3;
  if (due('boundless', block)) return Number.MAX_SAFE_INTEGER;
  return due('wrong', block) ? 3 : 0;
};

/** Text that tries to imitate lines of terminals, CI systems and log readers; collbench must make it harmless. */
const forged = 'x\n::error::forged\r\u001b[2J\u009b31m\u202everified\u2066';

/** Sends messages that the controller did not request, for faults after which the block is measured as usual. */
function sayUnasked(launch: number, [rank = 0]: number[]): void {
  const text = 'a line of the log that nobody needs '.repeat(3);
  for (let i = 0; i < 40_000 && fault === 'flood'; i += 1) {
    say({ type: 'log', level: 'info', launch, rank, text });
    say({ type: 'output', launch, rank, from: 'stderr', text });
    process.stderr.write(`${text}\n`);
  }
  for (let i = 0; i < 10_000 && fault === 'sources'; i += 1)
    say({ type: 'sourceFailed', source: `source ${i}`, reason: text });
  if (fault === 'forging') {
    say({ type: 'log', level: 'warn', launch, rank, text: forged });
    say({ type: 'output', launch, rank, from: 'stderr', text: forged });
    say({ type: 'output', launch, rank, from: 'engine', text: `first line\n${forged}` });
  }
}

/** Acts out the fault if this block is due for it. @returns true if the block must not be measured */
function misbehave(message: MeasureMessage, open: MockLaunch): boolean {
  const { block } = message;
  if (due('die', block)) {
    process.stderr.write('mock: dies as planned\n', () => process.exit(3));
    return true;
  }
  if (due('killed', block)) return process.kill(process.pid, 'SIGKILL');
  if (due('silent', block)) {
    isSilent = true;
    stayForever();
    return true;
  }
  if (due('garbage', block)) {
    process.stdout.write('Segmentation fault in libfoo\n');
    return true;
  }
  if (due('waiting', block)) return true;
  if (due('stops-controller', block) && !hasStopped) {
    hasStopped = true;
    process.kill(process.ppid, 'SIGSTOP');
    setTimeout(() => {
      process.kill(process.ppid, 'SIGCONT');
      setTimeout(() => measure(message), 500);
    }, 4000);
    return true;
  }
  if (due('long-line', block)) {
    const piece = 'x'.repeat(2 ** 20);
    const more = (): void => void process.stdout.write(piece, more);
    more();
    return true;
  }
  if (Number(faultBlock) === block) sayUnasked(message.launch, open.request.localRanks);
  const told = ends[fault];
  if (told === undefined || !due(fault, block)) return false;
  const hang = told.kind === 'hang';
  const { localRanks } = open.request;
  const culprit = localRanks.includes(1) ? 1 : (localRanks[0] ?? null);
  say({
    type: 'failed',
    launch: message.launch,
    ...told,
    rank: hang ? null : culprit,
    phase: 'running',
    activity: 'measuring',
    exitStatus: null,
    outOfMemory: false,
    processState: '',
    workerPid: null,
    traffic: [],
    ras: [],
    ranks: open.request.localRanks.map((rank) =>
      rankProgress(rank, {
        pid: 4000 + rank,
        alive: told.kind !== 'rank-died' || rank !== culprit,
        phase: 'running',
        block,
        iterationsDone: rank === 1 ? 16 : 17,
        idleMs: rank === 1 ? 10_050 : 10_000,
        stack: rank === 1 ? ['#0 futex_wait'] : [],
      }),
    ),
  });
  return true;
}

function stayForever(): void {
  setInterval(() => undefined, 1 << 30);
}

/**
 * Simulated metric channels, with one reading per full interval of the virtual clock. Half of the CPU time is user time, half
 * idle time.
 */
const channels = [
  { name: 'cpu0.user', unit: 'ns', cumulative: true },
  { name: 'cpu0.idle', unit: 'ns', cumulative: true },
  { name: 'rank0.cpuNs', unit: 'ns', cumulative: true },
  { name: 'net.lo.rxBytes', unit: 'bytes', cumulative: true },
  { name: 'memory.available', unit: 'bytes', cumulative: false },
];
/** Channels of the sources that were asked for. */
let sampled = channels;
let sampling: { intervalNs: number; nextNs: number; ticks: number } | null = null;
const bytesPerNs = 2;

function sample(intervalUs: number, sources: readonly string[] | null): void {
  sampled = channels.filter(
    ({ name }) => sources === null || sources.some((source) => name.startsWith(source)),
  );
  sampling = { intervalNs: intervalUs * 1000, nextNs: clockNs, ticks: 0 };
  const failed = [{ source: 'nvml', reason: 'mock: no GPU' }];
  say({ type: 'sampling', intervalUs, channels: sampled, failed });
}

/** Sends all metric readings that are due at the present virtual time. */
function tellSamples(): void {
  if (sampling === null) return;
  const startNs: number[] = [];
  for (; sampling.nextNs <= clockNs; sampling.nextNs += sampling.intervalNs) startNs.push(sampling.nextNs);
  if (startNs.length === 0) return;
  sampling.ticks += startNs.length;
  const since = (ns: number): number => ns - 1_000_000_000_000;
  const values = startNs.map((ns) =>
    [since(ns) / 2, since(ns) / 2, since(ns) / 4, since(ns) * bytesPerNs, 2 ** 34].filter((_, at) =>
      sampled.some((one) => one === channels[at]),
    ),
  );
  if (fault === 'sampler') values[0]?.pop();
  say({ type: 'samples', startNs, costNs: startNs.map(() => 20_000), values });
}

function unsample(): void {
  tellSamples();
  const ticks = sampling?.ticks ?? 0;
  sampling = null;
  const jitterNs = { median: 1000, p99: 5000, max: 9000 };
  say({ type: 'sampled', ticks, missedTicks: 0, cpuNs: ticks * 20_000, residentBytes: 2 ** 20, jitterNs });
}

function hear(message: ControllerMessage): void {
  if (isSilent) return;
  switch (message.type) {
    case 'hello':
      return;
    case 'clock':
      say({ type: 'clock', id: message.id, clockNs: Number(process.hrtime.bigint()) });
      return;
    case 'probe':
      say({ type: 'probed', id: message.id, transport: capability(message.transport) });
      return;
    case 'launch':
      launch(message);
      return;
    case 'exchanged': {
      const open = launches.get(message.launch);
      if (open === undefined) return;
      const wanted = Array.from({ length: open.request.ranks }, (_, rank) => `handle of rank ${rank}`);
      if (JSON.stringify(wanted) !== JSON.stringify(message.data)) throw new Error('handles were mixed up');
      ready(open);
      return;
    }
    case 'measure':
      measure(message);
      tellSamples();
      return;
    case 'sample':
      sample(message.intervalUs, message.sources);
      return;
    case 'unsample':
      unsample();
      return;
    case 'stop':
      launches.delete(message.launch);
      say({ type: 'stopped', launch: message.launch });
  }
}

if (fault === 'silent-start') stayForever();
else hello();
createInterface({ input: process.stdin }).on('line', (line) => hear(JSON.parse(line) as ControllerMessage));
