import type {
  BlockRecord,
  BlockRequest,
  Failure,
  Inventory,
  LaunchRecord,
  RunPlan,
} from '../results/schema/index.ts';
import type { LaunchOpener } from './launch.ts';

/** What a session tells while it runs. `failure` is the last one: everything has been stopped before it is given out. */
export type SessionEvent =
  | { type: 'inventory'; host: string; inventory: Inventory; versions: Record<string, string> }
  | { type: 'launch'; record: LaunchRecord }
  | { type: 'block'; record: BlockRecord; completesCell: boolean }
  | { type: 'log'; level: 'warn' | 'info'; host: string; rank: number | null; text: string }
  | { type: 'failure'; failure: Failure };

export interface SessionOptions {
  /** Path of the collbench-agent binary; not used when `openLaunch` is given. */
  agentPath: string;
  signal: AbortSignal;
  /** Variables for the rank processes, on top of what the agent itself inherits. */
  environment?: Record<string, string>;
  /** Another way to get launches than agents: in-process ranks. No inventory event comes then. */
  openLaunch?: LaunchOpener;
}

export async function* runSession(
  _plan: RunPlan,
  _blocks: Iterable<BlockRequest>,
  _options: SessionOptions,
): AsyncGenerator<SessionEvent> {
  yield* [];
  throw new Error('runSession: being written');
}
