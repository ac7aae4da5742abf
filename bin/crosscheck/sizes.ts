import { sizeText } from '../../results/units.ts';
import { collectives, dtypeBytes } from '../../suites/collectives.ts';
import { generateSizes } from '../../suites/sizes.ts';
import type { CrosscheckOptions } from './options.ts';

type Asked = Pick<CrosscheckOptions, 'min' | 'max' | 'factor' | 'dtype'>;
type Collective = CrosscheckOptions['collectives'][number];

export interface ComparedSizes {
  /** Payloads, rising. */
  sizes: number[];
  /** Asked for and not compared, with the reason. */
  skipped: { requestedBytes: number; reason: string }[];
}

/** nccl-tests gives each rank whole multiples of so many bytes where a collective moves one part per rank. */
const grainBytes = 16;

/** Our payload of one of their rows: NCCL's count argument means the same on both sides, their size column does not. */
export const payloadOfCount = (collective: Collective, count: number, asked: Asked, ranks: number): number =>
  count * dtypeBytes[asked.dtype] * collectives[collective].parts(ranks);

/** The sizes of the sweep as nccl-tests rounds them: only what both measure can be compared. */
export function comparedSizes(collective: Collective, asked: Asked, ranks: number): ComparedSizes {
  const { min, max, factor, dtype } = asked;
  const elementBytes = dtypeBytes[dtype];
  const parts = collectives[collective].parts(ranks);
  const found: ComparedSizes = { sizes: [], skipped: [] };
  for (const requestedBytes of generateSizes({ kind: 'factor', min, max, factor }, elementBytes)) {
    const partBytes = Math.floor(requestedBytes / (grainBytes * ranks)) * grainBytes;
    const bytes = parts === 1 ? Math.floor(requestedBytes / elementBytes) * elementBytes : partBytes * parts;
    if (bytes === 0) {
      const reason = `nccl-tests rounds it to nothing on ${ranks} ranks`;
      found.skipped.push({ requestedBytes, reason });
    } else if (found.sizes.includes(bytes)) {
      found.skipped.push({ requestedBytes, reason: `nccl-tests rounds it to ${sizeText(bytes)}` });
    } else {
      found.sizes.push(bytes);
    }
  }
  return found;
}
