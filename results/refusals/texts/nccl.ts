// GPUs and a libnccl.
import { bytesText } from '../../units.ts';
import { cannotRunHere, invalid } from '../wording.ts';

const ranksRefused = ({
  collective,
  why,
  ranks,
  other,
  engine,
}: {
  collective: string;
  why: string;
  ranks: number;
  /** A number that it runs with. */
  other: number;
  engine: string;
}) => ({
  message: `${collective} ${why} of ranks, not ${ranks}`,
  next: `collbench ${collective}${engine === 'cpu' ? '' : ` --engine ${engine}`} --ranks ${other}`,
});

export const ncclTexts = {
  'gpu-named-twice': invalid(({ gpus, gpu }: { gpus: readonly number[]; gpu: number }) => ({
    message: `--gpus ${gpus.join(',')}: GPU ${gpu} is named twice`,
    details: ['allowed: each GPU once; with --share-gpu ranks may share one'],
  })),
  'no-such-gpu': cannotRunHere(
    ({
      gpus,
      gpu,
      there,
      count,
    }: {
      gpus: readonly number[];
      gpu: number;
      /** GPUs of the machine in words, and how many. */
      there: string;
      count: number;
    }) => ({
      message: `--gpus ${gpus.join(',')}: there is no GPU ${gpu}, this machine has ${there}`,
      details: [`allowed: ${count === 1 ? '0' : `0 to ${count - 1}`}`],
    }),
  ),
  'ranks-over-gpus': cannotRunHere(
    ({ ranks, gpus, there }: { ranks: number; gpus: number; there: string }) => ({
      message: `${ranks} ranks need ${ranks} GPUs; this machine has ${there}`,
      details: [`allowed: up to ${gpus} ranks, one for each GPU`],
      next: `--ranks ${gpus}, or --share-gpu (socket, sisci and plugins only)`,
    }),
  ),
  'ranks-over-named-gpus': invalid(
    ({ ranks, gpus, there }: { ranks: number; gpus: number; there: string }) => ({
      message: `${ranks} ranks need ${ranks} GPUs; --gpus names ${gpus} of ${there}`,
      details: [`allowed: up to ${gpus} ranks, one for each GPU`],
      next: `--ranks ${gpus}, more --gpus, or --share-gpu (socket, sisci and plugins only)`,
    }),
  ),
  'collective-refuses-ranks': invalid(ranksRefused),
  'collective-refuses-gpus': cannotRunHere(ranksRefused),
  'float8-needs-nccl': cannotRunHere(
    ({ dtype, version, others }: { dtype: string; version: string; others: readonly string[] }) => ({
      message: `--dtype ${dtype} needs NCCL 2.24 or newer, and this is ${version}`,
      next: `--dtype ${instead(others)}`,
    }),
  ),
  'float8-needs-gpu': cannotRunHere(
    ({
      dtype,
      gpu,
      others,
    }: {
      dtype: string;
      /** Compute capability times ten. */
      gpu: { number: number; name: string; capability: number };
      others: readonly string[];
    }) => ({
      message: `--dtype ${dtype}: NCCL reduces it from compute capability 9.0 on, GPU ${gpu.number} (${gpu.name}) has ${gpu.capability / 10}`,
      next: `--dtype ${instead(others)}`,
    }),
  ),
  'nccl-has-no-series': invalid(
    ({ collective, leftOut }: { collective: string; leftOut: readonly string[] }) => ({
      message: `NCCL cannot run ${collective} as --algo and --proto say`,
      details: leftOut,
      next: `collbench ${collective} --engine nccl`,
    }),
  ),
  'engine-has-no-series': invalid(
    ({
      engine,
      collective,
      leftOut,
    }: {
      engine: string;
      collective: string;
      leftOut: readonly string[];
    }) => ({
      message: `the ${engine} engine cannot run ${collective} with these options`,
      details: leftOut,
      next: `collbench ${collective} --engine ${engine}`,
    }),
  ),
  'gpu-memory-per-size': cannotRunHere(
    ({ needs, gpu, has }: { needs: number; gpu: string; has: number }) => ({
      message: `the largest size needs ${bytesText(needs)} on each GPU; ${gpu} has ${bytesText(has)}`,
      details: ['allowed: buffers of all ranks on a GPU, and 1 GiB for each rank, within its memory'],
      next: 'lower --max',
    }),
  ),
  'gpu-memory-of-launches': cannotRunHere(
    ({ launches, needs, gpu, has }: { launches: number; needs: number; gpu: string; has: number }) => ({
      message: `${launches} launches held open need about ${bytesText(needs)} on each GPU; ${gpu} has ${bytesText(has)}`,
      next: 'fewer --launches, fewer of --transport, --algo and --proto at a time, or lower --max',
    }),
  ),
};

const instead = (others: readonly string[]): string => (others.length === 0 ? 'bfloat16' : others.join(','));
