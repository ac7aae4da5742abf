// crosscheck.json: what nccl-tests and collbench measured on the same GPUs. It is written and not read again.
import type { DtypeName, Medium, OpName } from './names.ts';
import type { Failure } from './run.ts';
import type { CollectiveName } from './workloads/collective/table.ts';

export type AgreementVerdict = 'agree' | 'differ' | 'unsure';

export interface SizeAgreement {
  payloadBytes: number;
  rounds: number;
  /** Geometric means over the rounds. */
  oursNs: number;
  theirsNs: number;
  /** Ours over theirs: above 1 we measure longer. */
  ratio: number;
  /** 95 %, between rounds; null with fewer than two. */
  interval: { low: number; high: number } | null;
  /** Half width, relative, that counts as the same. */
  tolerance: number;
  /** Scatter between rounds: standard deviation of log time, so 0.01 is 1 %. Null with fewer than two rounds. */
  oursSpread: number | null;
  theirsSpread: number | null;
  /** Whose scatter is larger by more than chance (5 %); null where that cannot be told. */
  noisier: 'ours' | 'theirs' | null;
  verdict: AgreementVerdict;
  /** Agrees by the rule for small sizes alone: ours is faster by more than the tolerance. */
  isFaster: boolean;
  /** Rounds, these included, after which the interval would probably lie on one side; null where it does. */
  roundsNeeded: number | null;
}

export interface AgreementSummary {
  /** `differ` where any size differs, else `unsure` where any is unsure. */
  verdict: AgreementVerdict;
  /** For people: the verdict with its counts, then who is noisier. */
  sentences: string[];
}

/** Figures of one round, ns of one operation. */
export interface CrosscheckRound {
  round: number;
  first: 'nccl-tests' | 'OSU' | 'collbench';
  oursNs: number;
  theirsNs: number;
  /** Null: not measured. */
  isolatedNs: number | null;
  enqueueNs: number | null;
}

export interface CrosscheckSize extends SizeAgreement {
  /** Medians over the rounds: one operation alone, and what the host needs to queue one. Null: not measured. */
  isolatedNs: number | null;
  enqueueNs: number | null;
  /** Raw figures, in the order of measuring. */
  figures: CrosscheckRound[];
}

export interface CrosscheckCollective {
  collective: CollectiveName;
  dtype: DtypeName;
  op: OpName | null;
  root: number | null;
  ranks: number;
  /** Of the other program: one with a thread per GPU, or under mpirun one per rank. */
  processes: number;
  /** Of the other program, the first round. */
  commandLine: string[];
  /** Of the other program; null where it does not say. */
  version: string | null;
  /** That nccl-tests loaded; null where it does not say. Another one than ours is an error. */
  ncclVersion: string | null;
  devices: string[];
  sizes: CrosscheckSize[];
  /** Asked for and not compared, with the reason. */
  skipped: { requestedBytes: number; reason: string }[];
  wrongElements: number;
  summary: AgreementSummary | null;
}

/** What `collbench crosscheck` understood. Sizes are bytes. */
export interface CrosscheckOptions {
  collectives: CollectiveName[];
  /** Folder of nccl-tests: a checkout, or where its programs lie; '' with `osu`. */
  ncclTests: string;
  /** OSU's programs beside engine mpi, in place of nccl-tests: their folder, the ranks, our transport. */
  osu?: { folder: string; ranks: number; transport: string };
  min: number;
  max: number;
  /** Whole, at least 2: nccl-tests knows no other. */
  factor: number;
  rounds: number;
  /** GPU numbers as nvidia-smi shows them; null = all. */
  gpus: number[] | null;
  /** libnccl.so.2 or a folder that has it; null = searched. */
  nccl: string | null;
  /** For programs built with MPI; null = searched in PATH. */
  mpirun: string | null;
  dtype: DtypeName;
  op: OpName;
  /** One run of nccl-tests, or one block of ours. */
  timeoutS: number;
  out: string | null;
  json: boolean;
}

/** All figures of all rounds, and what they were taken with. */
export interface CrosscheckRecord {
  schemaVersion: 1;
  kind: 'crosscheck';
  id: string;
  startedAt: string;
  endedAt: string | null;
  state: 'running' | 'complete' | 'failed' | 'interrupted';
  exitCode: number | null;
  /** Null: something failed before there was one. */
  verdict: AgreementVerdict | null;
  collbench: string;
  options: CrosscheckOptions;
  /** The other program; absent in older records: nccl-tests. */
  peer?: 'nccl-tests' | 'OSU';
  /** None with OSU, which moves host memory. */
  gpus: readonly number[];
  /** `emulated`: a stand-in for libnccl and the GPUs. */
  medium: Medium;
  /** The libnccl that every rank loads; with OSU the mpirun, and which MPI it is over what. */
  library: { path: string; version: string };
  /** NCCL variables of both sides: the allow-listed ones of the user, and those our engine sets. */
  environment: Record<string, string>;
  collectives: CrosscheckCollective[];
  failures: Failure[];
}
