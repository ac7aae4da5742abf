import type { CellRecord } from '../schema/index.ts';

export type Regime = 'small' | 'mid' | 'large';

/** Sizes that behave alike (stats.md 3.3): up to 32 KiB, below 4 MiB, from there. */
export function regimeOf(payloadBytes: number): Regime {
  if (payloadBytes <= 32 * 1024) return 'small';
  return payloadBytes < 4 * 1024 * 1024 ? 'mid' : 'large';
}

export const regimeText: Record<Regime, string> = {
  small: 'up to 32 KiB',
  mid: 'between 32 KiB and 4 MiB',
  large: 'from 4 MiB',
};

type Identity = Pick<CellRecord, 'id' | 'nodes' | 'medium'>;

/**
 * What all cells of a series have in common, equal in every run that measures it: the id without its bytes, then nodes and
 * medium. "allreduce/float32/sum/out/r-/2/cpu/socket/1n/hardware"
 */
export function seriesKeyOf({ id, nodes, medium }: Identity): string {
  const parts = id.split('/');
  parts.splice(5, 1);
  return [...parts, `${nodes}n`, medium].join('/');
}

export interface CellGroup {
  /** Equal for equal series and regime in every run. */
  key: string;
  series: string;
  regime: Regime;
}

/** Series and regime of a cell: what is tested as one, and learns its scatter as one. */
export function groupOf(cell: Identity & Pick<CellRecord, 'payloadBytes'>): CellGroup {
  const series = seriesKeyOf(cell);
  const regime = regimeOf(cell.payloadBytes);
  return { key: `${series}/${regime}`, series, regime };
}
