// Contents of crosscheck.json: figures of nccl-tests and collbench on the same GPUs. collbench writes the file and does not read
// it again.
import type { DtypeName, Medium, OpName } from './names.ts';
import type { Failure } from './run.ts';
import type { CollectiveName } from './workloads/collective/table.ts';

export type AgreementVerdict = 'agree' | 'differ' | 'unsure';

export interface SizeAgreement {
  payloadBytes: number;
  rounds: number;
  /** Time of one operation, geometric mean over the rounds, ns. `ours` is collbench, `theirs` the other program. */
  oursNs: number;
  theirsNs: number;
  /** Time of collbench over time of the other program: above 1, collbench measures longer times. */
  ratio: number;
  /** 95 % interval of the ratio, from the scatter between rounds; null with fewer than two rounds. */
  interval: { low: number; high: number } | null;
  /** Largest relative difference between the two programs that counts as agreement: 0.05 = 5 %. */
  tolerance: number;
  /** Standard deviation of log time between collbench's rounds, so 0.01 is 1 %. Null with fewer than two rounds. */
  oursSpread: number | null;
  theirsSpread: number | null;
  /** The program whose times scatter significantly more between rounds (5 % level); null if neither does, or not known. */
  noisier: 'ours' | 'theirs' | null;
  verdict: AgreementVerdict;
  /**
   * True if collbench is faster by more than the tolerance, but the size still counts as agreeing because it is small: launching
   * an operation then takes most of the time.
   */
  isFaster: boolean;
  /** Estimated total number of rounds until the interval gives a verdict; null if the verdict is already clear. */
  roundsNeeded: number | null;
}

export interface AgreementSummary {
  /** Verdict over all sizes: `differ` if any size differs, else `unsure` if any size is unsure, else `agree`. */
  verdict: AgreementVerdict;
  /** Text of the result, one sentence each: the verdict with counts, then which program's times scatter more. */
  sentences: string[];
}

/** Times that one program measured in one round, ns per operation. */
export interface CrosscheckRound {
  round: number;
  first: 'nccl-tests' | 'OSU' | 'collbench';
  oursNs: number;
  theirsNs: number;
  /** Time of one operation that is not overlapped with others; null = not measured. */
  isolatedNs: number | null;
  /** Host time to enqueue one operation; null = not measured. */
  enqueueNs: number | null;
}

export interface CrosscheckSize extends SizeAgreement {
  /** Time of one operation that is not overlapped with others, median over the rounds; null = not measured. */
  isolatedNs: number | null;
  /** Median over the rounds of the host time to enqueue one operation; null = not measured. */
  enqueueNs: number | null;
  /** Times measured in each round, in the order of measuring. */
  figures: CrosscheckRound[];
}

export interface CrosscheckCollective {
  collective: CollectiveName;
  dtype: DtypeName;
  op: OpName | null;
  root: number | null;
  ranks: number;
  /** Number of processes of the other program: one with a thread per GPU, or under mpirun one per rank. */
  processes: number;
  /** Command line of the other program in the first round. */
  commandLine: string[];
  /** Version of the other program; null if its output has none. */
  version: string | null;
  /** NCCL version that nccl-tests loaded; null if its output has none. A version different from collbench's is an error. */
  ncclVersion: string | null;
  devices: string[];
  sizes: CrosscheckSize[];
  /** Requested sizes that were not compared, with the reason. */
  skipped: { requestedBytes: number; reason: string }[];
  wrongElements: number;
  summary: AgreementSummary | null;
}

/** Options of `collbench crosscheck` as parsed. Sizes are bytes. */
export interface CrosscheckOptions {
  collectives: CollectiveName[];
  /** Folder of nccl-tests: a checkout, or the folder of its programs; '' with `osu`. */
  ncclTests: string;
  /** Settings for comparing with the OSU benchmarks and engine mpi: their folder, the ranks, collbench's transport. */
  osu?: { folder: string; ranks: number; transport: string };
  min: number;
  max: number;
  /** Factor between sizes: a whole number, at least 2, because nccl-tests accepts no other. */
  factor: number;
  rounds: number;
  /** GPU numbers as nvidia-smi shows them; null = all GPUs. */
  gpus: number[] | null;
  /** Path of libnccl.so.2 or of its folder; null = collbench searches for it. */
  nccl: string | null;
  /** Path of mpirun, for programs built with MPI; null = searched in PATH. */
  mpirun: string | null;
  dtype: DtypeName;
  op: OpName;
  /** Seconds allowed for one run of nccl-tests, or for one block of collbench. */
  timeoutS: number;
  out: string | null;
  json: boolean;
}

/** All figures of all rounds, with the options and versions of the measurement. */
export interface CrosscheckRecord {
  schemaVersion: 1;
  kind: 'crosscheck';
  id: string;
  startedAt: string;
  endedAt: string | null;
  state: 'running' | 'complete' | 'failed' | 'interrupted';
  exitCode: number | null;
  /** Verdict over all sizes; null if the crosscheck failed before it had one. */
  verdict: AgreementVerdict | null;
  collbench: string;
  options: CrosscheckOptions;
  /** The other program; absent in older records, which compare with nccl-tests. */
  peer?: 'nccl-tests' | 'OSU';
  /** GPU numbers; empty with OSU, which measures host memory. */
  gpus: readonly number[];
  /** Kind of the measured devices. `emulated`: software replaces libnccl and the GPUs. */
  medium: Medium;
  /**
   * Path and version of the libnccl that every rank loads. With OSU: path of mpirun; name and version of the MPI and how its
   * ranks exchange data, "Open MPI 4.1.6, TCP over eth0" or "..., shared memory".
   */
  library: { path: string; version: string };
  /** NCCL variables of both programs: the user's allow-listed ones, and those that collbench's engine sets. */
  environment: Record<string, string>;
  collectives: CrosscheckCollective[];
  failures: Failure[];
}
