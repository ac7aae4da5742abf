import type { CollectiveName, DtypeName, OpName } from '../../results/schema/index.ts';

/** What `collbench crosscheck` understood. Sizes are bytes. */
export interface CrosscheckOptions {
  collectives: CollectiveName[];
  /** Folder of nccl-tests: a checkout, or where its programs lie. */
  ncclTests: string;
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
