// Groups of ranks that worked at the same time: which is slowest, and what all did together.
import type { OkCell, RunRecord } from '../results/schema/index.ts';
import type { Group, Series } from './series.ts';
import { figuresOf, isOk } from './series.ts';
import { formatBandwidth, formatBytes, formatPercent, formatRatio, plural } from './wording.ts';

/** One group of ranks at one size. */
export interface MemberAt {
  name: string;
  ranks: readonly number[];
  medianNs: number;
  interval: { lowNs: number; highNs: number } | null;
}

/** All groups of ranks of one run at one size over one transport; there only where each has a figure. */
export interface SideBySide {
  run: RunRecord;
  transport: string;
  bytes: number;
  members: number;
  slowest: MemberAt;
  fastest: MemberAt;
  /** Slowest over fastest median. */
  ratio: number;
  /** The slowest lies above all others with its whole 95 % interval. */
  standsOut: boolean;
  /** Sum over the groups of their bus bandwidths, GB/s. */
  aggregateGBps: number;
  /** Smallest part of its time in which a group worked beside all others. */
  overlap: number;
}

/** In the order of transports, then sizes; empty without groups of ranks. */
export function sideBySideOf({ series, trial }: Group): SideBySide[] {
  const families = new Map<string, Series[]>();
  for (const one of series) {
    if (one.member === null) continue;
    const key = `${one.run.id}/${one.transport}`;
    families.set(key, [...(families.get(key) ?? []), one]);
  }
  return [...families.values()].flatMap((family) => {
    const sizes = family[0]?.slots.map(({ payloadBytes }) => payloadBytes) ?? [];
    return [...new Set(sizes)].flatMap((bytes) => sideBySideAt(family, bytes, trial) ?? []);
  });
}

function sideBySideAt(family: readonly Series[], bytes: number, trial: Group['trial']): SideBySide | null {
  const cells = family.map((one) => one.slots.find((slot) => slot.payloadBytes === bytes)?.cell ?? null);
  const there = family.flatMap((one, i) => {
    const figures = figuresOf(cells[i] ?? null, trial);
    if (one.member === null || figures === null) return [];
    const { medianNs, interval, busGBps } = figures;
    return [{ ...one.member, medianNs, interval, busGBps, overlap: (cells[i] as OkCell).overlap ?? 0 }];
  });
  const order = [...there].sort((a, b) => b.medianNs - a.medianNs);
  const [slowest, second] = order;
  const fastest = order.at(-1);
  const [first] = family;
  if (first === undefined || slowest === undefined || fastest === undefined || there.length < family.length)
    return null;
  const { interval } = slowest;
  const others = order.slice(1);
  return {
    run: first.run,
    transport: first.transport,
    bytes,
    members: there.length,
    slowest,
    fastest,
    ratio: slowest.medianNs / fastest.medianNs,
    standsOut:
      second !== undefined &&
      interval !== null &&
      others.every((one) => one.interval !== null && one.interval.highNs < interval.lowNs),
    aggregateGBps: there.reduce((sum, one) => sum + one.busGBps, 0),
    overlap: Math.min(...there.map(({ overlap }) => overlap)),
  };
}

/** One per transport, without a full stop; none without groups of ranks. */
export function sideBySideSentences(groups: readonly Group[]): string[] {
  return groups.flatMap((group) => {
    const all = sideBySideOf(group);
    const families = new Map<string, SideBySide[]>();
    for (const one of all) {
      const key = `${one.run.id}/${one.transport}`;
      families.set(key, [...(families.get(key) ?? []), one]);
    }
    const title = groups.length > 1 ? `${group.title}: ` : '';
    return [...families.values()].map((sizes) => title + sentenceOf(sizes));
  });
}

function sentenceOf(sizes: readonly SideBySide[]): string {
  const largest = sizes.at(-1) as SideBySide;
  const { transport, members, aggregateGBps, bytes } = largest;
  const overlap = Math.min(...sizes.map((one) => one.overlap));
  return [
    `${plural(members, 'group')} at the same time over ${transport}: ${slowestOf(sizes)}`,
    `together ${formatBandwidth(aggregateGBps)} of bus bandwidth at ${formatBytes(bytes)}, the sum of all groups`,
    `side by side at least ${formatPercent(overlap)} of the time`,
  ].join('; ');
}

/** Who is slowest where it is certain, else who was at the largest size. */
function slowestOf(sizes: readonly SideBySide[]): string {
  const certain = sizes.filter(({ standsOut }) => standsOut);
  const times = new Map<string, SideBySide[]>();
  for (const one of certain) times.set(one.slowest.name, [...(times.get(one.slowest.name) ?? []), one]);
  const [name, mine] = [...times].sort((a, b) => b[1].length - a[1].length)[0] ?? [];
  const last = mine?.at(-1);
  if (name === undefined || mine === undefined || last === undefined) {
    const { slowest, fastest, bytes } = sizes.at(-1) as SideBySide;
    return slowest.name === fastest.name
      ? `${slowest.name} alone`
      : `no group is slowest beyond its interval at any size (at ${formatBytes(bytes)} ${slowest.name} comes last)`;
  }
  const where =
    mine.length === sizes.length ? 'every size' : `${mine.length} of ${plural(sizes.length, 'size')}`;
  return `${name} (ranks ${last.slowest.ranks.join(', ')}) is slowest at ${where}, ${formatRatio(last.ratio)} the time of ${last.fastest.name} at ${formatBytes(last.bytes)}`;
}

/** The groups whose ranks a table or a legend tells apart. */
export const hasMembers = (group: Group): boolean =>
  group.series.some((one) => one.member !== null && one.slots.some(({ cell }) => isOk(cell)));
