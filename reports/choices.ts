// Texts about the paths and evidence of cells.
import type { OkCell } from '../results/schema/index.ts';
import { formatCount } from './wording.ts';

/**
 * Returns the kinds of paths between ranks that NCCL used, each with the highest number of such paths in any configuration:
 * "P2P/CUMEM × 48". "–" if none is known.
 */
export function pathsText(cells: readonly OkCell[]): string {
  const most = new Map<string, number>();
  for (const [path, n] of cells.flatMap((c) => Object.entries(c.pathsSeen ?? {})))
    most.set(path, Math.max(n, most.get(path) ?? 0));
  if (most.size === 0) return '–';
  return [...most].map(([path, n]) => `${path} × ${formatCount(n)}`).join(', ');
}

/**
 * Returns whether byte counters show that the requested transport carried the data: "confirmed", "unproven" or "contradicted".
 * If configurations differ, returns each verdict with the number of its configurations.
 */
export function verdictText(cells: readonly OkCell[]): string {
  const counts = new Map<string, number>();
  for (const { evidence } of cells) counts.set(evidence.verdict, (counts.get(evidence.verdict) ?? 0) + 1);
  return counts.size === 1
    ? ([...counts.keys()][0] ?? '')
    : [...counts].map(([verdict, n]) => `${verdict} ${n}`).join(', ');
}
