import type { AgentMessage, ControllerMessage } from '../protocol.ts';
import { loadAddon, NativeError, type NativeLaunch } from './native.ts';

type LaunchMessage = Extract<ControllerMessage, { type: 'launch' }>;
type MeasureRequest = Extract<ControllerMessage, { type: 'measure' }>;
type ReadyMessage = Extract<AgentMessage, { type: 'ready' }>;
type MeasuredReply = Extract<AgentMessage, { type: 'measured' }>;
type FailedMessage = Extract<AgentMessage, { type: 'failed' }>;

interface Waiter {
  type: string;
  resolve(message: AgentMessage): void;
  reject(error: Error): void;
}

/**
 * A launch whose ranks are native threads of this process. It uses the same messages (orchestration/protocol.ts) and the same
 * session code as launches of agents, so results of both can be compared. Ranks are not isolated: a crash of a rank ends Node,
 * and a rank that never returns cannot be killed. `environment` of the request is ignored. The native launch enforces the
 * deadlines.
 *
 * The class implements `OpenedLaunch` of orchestration/launch.ts, and `InProcessLaunch.open` implements `LaunchOpener`.
 */
export class InProcessLaunch {
  /** Message that all ranks are connected. Its `ranks` have one element per rank, in the order of the ranks. */
  readonly ready: ReadyMessage;
  private readonly mailbox: Mailbox;

  private constructor(mailbox: Mailbox, ready: ReadyMessage) {
    this.mailbox = mailbox;
    this.ready = ready;
  }

  /**
   * Starts the ranks and waits until they are connected. The caller must call stop().
   * @param signal aborting it ends the launch, during the start and at any later time
   * @throws {NativeError} with a code of failures/error-codes.ts; `timeout` after request.deadlineMs; `cancelled` after an abort
   */
  static async open(request: LaunchMessage, signal?: AbortSignal): Promise<InProcessLaunch> {
    const mailbox = new Mailbox(request, signal);
    const ready = await mailbox.ask('ready');
    return new InProcessLaunch(mailbox, ready as ReadyMessage);
  }

  /**
   * Measures one block on all ranks. Only one call at a time is allowed. After a rejected call the launch cannot be used.
   * @throws {NativeError} with a code of failures/error-codes.ts; `timeout` after request.deadlineMs without progress of any rank;
   * `cancelled` after an abort
   */
  async measure(request: MeasureRequest): Promise<MeasuredReply> {
    const answer = this.mailbox.ask('measured');
    this.mailbox.measure(request);
    return (await answer) as MeasuredReply;
  }

  /** Ends all ranks. Resolves when they have ended or are given up after three seconds; never rejects. May be called twice. */
  stop(): Promise<void> {
    return this.mailbox.stop();
  }
}

/**
 * Sends requests to one native launch, and passes the messages of the launch to the call that waits for them. The constructor
 * starts the ranks.
 * @throws {NativeError} `cancelled` if the signal has aborted before, `unavailable` without collbench.node
 */
class Mailbox {
  private readonly native: NativeLaunch;
  private waiter: Waiter | null = null;
  /** The error that ended the launch; null while it can be used. */
  private ended: Error | null = null;
  private readonly gone: Promise<void>;
  private markGone: () => void = () => {};

  constructor(request: LaunchMessage, signal: AbortSignal | undefined) {
    if (signal?.aborted) throw new NativeError('cancelled', 'cancelled before the ranks were started');
    this.gone = new Promise((resolve) => {
      this.markGone = resolve;
    });
    const onAbort = () => this.native.abort('rank-error', 'cancelled', 'cancelled by its AbortSignal');
    this.native = new (loadAddon().Launch)(JSON.stringify(request), (line) => {
      const message = JSON.parse(line) as AgentMessage;
      if (message.type === 'failed' || message.type === 'stopped') {
        signal?.removeEventListener('abort', onAbort);
        this.end(
          message.type === 'failed'
            ? errorOf(message)
            : new NativeError('cancelled', 'the launch was stopped'),
        );
        this.markGone();
      } else if (this.waiter?.type === message.type) {
        this.waiter.resolve(message);
        this.waiter = null;
      }
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  }

  /**
   * Waits for the next message of this type; call it before the request is sent. Rejects if the launch ends or has ended, or if
   * another call still waits for a message.
   */
  ask(type: string): Promise<AgentMessage> {
    if (this.ended) return Promise.reject(this.ended);
    if (this.waiter) {
      return Promise.reject(new NativeError('protocol', 'one thing at a time: the launch is busy'));
    }
    return new Promise((resolve, reject) => {
      this.waiter = { type, resolve, reject };
    });
  }

  measure(request: MeasureRequest): void {
    try {
      this.native.measure(JSON.stringify(request));
    } catch (error) {
      this.waiter?.reject(error as Error);
      this.waiter = null;
    }
  }

  stop(): Promise<void> {
    this.native.stop();
    return this.gone;
  }

  private end(error: Error): void {
    this.ended ??= error;
    this.waiter?.reject(this.ended);
    this.waiter = null;
  }
}

function errorOf({ rank, code, activity, reason, phase }: FailedMessage): NativeError {
  const text = rank === null ? reason : `failed while ${activity}: ${reason}`;
  return new NativeError(code, text, rank, phase);
}
