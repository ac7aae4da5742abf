// Contents of crosscheck.json: figures of nccl-tests and collbench on the same GPUs. collbench writes the file and does not read
// it again.
import type { DtypeName, Medium, OpName } from './names.ts';
import type { Failure } from './run.ts';
import type { CollectiveName } from './workloads/collective/table.ts';

export type AgreementVerdict = 'agree' | 'differ' | 'unsure';

export interface SizeAgreement {
  payloadBytes: number;
  rounds: number;
  /** Time of one operation in ns, geometric mean over repetitions. `oursNs`: by collbench; `theirsNs`: by nccl-tests or OSU. */
  oursNs: number;
  theirsNs: number;
  /** Time of collbench over time of the other program: above 1, collbench measures longer times. */
  ratio: number;
  /** 95 % interval of the ratio, from differences between repetitions (rounds); null with fewer than two. */
  interval: { low: number; high: number } | null;
  /** Largest relative difference between the two programs at which they still agree: 0.03 = 3 %. */
  tolerance: number;
  /** Standard deviation of log time between repetitions of collbench (0.01 = 1 %); null with fewer than two. */
  oursSpread: number | null;
  theirsSpread: number | null;
  /** The program whose times differ significantly more between repetitions (5 % level); null if neither, or not known. */
  noisier: 'ours' | 'theirs' | null;
  verdict: AgreementVerdict;
  /**
   * True if collbench is faster by more than the tolerance, but the size still counts as agreeing because it is small: launching
   * an operation then takes most of the time.
   */
  isFaster: boolean;
  /** Estimated number of repetitions that would give a verdict; null if it is clear already, or with fewer than two. */
  roundsNeeded: number | null;
}

export interface AgreementSummary {
  /** Verdict over all message sizes: `differ` if one differs, else `unsure` if one is unsure, else `agree`. */
  verdict: AgreementVerdict;
  /** Sentences for readers: verdict with number of sizes, then which program's times differ more between repetitions. */
  sentences: string[];
}

/** Times per operation, ns, of both programs in one repetition (round): each ran once, `first` names the one that began. */
export interface CrosscheckRound {
  round: number;
  first: 'nccl-tests' | 'OSU' | 'collbench';
  oursNs: number;
  theirsNs: number;
  /** Time of one operation that starts only when the one before has ended, ns, by collbench; null = not measured. */
  isolatedNs: number | null;
  /** Time that the host needs to queue one operation, ns, by collbench; null = not measured. */
  enqueueNs: number | null;
}

export interface CrosscheckSize extends SizeAgreement {
  /** Median over repetitions of the time of one operation that overlaps with no other, ns; null = not measured. */
  isolatedNs: number | null;
  /** Median over repetitions of the host's time to queue one operation, ns; null = not measured. */
  enqueueNs: number | null;
  /** Times of each repetition, in the order of measuring. */
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
  /** Command line with which the other program was started in the first repetition. */
  commandLine: string[];
  /** Version of the other program; null if its output has none. */
  version: string | null;
  /** Version of NCCL that nccl-tests used; null if it did not print it. It must be the version that collbench measures. */
  ncclVersion: string | null;
  devices: string[];
  sizes: CrosscheckSize[];
  /** Requested sizes that were not compared, with the reason. */
  skipped: { requestedBytes: number; reason: string }[];
  wrongElements: number;
  summary: AgreementSummary | null;
}

/** Options of the command `collbench crosscheck`, which compares collbench with nccl-tests or OSU. Sizes are in bytes. */
export interface CrosscheckOptions {
  collectives: CollectiveName[];
  /** Folder of nccl-tests: a checkout, or the folder of its programs; '' with `osu`. */
  ncclTests: string;
  /**
   * Present to compare with OSU's benchmarks over MPI: their folder, the transport of collbench, and the hosts as typed (none =
   * this machine). `ranks` is null if the slots of the hosts decide. `sshConfig`: ssh's configuration file, null = the usual.
   */
  osu?: {
    folder: string;
    ranks: number | null;
    transport: string;
    hosts: string[];
    sshConfig: string | null;
    /** Network interface of the ranks; null = the route between hosts, or lo. */
    interface: string | null;
  };
  min: number;
  max: number;
  /** Ratio of successive message sizes: a whole number >= 2, because nccl-tests accepts no other. */
  factor: number;
  rounds: number;
  /** Numbers of the GPUs to use, as nvidia-smi shows them; null = all. */
  gpus: number[] | null;
  /** Path of libnccl.so.2 or its folder; null = searched by collbench. */
  nccl: string | null;
  /** Path of mpirun, for programs built with MPI; null = searched in PATH. */
  mpirun: string | null;
  dtype: DtypeName;
  op: OpName;
  /** Highest number of seconds that one run of nccl-tests, or one block of samples of collbench, may take. */
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
  /** Verdict over all message sizes; null if the crosscheck ended before it had one. */
  verdict: AgreementVerdict | null;
  collbench: string;
  options: CrosscheckOptions;
  /** Program with which collbench is compared; absent in older files = nccl-tests. */
  peer?: 'nccl-tests' | 'OSU';
  /** Numbers of the GPUs used; empty with OSU, which measures host memory. */
  gpus: readonly number[];
  /** `hardware`, or `emulated` if software replaces libnccl and the GPUs. */
  medium: Medium;
  /**
   * Path and version of the libnccl that every rank loads. With OSU: path of mpirun; name and version of the MPI and how its
   * ranks exchange data, "Open MPI 4.1.6, TCP over eth0" or "..., shared memory".
   */
  library: { path: string; version: string };
  /** Environment variables for NCCL of both programs: allow-listed ones of the user, and those that collbench sets. */
  environment: Record<string, string>;
  collectives: CrosscheckCollective[];
  failures: Failure[];
}
