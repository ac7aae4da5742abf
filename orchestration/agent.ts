import type { Readable } from 'node:stream';
import type { Failure } from '../results/schema/index.ts';
import { formatBytes } from '../results/units.ts';
import { FailureError } from '../results/verdicts/failure.ts';
import { agentLimits, CharacterLimit, costOfLine, withinLimits } from './agent-limits.ts';
import type { Deadlines } from './deadlines.ts';
import { contextOf, type LaunchContext } from './failures/failure-text.ts';
import { agentGarbled, agentLost, agentSilent, launchFailed, protocolFailure } from './failures/failures.ts';
import type { AgentProcess, Launcher } from './launchers/launcher.ts';
import {
  type AgentMessage,
  agentMessage,
  type ControllerMessage,
  isSamples,
  protocolVersion,
} from './protocol.ts';
import { toRunRanks } from './rank-numbers.ts';
import { startRunningTimer } from './running-time.ts';

export type AgentMessageOf<T extends AgentMessage['type']> = Extract<AgentMessage, { type: T }>;
/**
 * Messages from an agent for which the controller waits: its `hello`, `ready` when all ranks of a launch are connected, and the
 * answers to other requests.
 */
export type AgentReply = AgentMessageOf<
  | 'hello'
  | 'clock'
  | 'probed'
  | 'ready'
  | 'measured'
  | 'stopped'
  | 'sampled'
  | 'facts'
  | 'listener'
  | 'connections'
>;

export type MetricsMessage = AgentMessageOf<'sampling' | 'samples' | 'sourceFailed'>;

export interface AgentListener {
  exchange(agent: Agent, message: AgentMessageOf<'exchange'>): void;
  log(agent: Agent, line: HostLogLine): void;
  /**
   * Receives messages with readings of system metrics such as CPU load; absent = no metrics are sampled. If it throws, the agent
   * is given up with the text of the error.
   */
  metrics?(agent: Agent, message: MetricsMessage): void;
  /** Receives output of ranks and of the agent, within the limits on output; absent = output is discarded. */
  output?(agent: Agent, output: HostOutput): void;
}

/**
 * A line of the log that the agent and its ranks send to the controller, without a newline. `rank`: the rank that the line is
 * about, numbered as in the run; null = no rank.
 */
export type HostLogLine = Pick<AgentMessageOf<'log'>, 'level' | 'text'> & { rank: number | null };

/**
 * Text that a rank wrote (lines of stderr, or at the end the whole log of its engine), or a line that the agent itself wrote to
 * stderr. `launch`: number of the launch in messages to agents; null for the agent.
 */
export interface HostOutput {
  from: 'agent' | AgentMessageOf<'output'>['from'];
  /** Rank that wrote the text, numbered as in the run; null = the agent itself. */
  rank: number | null;
  launch: number | null;
  text: string;
}

interface Waiter {
  launch: number | null;
  /** Restarts the timeout of this wait, because the agent reported progress. */
  restart(): void;
  where: LaunchContext;
  resolve(message: AgentReply): void;
  reject(error: FailureError): void;
}

const firstSignOfLife = 1_000_000;

/** Encodes a message as one JSON line, without the newline: sendLine() adds it. */
export const lineOf = (message: ControllerMessage): string => JSON.stringify(message);

/**
 * The controller's connection to one agent: sends messages and matches answers to requests. If the agent dies, falls silent or
 * sends an invalid message, it is given up: all current and later waits are rejected with a FailureError. The text of each
 * rejection names what the wait was for.
 */
export class Agent {
  host: string;
  private readonly process: AgentProcess;
  private listener: AgentListener;
  private readonly waiters = new Map<string, Waiter>();
  private readonly failedLaunches = new Map<number, { message: AgentMessageOf<'failed'>; heardMs: number }>();
  private readonly members = new Map<number, readonly number[]>();
  private broken: ((where: LaunchContext) => Failure) | null = null;
  /**
   * True if the controller gave the agent up because it sent nothing, or did not send an awaited message, for too long; false if it
   * died or sent an invalid message, and while it is usable.
   */
  isSilent = false;
  private greeting: AgentMessageOf<'hello'> | null = null;
  private readonly isRemote: boolean;
  private readonly watching: Promise<void>;
  /**
   * Number of keepalives that the controller sent since the agent's last message. This number times `beatMs`, not the elapsed
   * time, decides when a silent agent is given up: a suspended controller sends no keepalives, and so does not blame the agent for
   * that time.
   */
  private beatsUnheard = 0;
  private readonly begun = new Set<number>();
  private readonly allowances = {
    log: new CharacterLimit(agentLimits.log),
    output: new CharacterLimit(agentLimits.log),
    engineLog: new CharacterLimit(agentLimits.engineLog),
  };
  private beating: NodeJS.Timeout | undefined;
  private isStopped = false;
  private asked = 0;

  /**
   * Starts the agent process and returns at once. Call greet() next; stop() may be called at any time to end the process. If the
   * process cannot start, greet() rejects.
   */
  constructor(launcher: Launcher, host: string, agentPath: string, listener: AgentListener) {
    this.host = host;
    this.isRemote = launcher.remote === true;
    this.process = launcher.start(host, agentPath);
    this.listener = listener;
    this.listenToErrors();
    this.watching = this.watch();
  }

  /**
   * Waits for the agent's hello and answers it. For a remote agent it also starts the keepalives, one every `beatMs`; a remote
   * agent that sends nothing for `unheardMs` counts as lost.
   * @param logLevel minimum level of the messages that the agent logs; absent = the default of the agent
   * @throws FailureError if the agent cannot start, dies, sends no hello within `helloMs` or uses another protocol version
   */
  async greet(
    { helloMs, beatMs, unheardMs }: Pick<Deadlines, 'helloMs' | 'beatMs' | 'unheardMs'>,
    logLevel?: string,
  ): Promise<void> {
    const where = contextOf('starting', 'hello', { host: this.host });
    this.greeting = (await this.reply('hello', null, helloMs, where)) as AgentMessageOf<'hello'>;
    await this.send({
      type: 'hello',
      protocol: protocolVersion,
      ...(logLevel === undefined ? {} : { logLevel }),
      ...(this.isRemote ? { beatMs } : {}),
    });
    if (this.isRemote && this.usable && !this.isStopped)
      this.beating = setInterval(() => this.beat(beatMs, unheardMs), beatMs);
  }

  private beat(beatMs: number, unheardMs: number): void {
    void this.send({ type: 'beat' });
    this.beatsUnheard += 1;
    const unheard = this.beatsUnheard * beatMs;
    if (unheard <= unheardMs) return;
    this.breakWith(
      (where) => agentSilent(this.host, 'nothing', unheard, this.process.stderrTail(), where),
      true,
    );
  }

  /**
   * Replaces the listener. The new listener gets all further messages of the agent and, if it takes output, the agent's stderr from
   * the last lines so far on. The host's name is replaced, too, because the plan may name the host differently than the probe.
   * @throws FailureError if the agent was lost after its hello
   */
  handTo(listener: AgentListener, host: string): void {
    this.listener = listener;
    this.host = host;
    this.listenToErrors();
    if (this.broken !== null)
      throw new FailureError(this.broken(contextOf('waiting for its first launch', 'hello', { host })));
  }

  private listenToErrors(): void {
    if (this.listener.output === undefined) return;
    this.process.onErrorLine((text) => this.takeOutput({ from: 'agent', rank: null, launch: null, text }));
  }

  get hello(): AgentMessageOf<'hello'> {
    if (this.greeting === null) throw new Error('the agent has sent no hello yet');
    return this.greeting;
  }

  send(message: ControllerMessage): Promise<void> {
    if (message.type === 'launch') this.begun.add(message.launch);
    return this.sendLine(lineOf(message));
  }

  /**
   * Sends a line that lineOf() made, so that a message for many agents is encoded only once. Resolves when the next line can be
   * written; never rejects. A `launch` message must be sent with send() instead, which remembers the launch.
   */
  sendLine(line: string): Promise<void> {
    return this.process.write(line);
  }

  /**
   * Waits for one message of the agent. Call it before the request is sent; only one wait per key is allowed at a time.
   * @param key result of replyKey() for that message
   * @param launch launch whose `failed` message ends the wait; null for messages that belong to no launch
   * @param waitMs maximum wait; after it the agent counts as lost. If the key is of a `measured` message, the wait starts again
   * whenever the agent reports progress of this block
   * @param where activity that the text of a failure names
   * @throws FailureError if the launch failed, also before the call, or if the agent is lost
   */
  reply(key: string, launch: number | null, waitMs: number, where: LaunchContext): Promise<AgentReply> {
    const failed = launch === null ? undefined : this.failedLaunches.get(launch);
    if (failed !== undefined) {
      return Promise.reject(new FailureError(launchFailed(this.host, failed.message, where)));
    }
    if (this.broken !== null) return Promise.reject(new FailureError(this.broken(where)));
    return new Promise((resolve, reject) => {
      const startWaiting = (): (() => void) =>
        startRunningTimer(waitMs, () => {
          this.breakWith(
            (at) => agentSilent(this.host, 'no answer', waitMs, this.process.stderrTail(), at),
            true,
          );
        });
      let stopWaiting = startWaiting();
      const settle = (): void => {
        stopWaiting();
        this.waiters.delete(key);
      };
      this.waiters.set(key, {
        launch,
        where,
        restart: () => {
          stopWaiting();
          stopWaiting = startWaiting();
        },
        resolve: (message) => {
          settle();
          resolve(message);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      });
    });
  }

  /**
   * Sets the rank numbers for a launch that has only some ranks of the run; call it before the launch starts. Failures, logs and
   * output of this launch are then reported with rank numbers of the run. Launches without this call have all ranks.
   * @param members ranks of the run, indexed by rank in the launch
   */
  renumber(launch: number, members: readonly number[]): void {
    this.members.set(launch, members);
  }

  /**
   * Reads the agent's clock once. The time in the answer is assumed to be from the middle between question and answer.
   * @param waitMs maximum wait for the answer; after it the agent counts as lost
   * @param where activity that the text of a failure names
   * @returns `offsetNs`: the agent's clock minus the clock of this process. `uncertaintyNs`: half of the round-trip time
   * @throws FailureError if the agent is lost or does not answer within `waitMs`
   */
  async clock(waitMs: number, where: LaunchContext): Promise<{ offsetNs: number; uncertaintyNs: number }> {
    const id = this.asked;
    this.asked += 1;
    const askedNs = Number(process.hrtime.bigint());
    const reply = this.reply(`clock ${id}`, null, waitMs, where);
    const [answer] = await Promise.all([reply, this.send({ type: 'clock', id })]);
    const heardNs = Number(process.hrtime.bigint());
    const { clockNs } = answer as AgentMessageOf<'clock'>;
    const half = Math.ceil((heardNs - askedNs) / 2);
    return { offsetNs: clockNs - askedNs - half, uncertaintyNs: half };
  }

  /**
   * Gives the agent up because it sent a message that cannot be true.
   * @param problem reason, worded to follow "sent an invalid message:"
   * @param where activity, phase and deadline that the text of a failure names
   * @returns the error that the caller throws
   */
  refuse(problem: string, where: LaunchContext): FailureError {
    const failure = agentGarbled(this.host, problem, this.process.stderrTail(), where);
    this.breakWith(() => failure);
    return new FailureError(failure);
  }

  /** True until the agent is given up because it died, fell silent or sent an invalid message. */
  get usable(): boolean {
    return this.broken === null;
  }

  hasFailed(launch: number): boolean {
    return this.failedLaunches.has(launch);
  }

  /**
   * The agent's first `failed` message about this launch, and its arrival time in ms on the clock of performance.now(); undefined
   * if there is none.
   */
  failedLaunch(launch: number): { message: AgentMessageOf<'failed'>; heardMs: number } | undefined {
    return this.failedLaunches.get(launch);
  }

  /**
   * Checks that the agent still answers. It asks for a probe of the socket transport, which every agent can do at any time.
   * @param waitMs maximum wait for the answer
   * @param where activity, phase and deadline that the text of a failure names
   * @throws FailureError if no answer came within `waitMs`, after which the agent counts as lost, or if the agent was lost before
   */
  async answers(waitMs: number, where: LaunchContext): Promise<void> {
    // A separate range of ids, because transport probes count from 0.
    const id = firstSignOfLife + this.asked;
    this.asked += 1;
    const reply = this.reply(`probed ${id}`, null, waitMs, where);
    await Promise.all([reply, this.send({ type: 'probe', id, transport: 'socket', options: {} })]);
  }

  /**
   * Ends the agent process and waits for its end; its ranks end with it. An agent that was given up gets at most 500 ms instead of
   * `endMs`. Never rejects.
   */
  async stop(deadlines: Pick<Deadlines, 'endMs' | 'termMs'>): Promise<void> {
    this.isStopped = true;
    clearInterval(this.beating);
    // A silent agent gets a short time only: it has already used up its waiting time.
    const { endMs, termMs } = deadlines;
    await this.process.stop({ endMs: this.usable ? endMs : Math.min(endMs, 500), termMs });
    await this.watching; // waits for the agent's last output
  }

  private async watch(): Promise<void> {
    const reading = this.read(this.process.output).catch((error: unknown) => {
      this.breakWith((where) =>
        agentGarbled(
          this.host,
          error instanceof Error ? error.message : String(error),
          this.process.stderrTail(),
          where,
        ),
      );
    });
    const exit = await this.process.exit;
    clearInterval(this.beating);
    // The agent's last output may still be in the pipe. The wait is bounded, as a grandchild process may keep the pipe open.
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([
      reading,
      new Promise((resolve) => {
        timer = setTimeout(resolve, 500);
      }),
    ]);
    clearTimeout(timer);
    this.breakWith((where) => agentLost(this.host, exit, this.process.stderrTail(), where));
    clearInterval(this.beating); // again, because the remaining output may have contained the hello that starts the beats
  }

  private async read(output: Readable): Promise<void> {
    // Chunks are joined only when the line is complete: joining after every chunk takes quadratic time.
    let unfinished: string[] = [];
    let length = 0;
    for await (const chunk of output.setEncoding('utf8')) {
      this.beatsUnheard = 0;
      const [head, ...lines] = (chunk as string).split('\n') as [string, ...string[]];
      unfinished.push(head);
      length += head.length;
      if (length > agentLimits.line) throw new Error(`a line is longer than ${agentLimits.line} characters`);
      const rest = lines.pop();
      if (rest === undefined) continue;
      for (const line of [unfinished.join(''), ...lines]) if (line.trim() !== '') this.hear(line);
      unfinished = [rest];
      length = rest.length;
    }
  }

  private hear(line: string): void {
    const garbled = (what: string): void =>
      this.breakWith((where) => agentGarbled(this.host, what, this.process.stderrTail(), where));
    let raw: unknown;
    try {
      raw = JSON.parse(line);
    } catch {
      garbled(`it wrote ${JSON.stringify(line.slice(0, 200))} where a JSON message was due`);
      return;
    }
    const { type, protocol, version } = (raw ?? {}) as Record<string, unknown>;
    if (type === 'hello' && protocol !== protocolVersion) {
      this.breakWith(() => protocolFailure(this.host, protocol, protocolVersion, version));
      return;
    }
    if (isSamples(raw)) {
      this.handle(raw, garbled);
      return;
    }
    try {
      raw = withinLimits(raw, line.length);
    } catch (error) {
      garbled(error instanceof Error ? error.message : String(error));
      return;
    }
    const parsed = agentMessage.safeParse(raw);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      garbled(`message ${JSON.stringify(type)}, ${issue?.path.join('.') || 'type'}: ${issue?.message}`);
      return;
    }
    this.handle(toRunRanks(parsed.data, this.members), garbled);
  }

  private handle(message: AgentMessage, garbled: (what: string) => void): void {
    switch (message.type) {
      case 'beat':
        return;
      case 'progress':
        this.waiters.get(`measured ${message.launch} ${message.block}`)?.restart();
        return;
      case 'log':
        if (this.mayTake('log', 'log lines', message.text)) this.listener.log(this, message);
        return;
      case 'output':
        this.takeOutput(message);
        return;
      case 'sampling':
      case 'samples':
      case 'sourceFailed':
      case 'exchange':
        try {
          if (message.type === 'exchange') this.listener.exchange(this, message);
          else this.listener.metrics?.(this, message);
        } catch (error) {
          garbled(error instanceof Error ? error.message : String(error));
        }
        return;
      case 'failed':
        if (!this.begun.has(message.launch)) {
          garbled(`message failed ${message.launch}: there is no such launch`);
          return;
        }
        // The first failure counts: later ones concern a launch that has already ended.
        if (this.failedLaunches.has(message.launch)) return;
        this.failedLaunches.set(message.launch, { message, heardMs: performance.now() });
        for (const waiter of [...this.waiters.values()]) {
          if (waiter.launch === message.launch) {
            waiter.reject(new FailureError(launchFailed(this.host, message, waiter.where)));
          }
        }
        return;
      default: {
        const waiter = this.waiters.get(replyKey(message));
        if (waiter !== undefined) waiter.resolve(message);
        // These replies may arrive after the controller has stopped waiting for them.
        else if (message.type !== 'stopped' && message.type !== 'sampled')
          garbled(`message ${replyKey(message)} was not asked for`);
      }
    }
  }

  private takeOutput(output: HostOutput): void {
    const [kind, what] =
      output.from === 'engine'
        ? (['engineLog', 'logs of libraries'] as const)
        : (['output', 'output'] as const);
    if (this.mayTake(kind, what, output.text)) this.listener.output?.(this, output);
  }

  /**
   * Counts a text against the limit of its kind of output. Returns true if the text is within the limit. The text that first
   * reaches the limit is refused and logs a warning; later texts are refused silently.
   * @param what words for this kind of output in the warning: "log lines"
   */
  private mayTake(kind: keyof Agent['allowances'], what: string, { length }: string): boolean {
    const answer = this.allowances[kind].take(length + costOfLine);
    if (answer === 'last') {
      const limit = formatBytes(kind === 'engineLog' ? agentLimits.engineLog : agentLimits.log);
      const text = `stopped reading ${what} of ${this.host} after ${limit}`;
      this.listener.log(this, { level: 'warn', rank: null, text });
    }
    return answer === 'granted';
  }

  /**
   * Gives the agent up with this failure. Does nothing if the agent was given up before, because later failures, such
   * as the exit after a kill, are consequences of the first.
   * @param isSilent true if the agent sent nothing, or did not send an awaited message, for too long
   */
  private breakWith(failure: (where: LaunchContext) => Failure, isSilent = false): void {
    if (this.broken !== null) return;
    this.broken = failure;
    this.isSilent = isSilent;
    for (const waiter of [...this.waiters.values()]) waiter.reject(new FailureError(failure(waiter.where)));
  }
}

/**
 * Returns the key by which Agent.reply() recognises the message that it waits for: its type, followed by its launch and block
 * ("measured 0 7"), its launch ("ready 0") or its id ("clock 3"), if it has one; "hello" and "sampled" stand alone.
 */
function replyKey(message: AgentReply): string {
  switch (message.type) {
    case 'hello':
    case 'sampled':
      return message.type;
    case 'clock':
    case 'probed':
    case 'facts':
    case 'listener':
    case 'connections':
      return `${message.type} ${message.id}`;
    case 'measured':
      return `measured ${message.launch} ${message.block}`;
    default:
      return `${message.type} ${message.launch}`;
  }
}
