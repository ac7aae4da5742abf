import { median } from 'simple-statistics';
import {
  type BlockRecord,
  type CellBeside,
  loadKinds,
  loadOf,
  type OkCell,
  type TrialName,
  timedTrialNames,
} from '../schema/index.ts';

/** Units per nanosecond of all ranks together. */
function rate(block: BlockRecord, units: 'aloneUnits' | 'timedUnits', ns: 'aloneNs' | 'timedNs'): number {
  return (block.beside ?? []).reduce((sum, one) => sum + (one[ns] > 0 ? one[units] / one[ns] : 0), 0);
}

/** What worked beside the blocks of one cell, and how fast; nothing where nothing did. @param word as requested */
export function besideOf(
  word: string | undefined,
  blocks: readonly BlockRecord[],
): Pick<OkCell, 'beside'> {
  const load = word === undefined ? null : loadOf(word);
  const loaded = blocks.filter(({ beside }) => beside !== undefined);
  const [first] = loaded;
  if (word === undefined || load === null || first === undefined) return {};
  return {
    beside: {
      word,
      workers: (first.beside ?? []).reduce((sum, { workers }) => sum + workers, 0),
      unit: loadKinds[load.name].unit,
      trials: timedTrialNames.flatMap((trial) => trialOf(trial, loaded)),
    },
  };
}

/** Blocks of a launch weigh by the time that was timed in them. */
function trialOf(trial: TrialName, loaded: readonly BlockRecord[]): CellBeside['trials'] {
  const launches = new Map<number, BlockRecord[]>();
  for (const block of loaded)
    if (block.trial === trial) launches.set(block.launch, [...(launches.get(block.launch) ?? []), block]);
  const rates = [...launches.values()].map((blocks) => {
    const weights = blocks.map(({ beside = [] }) => beside.reduce((sum, { timedNs }) => sum + timedNs, 0));
    const all = weights.reduce((sum, weight) => sum + weight, 0);
    const mean = (of: (block: BlockRecord) => number): number =>
      all === 0 ? 0 : blocks.reduce((sum, block, i) => sum + of(block) * (weights[i] ?? 0), 0) / all;
    return {
      alone: mean((block) => rate(block, 'aloneUnits', 'aloneNs')),
      timed: mean((block) => rate(block, 'timedUnits', 'timedNs')),
    };
  });
  const known = rates.filter(({ alone }) => alone > 0);
  if (known.length === 0) return [];
  return [
    {
      trial,
      alone: median(known.map(({ alone }) => alone)),
      timed: median(known.map(({ timed }) => timed)),
      keptShares: known.map(({ alone, timed }) => timed / alone),
    },
  ];
}
