import type { Binding } from '../../orchestration/hosts/binding.ts';
import type { GroupRule } from '../../orchestration/hosts/groups.ts';
import type { HostSpec } from '../../orchestration/hosts/host.ts';
import type { DtypeName, EngineName, OpName } from '../../results/schema/index.ts';
import type { AlgorithmWord, ProtocolWord } from '../../suites/series.ts';

/** How agents are started. */
export type LauncherChoice =
  | { kind: 'local' }
  | { kind: 'ssh' }
  | { kind: 'slurm' }
  | { kind: 'command'; template: string };

/** What a measuring command understood; one field per row of `flags`. Sizes are bytes. */
export interface Options {
  min: number;
  max: number;
  factor: number;
  step: number | null;
  sizes: number[] | null;
  dtype: DtypeName[];
  op: OpName[];
  root: number[] | 'all';
  inPlace: boolean[];
  /** `null` = as many as the engine takes by itself, 2 (cpu), one for each GPU (nccl), or as the nodes have room for. */
  ranks: number | null;
  /** `null` = all ranks as one. */
  groups: GroupRule | null;
  engine: EngineName;
  /** `null` = the usual one of the engine. */
  transport: string[] | null;
  algorithm: string | null;
  inProcess: boolean;
  interface: string | null;
  streams: number;
  sisciLibrary: string | null;
  link: string;
  fault: string | null;
  pathProof: boolean;
  /** `null` = not said: this machine, the hostfile, or those of a Slurm allocation. */
  hosts: HostSpec[] | null;
  hostfile: string | null;
  ranksPerNode: number | null;
  /** `block`, `node`, or the path of a rank map file. */
  map: string;
  /** `null` = as agents do by themselves: a core for each rank of the cpu engine where there are enough. */
  bind: Binding | null;
  /** `null` = local, with hosts ssh (`launcherOf` of node-options.ts decides). */
  launcher: LauncherChoice | null;
  rsh: 'ssh2' | 'openssh';
  sshConfig: string | null;
  knownHosts: string[] | null;
  identity: string[];
  /** Absolute, or from the home folder there on; `null` = the user's cache. */
  remoteDir: string | null;
  /** `null` = the one of this build. */
  agent: string | null;
  nccl: string | null;
  /** `null` = all. */
  gpus: number[] | null;
  shareGpu: boolean;
  algo: AlgorithmWord[];
  proto: ProtocolWord[];
  cache: 'cold' | 'hot';
  graph: boolean;
  aggregate: number;
  register: 'none' | 'local' | 'symmetric';
  deviceApi: 'none' | 'lsa' | 'gin';
  blocking: boolean;
  split: number;
  misalign: number;
  attest: boolean;
  hostCheck: boolean;
  /** Samples per launch, `null` = chosen. */
  iters: number | null;
  warmup: number;
  /** Operations per pipelined sample, 0 = chosen. */
  batch: number;
  /** `null` = 3, and more where adaptive sampling may open them. */
  launches: number | null;
  /** Wanted half width, a share of the figure; `null` = off, fixed counts. */
  precision: number | null;
  /** Seconds of the whole run. */
  budget: number;
  check: number;
  average: 'slowest';
  /** Seconds. */
  timeout: number;
  /** `null` = drawn and recorded. */
  seed: number | null;
  /** Microseconds, `null` = off. */
  sampleInterval: number | null;
  out: string | null;
  json: boolean;
  jsonFile: string | null;
  planOnly: boolean;
  explain: boolean;
  config: string | null;
}

export type OptionKey = keyof Options;
export const groups = [
  'Sizes',
  'What is measured',
  'Where it runs',
  'Nodes',
  'NCCL engine',
  'How it is measured',
  'Output',
] as const;

/** A value that cannot be understood: `why` completes "--min 7: ...". */
export class ValueError extends Error {}

/** One flag. Command line, config file, help, completion and docs/options.md all come from this table. */
export interface Flag<T> {
  name: string;
  /** Letter of nccl-tests, with its meaning there. */
  short?: string;
  group: (typeof groups)[number];
  /** Stands for the value in help; absent where the flag is a switch. */
  value?: string;
  /** Used when neither the command line nor the config file says anything. */
  fallback: T;
  /** The default as help shows it. */
  shown: string;
  /** What is allowed, for help and for the error. */
  allowed: string;
  help: string;
  /** A use worth copying, without `collbench allreduce`. */
  example: string;
  /** @throws {ValueError} */
  parse(text: string): T;
  /** Other reading of the value where nccl-tests means something else by its letter. */
  parseShort?(text: string): T;
  /** Words offered by completion. */
  words?: readonly string[];
}

export type Flags = { readonly [K in OptionKey]: Flag<Options[K]> };
