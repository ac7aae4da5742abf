import type { TrialFigures } from '../results/schema/index.ts';
import { logHalf } from './comparison.ts';
import type { Group, Series } from './series.ts';
import { figuresOf } from './series.ts';
import { formatBytesShort, formatPercent, formatTime, joinWords, seriesParts } from './wording.ts';

/** Fastest choice of algorithm and protocol at one size, with those whose intervals overlap with its own. */
export interface Best {
  /** The fastest first; more than one is a tie. */
  names: string[];
  medianNs: number;
  interval: TrialFigures['interval'];
}

export interface BestRow {
  bytes: number;
  latency: Best | null;
  pipelined: Best | null;
}

/** A transport that was measured with several algorithms or protocols in one group. */
export interface Sweep {
  group: Group;
  /** "socket", in reports of several runs "7f3a2c socket". */
  name: string;
  choices: number;
  rows: BestRow[];
}

export const ncclsChoice = "NCCL's choice";

export function sweepsOf(group: Group): Sweep[] {
  const families = new Map<string, Series[]>();
  for (const series of group.series) {
    const key = `${series.run.id}/${seriesParts(series.transport).transport}/${series.member?.name ?? ''}`;
    families.set(key, [...(families.get(key) ?? []), series]);
  }
  return [...families.values()].flatMap((family) => {
    const first = family[0];
    if (first === undefined || family.length < 2) return [];
    if (family.every((s) => seriesParts(s.transport).choice === null)) return [];
    const sizes = [...new Set(family.flatMap((s) => s.slots.map((slot) => slot.payloadBytes)))].sort(
      (a, b) => a - b,
    );
    const rows = sizes.flatMap((bytes): BestRow[] => {
      const latency = bestAt(family, bytes, 'isolated');
      const pipelined = bestAt(family, bytes, 'pipelined');
      return latency === null && pipelined === null ? [] : [{ bytes, latency, pipelined }];
    });
    const suffix = seriesParts(first.transport).choice;
    const name = suffix === null ? first.name : first.name.slice(0, -1 - suffix.length);
    return rows.length === 0 ? [] : [{ group, name, choices: family.length, rows }];
  });
}

function bestAt(family: readonly Series[], bytes: number, trial: 'isolated' | 'pipelined'): Best | null {
  const measured = family
    .flatMap((series) => {
      const figures = figuresOf(series.slots.find((s) => s.payloadBytes === bytes)?.cell ?? null, trial);
      const name = seriesParts(series.transport).choice ?? ncclsChoice;
      return figures === null ? [] : [{ name, ...figures }];
    })
    .sort((a, b) => a.medianNs - b.medianNs);
  const fastest = measured[0];
  if (fastest === undefined) return null;
  const { medianNs, interval } = fastest;
  // Without intervals nothing can be told apart, and nothing is called a tie: the text says so instead.
  const tied = measured.filter(
    (m) => m === fastest || (interval !== null && m.interval !== null && m.interval.lowNs <= interval.highNs),
  );
  return { names: tied.map((m) => m.name), medianNs, interval };
}

/** Neighbouring sizes with the same winners by one of the two times. */
export interface BestStretch {
  firstBytes: number;
  lastBytes: number;
  /** One per size; never empty. */
  best: Best[];
}

export function stretchesOf(rows: readonly BestRow[], side: 'latency' | 'pipelined'): BestStretch[] {
  const stretches: BestStretch[] = [];
  const winners = (best: Best | undefined) => JSON.stringify(best?.names.toSorted());
  for (const { bytes, [side]: best } of rows) {
    if (best === null) continue;
    const before = stretches.at(-1);
    if (before === undefined || winners(before.best[0]) !== winners(best)) {
      stretches.push({ firstBytes: bytes, lastBytes: bytes, best: [best] });
    } else {
      before.lastBytes = bytes;
      before.best.push(best);
    }
  }
  return stretches;
}

/** "ring/LL", "tie: ring/LL, tree/LL", "ring/LL (no interval)". */
export function winnersText({ names, interval }: Best): string {
  if (names.length > 1) return `tie: ${names.join(', ')}`;
  return `${names[0] ?? ''}${interval === null ? ' (no interval)' : ''}`;
}

/** "5.90 us ±0.8 %", of a stretch "5.90 us to 6.60 us ±1.1 %" with the widest interval. */
export function bestTimes(best: readonly Best[], micro: 'us' | 'µs' = 'us'): string {
  const [first, last] = [best[0], best.at(-1)];
  if (first === undefined || last === undefined) return '-';
  const halves = best.map((b) => logHalf(b.interval)).filter((h) => h !== null);
  const spread = halves.length < best.length ? '' : ` ±${formatPercent(Math.max(...halves))}`;
  const [low, high] = [formatTime(first.medianNs, micro), formatTime(last.medianNs, micro)];
  return best.length === 1 || low === high ? `${low}${spread}` : `${low} to ${high}${spread}`;
}

/** "8", "8 to 4K". */
export function stretchSizes({ firstBytes, lastBytes }: BestStretch): string {
  const [first, last] = [formatBytesShort(firstBytes), formatBytesShort(lastBytes)];
  return first === last ? first : `${first} to ${last}`;
}

/** One per sweep, without a full stop: "fastest over socket by latency: ring/LL (8 to 4K) and ring/Simple (8K to 1G)". */
export function bestSentences(groups: readonly Group[]): string[] {
  return groups.flatMap((group) =>
    sweepsOf(group).map(({ name, rows }) => {
      const side = rows.some((r) => r.latency !== null) ? 'latency' : 'pipelined';
      const parts = stretchesOf(rows, side).map(
        (stretch) =>
          `${stretch.best[0] === undefined ? '' : winnersText(stretch.best[0])} (${stretchSizes(stretch)})`,
      );
      const title = groups.length > 1 ? `${group.title}: ` : '';
      return `${title}fastest over ${name} by ${side === 'latency' ? 'latency' : 'pipelined time'}: ${joinWords(parts)}`;
    }),
  );
}
