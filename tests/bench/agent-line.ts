import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

/** A message of the agent, unchecked; its type determines its fields (orchestration/protocol.ts). */
// biome-ignore lint/suspicious/noExplicitAny: benchmark of the agent itself, below the controller that checks messages
export type BenchMessage = { type: string } & Record<string, any>;

/** A connection to one agent without a controller, so that a benchmark knows exactly what runs and when. */
export class AgentLine {
  private readonly child: ChildProcess;
  private readonly inbox: BenchMessage[] = [];
  private readonly blobs = new Map<string, Map<number, string>>();
  private ranks = 0;
  private wake: () => void = () => {};
  private isOver = false;

  /** @param folder folder of the native build: COLLBENCH_NATIVE_DIR or build/native */
  constructor(folder: string) {
    this.child = spawn(path.join(folder, 'collbench-agent'), [], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.child.on('error', () => {});
    const lines = createInterface({ input: this.child.stdout as NodeJS.ReadableStream });
    lines.on('line', (line) => {
      this.take(JSON.parse(line) as BenchMessage);
      this.wake();
    });
    lines.on('close', () => {
      this.isOver = true;
      this.wake();
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  send(message: object): void {
    this.child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  /**
   * Waits for the next message of a type and drops messages before it.
   * @throws {Error} if the launch failed or the agent ended
   */
  async until(type: string): Promise<BenchMessage> {
    for (;;) {
      for (let message = this.inbox.shift(); message !== undefined; message = this.inbox.shift()) {
        if (message.type === type) return message;
        if (message.type === 'failed') throw new Error(`the launch failed: ${message.message}`);
      }
      if (this.isOver) throw new Error(`the agent ended before it said ${type}`);
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  /** Opens a launch of `ranks` ranks on this machine, over the loopback interface. */
  async launch(ranks: number): Promise<void> {
    this.ranks = ranks;
    this.send({
      type: 'launch',
      launch: 1,
      engine: 'cpu',
      transport: 'socket',
      options: { interface: 'lo', token: '0123456789abcdef' },
      algorithm: null,
      ranks,
      localRanks: Array.from({ length: ranks }, (_, rank) => rank),
      seed: 1,
      environment: {},
      deadlineMs: 60_000,
    });
    await this.until('ready');
  }

  /**
   * Measures one block of isolated float32 allreduces.
   * @returns nanoseconds of each punctual operation, from the common start to the end of the last rank
   */
  async measure(block: number, bytes: number, targetNs: number): Promise<number[]> {
    this.send({
      type: 'measure',
      launch: 1,
      block,
      workload: 'collective',
      axes: { collective: 'allreduce', dtype: 'float32', op: 'sum', root: null, inPlace: false, bytes },
      trial: {
        kind: 'isolated',
        firstIteration: 0,
        warmup: 3,
        minSamples: 7,
        maxSamples: 20_000,
        targetNs,
        batch: 1,
        checkEvery: 0,
        check: false,
      },
      release: false,
      deadlineMs: 120_000,
    });
    const { ranks } = await this.until('measured');
    const [first] = ranks;
    const late = new Set<number>(ranks.flatMap((rank: BenchMessage) => rank.late));
    return first.commonStartNs.flatMap((start: number, i: number) =>
      late.has(i) ? [] : [Math.max(...ranks.map((rank: BenchMessage) => rank.endNs[i])) - start],
    );
  }

  async end(): Promise<void> {
    this.child.stdin?.end();
    if (!this.isOver) await once(this.child, 'exit');
  }

  private take(message: BenchMessage): void {
    if (message.type !== 'exchange') {
      this.inbox.push(message);
      return;
    }
    const blobs = this.blobs.get(message.key) ?? new Map<number, string>();
    this.blobs.set(message.key, blobs.set(message.rank, message.data));
    if (blobs.size < this.ranks) return;
    this.blobs.delete(message.key);
    const data = Array.from({ length: this.ranks }, (_, rank) => blobs.get(rank));
    this.send({ type: 'exchanged', launch: 1, key: message.key, data });
  }
}
