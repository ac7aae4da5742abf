import type { CollectiveName, DtypeName, OpName } from '../../results/schema/index.ts';

/** Pipelined samples per round; the median of them is the figure, so that a hiccup in one is none of the round. */
export const samples = 5;

export interface OurRequest {
  collective: CollectiveName;
  /** Payloads, rising. */
  sizes: readonly number[];
  dtype: DtypeName;
  /** Null where nothing is reduced. */
  op: OpName | null;
  /** Null where there is no root. */
  root: number | null;
  /** From 0; every round starts new processes. */
  round: number;
}

/** One size as one launch measured it, ns of one operation. */
export interface OurFigures {
  /** 20 calls back to back, elapsed / 20, mean over ranks: what nccl-tests prints; median of `samples`. */
  pipelinedNs: number;
  /** One operation alone, from the common start of all ranks to the end of the slowest. Null: not measured. */
  isolatedNs: number | null;
  /** Host time to queue one call. Null: not measured. */
  launchNs: number | null;
  wrongElements: number;
}

/** Our side of a crosscheck; tests put another in its place. */
export interface OurEngine {
  /** GPU numbers, one rank each. */
  gpus: readonly number[];
  /** `emulated`: a stand-in for libnccl and the GPUs. */
  medium: 'hardware' | 'emulated';
  /** The libnccl that every rank loads. */
  library: { path: string; version: string };
  /** NCCL variables that the ranks get; nccl-tests gets them, too. */
  environment: Record<string, string>;
  /**
   * One launch: processes start, every size is measured, processes end.
   * @returns by payload; sizes that were not measured are missing
   * @throws FailureError (orchestration/endings.ts), of kind `interrupted` when the signal aborts
   */
  measure(request: OurRequest, signal: AbortSignal): Promise<Map<number, OurFigures>>;
}
