// Contents of crosscheck.json, which `collbench crosscheck` writes: times of collbench and of another program (nccl-tests or OSU)
// on the same machines. collbench does not read the file again.
import type { DtypeName, Medium, OpName } from './names.ts';
import type { Failure } from './run.ts';
import type { CollectiveName } from './workloads/collective/table.ts';

/** Verdict on whether collbench and the other program measure the same time, within a tolerance. */
export type AgreementVerdict = 'agree' | 'differ' | 'unsure';

export interface SizeAgreement {
  payloadBytes: number;
  rounds: number;
  /** Time of one operation in ns, geometric mean over rounds. `oursNs`: measured by collbench. `theirsNs`: by nccl-tests or OSU. */
  oursNs: number;
  theirsNs: number;
  /** Time measured by collbench divided by the time measured by the other program. */
  ratio: number;
  /** 95 % interval of the ratio, computed from the differences between rounds; null with fewer than two rounds. */
  interval: { low: number; high: number } | null;
  /** Largest relative difference between the times of the two programs with which they agree: 0.03 = 3 %. */
  tolerance: number;
  /**
   * Standard deviation of ln(time) between rounds, 0.01 = 1 %. `oursSpread`: of collbench; `theirsSpread`: of the other program.
   * Null with fewer than two rounds.
   */
  oursSpread: number | null;
  theirsSpread: number | null;
  /**
   * Program whose times scatter significantly more between rounds (5 % level): collbench (`ours`) or the other one (`theirs`). Null
   * if neither does, or with fewer than three rounds.
   */
  noisier: 'ours' | 'theirs' | null;
  verdict: AgreementVerdict;
  /**
   * True if collbench certainly measures a time that is shorter by more than the tolerance, at a size below 1 MiB. The size counts
   * as agreeing nevertheless, because starting an operation then takes most of the time.
   */
  isFaster: boolean;
  /**
   * Estimated number of rounds, those measured included, after which the verdict is not `unsure`; null if the verdict is not
   * `unsure` now, or with fewer than two rounds.
   */
  roundsNeeded: number | null;
}

export interface AgreementSummary {
  /** Verdict over all message sizes: `differ` if one size differs, else `unsure` if one is unsure, else `agree`. */
  verdict: AgreementVerdict;
  /**
   * Sentences for readers: the verdict with the number of sizes; the program whose times scatter more between rounds; and, if sizes
   * are unsure, about how many rounds would decide them.
   */
  sentences: string[];
}

/** Time of one operation in one round by both programs, ns. Each program ran once; `first` names the one that ran first. */
export interface CrosscheckRound {
  round: number;
  first: 'nccl-tests' | 'OSU' | 'collbench';
  oursNs: number;
  theirsNs: number;
  /**
   * Time of one operation that starts only when the operation before it has ended, measured by collbench, ns; null = not measured.
   */
  isolatedNs: number | null;
  /**
   * Time that the CPU needs to queue one operation on the GPU, on the slowest rank, measured by collbench, ns; null = not
   * measured.
   */
  enqueueNs: number | null;
}

export interface CrosscheckSize extends SizeAgreement {
  /** Time of one operation that overlaps with no other one, ns, median over rounds; null = not measured. */
  isolatedNs: number | null;
  /**
   * Time that the CPU needs to queue one operation on the GPU, on the slowest rank, ns, median over rounds; null = not measured.
   */
  enqueueNs: number | null;
  /** Times of each round, in the order of measuring. */
  figures: CrosscheckRound[];
}

export interface CrosscheckCollective {
  collective: CollectiveName;
  dtype: DtypeName;
  op: OpName | null;
  root: number | null;
  ranks: number;
  /** Number of processes in which the other program ran: 1 with a thread per GPU, or one per rank under mpirun. */
  processes: number;
  /** Words of the command line with which the other program was started in the first round, not quoted for a shell. */
  commandLine: string[];
  /** Version of the other program; null if its output has none. */
  version: string | null;
  /**
   * Version of NCCL that nccl-tests used, which must be the one that collbench measures; null if nccl-tests did not print it, and
   * with OSU.
   */
  ncclVersion: string | null;
  devices: string[];
  sizes: CrosscheckSize[];
  /**
   * Requested message sizes, in bytes, that were not compared at all or not in one of the rounds, with the reason as text; empty = all
   * were compared in each round.
   */
  skipped: { requestedBytes: number; reason: string }[];
  wrongElements: number;
  summary: AgreementSummary | null;
}

/**
 * Options of the command `collbench crosscheck`, which compares collbench with nccl-tests or OSU. Sizes are in bytes. `rounds`:
 * in each round both programs run once for each collective. `out`: folder for the result; null = a new folder.
 */
export interface CrosscheckOptions {
  collectives: CollectiveName[];
  /** Folder of nccl-tests: a checkout, or the folder of its programs; '' if collbench is compared with OSU (`osu`). */
  ncclTests: string;
  /**
   * Present if collbench is compared with the OSU benchmarks over MPI: folder of the benchmarks, transport that collbench uses,
   * hosts as typed (empty = this machine). `ranks` null = one for each slot of the hosts, on this machine two. `sshConfig`:
   * configuration file of ssh; null = the usual one.
   */
  osu?: {
    folder: string;
    ranks: number | null;
    transport: string;
    hosts: string[];
    sshConfig: string | null;
    /** Network interface that the ranks use; null = the one of the route between the hosts, or lo on one host. */
    interface: string | null;
  };
  min: number;
  max: number;
  /** Ratio of each message size to the one before it: a whole number >= 2, because nccl-tests accepts no other. */
  factor: number;
  rounds: number;
  /** Numbers of the GPUs to use, counted from 0 among those that CUDA_VISIBLE_DEVICES leaves visible; null = all of them. */
  gpus: number[] | null;
  /** Path of libnccl.so.2 or of its folder; null = collbench searches for it. */
  nccl: string | null;
  /** Path of mpirun, by which programs built with MPI are started; null = it is searched in PATH. */
  mpirun: string | null;
  dtype: DtypeName;
  op: OpName;
  /** Time limit in seconds for one run of the other program, and for one block of collbench. */
  timeoutS: number;
  out: string | null;
  json: boolean;
}

/** Contents of crosscheck.json: times of collbench and of the other program, with options and versions. */
export interface CrosscheckRecord {
  schemaVersion: 1;
  kind: 'crosscheck';
  id: string;
  startedAt: string;
  endedAt: string | null;
  state: 'running' | 'complete' | 'failed' | 'interrupted';
  exitCode: number | null;
  /** Verdict over all message sizes of all collectives; null until the crosscheck ends, and if something failed. */
  verdict: AgreementVerdict | null;
  collbench: string;
  options: CrosscheckOptions;
  /** Program with which collbench is compared; absent = nccl-tests (older files). */
  peer?: 'nccl-tests' | 'OSU';
  /** Numbers of the GPUs used, counted as in the option `gpus`; empty with OSU, which measures host memory. */
  gpus: readonly number[];
  /** `hardware`, or `emulated` if software replaces libnccl and the GPUs. */
  medium: Medium;
  /**
   * Library that both programs measure. NCCL: path and version of the libnccl that every rank loads. With OSU: path of mpirun; name
   * and version of the MPI and how its ranks exchange data, "Open MPI 4.1.6, TCP over eth0" or "..., shared memory".
   */
  library: { path: string; version: string };
  /**
   * Environment variables for NCCL or MPI in both programs: those of the user that are on an allow list, and those that collbench
   * sets.
   */
  environment: Record<string, string>;
  collectives: CrosscheckCollective[];
  failures: Failure[];
}
