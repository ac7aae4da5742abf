import { quantileSorted } from 'simple-statistics';
import { operationTimes } from '../derive/cells/operation-times.ts';
import type { LoadedRun } from '../store/types.ts';

/** With at least this many blocks the first one is left out: its operations warm up caches and connections. */
const minRounds = 3;

/**
 * Returns, by id of the configuration, the lower quartile of its isolated times in a run of one launch, ns. Samples that other
 * programs delayed lie above the lower quartile, even if they are most of the samples. Between paired launches on a busy machine
 * the lower quartile scatters by half as much as the median. The first of three or more blocks is left out. Configurations without
 * isolated samples are absent, and so are all if the ranks are divided into groups. Errors of reading the stored samples are passed
 * on.
 */
export async function lowTimesOf({
  record: { plan },
  cells,
  blocks,
}: Pick<LoadedRun, 'record' | 'cells' | 'blocks'>): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  if (plan.groups !== undefined) return times;
  const rounds = new Map<string, number[][]>();
  for await (const block of blocks()) {
    if (block.trial !== 'isolated') continue;
    const key = `${block.point} ${plan.transports[block.transport]?.name}`;
    rounds.set(key, [...(rounds.get(key) ?? []), operationTimes(block).ns]);
  }
  for (const { id, point, transport } of cells) {
    const own = rounds.get(`${point} ${transport}`) ?? [];
    const sorted = (own.length < minRounds ? own : own.slice(1)).flat().sort((a, b) => a - b);
    const low = sorted.length === 0 ? 0 : quantileSorted(sorted, 0.25);
    if (low > 0) times.set(id, low);
  }
  return times;
}
