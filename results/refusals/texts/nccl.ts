// Refusal messages about GPUs and about libnccl.
import { bytesText } from '../../units.ts';
import { cannotRunHere, invalid, type OptionChange, type RefusalWording } from '../wording.ts';

export interface RanksOverGpus {
  ranks: number;
  gpus: number;
  /** Text that says which GPUs the machine has; the message includes it. */
  there: string;
  /** Changed options with which the same command would run on this machine; null = there are none. */
  instead: OptionChange['change'] | null;
}

const ranksRefused = ({
  collective,
  why,
  ranks,
  instead,
}: {
  collective: string;
  why: string;
  ranks: number;
  /** Changed options with which the same command would run on this machine; null = there are none. */
  instead: OptionChange['change'] | null;
}): RefusalWording => ({
  message: `${collective} ${why}, not ${ranks}`,
  ...(instead === null
    ? { details: ['this machine has too few GPUs for that'] }
    : { next: { change: instead } }),
});

export const ncclTexts = {
  'gpu-named-twice': invalid(({ gpus, gpu }: { gpus: readonly number[]; gpu: number }) => ({
    message: `--gpus ${gpus.join(',')}: GPU ${gpu} is named twice`,
    details: ['allowed: each GPU once; with --share-gpu ranks may share one'],
    next: { change: { gpus: [...new Set(gpus)].join(',') } },
  })),
  'no-such-gpu': cannotRunHere(
    (values: {
      gpus: readonly number[];
      gpu: number;
      /** Text that says which GPUs the machine has; the message includes it. `count` is their number. */
      there: string;
      count: number;
    }) => ({
      message: `--gpus ${values.gpus.join(',')}: there is no GPU ${values.gpu}, this machine has ${values.there}`,
      details: [`allowed: ${values.count === 1 ? '0' : `0 to ${values.count - 1}`}`],
      next: { change: { gpus: null } },
    }),
  ),
  'ranks-over-gpus': cannotRunHere(
    ({ ranks, gpus, there, instead }: RanksOverGpus): RefusalWording => ({
      message: `${ranks} ranks need ${ranks} GPUs; this machine has ${there}`,
      details: [
        `allowed: up to ${gpus} ranks, one for each GPU; more with --share-gpu (over socket, sisci and plugins)`,
      ],
      ...(instead === null ? {} : { next: { change: instead } }),
    }),
  ),
  'ranks-over-named-gpus': invalid(
    ({ ranks, gpus, there, instead }: RanksOverGpus): RefusalWording => ({
      message: `${ranks} ranks need ${ranks} GPUs; --gpus names ${gpus} of ${there}`,
      details: [
        `allowed: up to ${gpus} ranks, one for each GPU; more with --share-gpu (over socket, sisci and plugins)`,
      ],
      ...(instead === null ? {} : { next: { change: instead } }),
    }),
  ),
  'collective-refuses-ranks': invalid(ranksRefused),
  'collective-refuses-gpus': cannotRunHere(ranksRefused),
  'float8-needs-nccl': cannotRunHere(
    ({ dtype, version, others }: { dtype: string; version: string; others: readonly string[] }) => ({
      message: `--dtype ${dtype} needs NCCL 2.24 or newer, and this is ${version}`,
      next: { change: { dtype: otherTypes(others) } },
    }),
  ),
  'float8-needs-gpu': cannotRunHere(
    (values: {
      dtype: string;
      /** The unsuitable GPU; `capability` is its compute capability times ten. */
      gpu: { number: number; name: string; capability: number };
      others: readonly string[];
    }) => ({
      message: `--dtype ${values.dtype}: NCCL reduces it from compute capability 9.0 on, GPU ${values.gpu.number} (${values.gpu.name}) has ${values.gpu.capability / 10}`,
      next: { change: { dtype: otherTypes(values.others) } },
    }),
  ),
  'nccl-has-no-series': invalid(
    ({ collective, leftOut }: { collective: string; leftOut: readonly string[] }) => ({
      message: `NCCL cannot run ${collective} as --algo and --proto say`,
      details: leftOut,
      next: { change: { algo: null, proto: null } },
    }),
  ),
  'engine-has-no-series': invalid(
    (values: { engine: string; collective: string; leftOut: readonly string[] }) => ({
      message: `the ${values.engine} engine cannot run ${values.collective} with these options`,
      details: values.leftOut,
      next: { change: { algo: null, proto: null } },
    }),
  ),
  'gpu-memory-per-size': cannotRunHere(
    ({ needs, gpu, has, max }: { needs: number; gpu: string; has: number; max: string | null }) => ({
      message: `the largest size needs ${bytesText(needs)} on each GPU; ${gpu} has ${bytesText(has)}`,
      details: [
        'allowed: buffers of all ranks on a GPU, and 1 GiB for each rank, within its memory',
        ...(max === null ? ['use smaller sizes'] : []),
      ],
      ...(max === null ? {} : { next: { change: { max } } }),
    }),
  ),
  'gpu-memory-of-launches': cannotRunHere(
    ({ launches, needs, gpu, has }: { launches: number; needs: number; gpu: string; has: number }) => ({
      message: `${launches} launches held open need about ${bytesText(needs)} on each GPU; ${gpu} has ${bytesText(has)}`,
      details: ['use fewer --launches, fewer of --transport, --algo and --proto at a time, or lower --max'],
    }),
  ),
};

const otherTypes = (others: readonly string[]): string =>
  others.length === 0 ? 'bfloat16' : others.join(',');
