import { crossings } from '../results/derive/crossover.ts';
import { launchInterval } from '../results/derive/launches.ts';
import { logHalf } from './comparison.ts';
import type { Group, Series } from './series.ts';
import { isOk, onDevice } from './series.ts';
import { type LaunchBoundWords, launchBoundText } from './wording.ts';

/** One size of a series that was timed on GPUs: all three times are there. */
export interface DevicePoint {
  bytes: number;
  latencyNs: number;
  pipelinedNs: number;
  /** What the host needs to queue one call. */
  launchNs: number;
  /** 95 % half widths of the logarithms; `null` without an interval. */
  latencyHalf: number | null;
  launchHalf: number | null;
  /** Operations per pipelined sample. */
  batch: number;
  /** Which of host and GPUs takes longer per call beyond the intervals; `open` where they do not tell. */
  longer: 'launch' | 'device' | 'open';
}

/** A series whose pipelined time at small sizes is that of the host. */
export interface LaunchBound {
  series: Series;
  smallest: DevicePoint;
  /** Launch cost and latency are equal at `aboutBytes`; at `at` and above the GPUs take longer, certainly so. */
  meeting: { aboutBytes: number; lowBytes: number; highBytes: number; at: DevicePoint } | null;
}

export function devicePoints(series: Series): DevicePoint[] {
  return series.slots.flatMap(({ cell, payloadBytes }) => {
    if (!isOk(cell) || cell.isolated === null || cell.pipelined === null || cell.launchCostNs === undefined)
      return [];
    const { medianNs: launchNs, launchMediansNs } = cell.launchCostNs;
    if (!(launchNs > 0)) return [];
    const latencyHalf = logHalf(cell.isolated.interval);
    const launchHalf = launchMediansNs.length < 2 ? null : logHalf(launchInterval(launchMediansNs));
    const ahead = Math.log(launchNs / cell.isolated.medianNs);
    const h = Math.hypot(latencyHalf ?? 0, launchHalf ?? 0);
    return [
      {
        bytes: payloadBytes,
        latencyNs: cell.isolated.medianNs,
        pipelinedNs: cell.pipelined.medianNs,
        launchNs,
        latencyHalf,
        launchHalf,
        batch: cell.pipelined.batch,
        longer: ahead > h ? 'launch' : ahead < -h ? 'device' : 'open',
      },
    ];
  });
}

/** @returns null where the launch hides behind the collective at the smallest size already, or calls are replayed as a graph */
export function launchBoundOf(series: Series): LaunchBound | null {
  if (series.run.plan.settings.graph === '1') return null;
  const points = devicePoints(series);
  const smallest = points[0];
  if (smallest === undefined || smallest.longer !== 'launch') return null;
  const last = points.findLastIndex((p) => p.longer !== 'device');
  const at = points[last + 1];
  if (at === undefined) return { series, smallest, meeting: null };
  const { crossings: roots } = crossings(
    points.map((p) => ({
      bytes: p.bytes,
      aNs: p.launchNs,
      bNs: p.latencyNs,
      // One launch gives the launch cost no interval; the zone is then that of the latency alone.
      aHalf: p.launchHalf ?? 0,
      bHalf: p.latencyHalf,
    })),
  );
  const root = roots.at(-1);
  if (root === undefined) return { series, smallest, meeting: null };
  const { bytes, lowBytes, highBytes } = root;
  return {
    series,
    smallest,
    meeting: { aboutBytes: bytes, lowBytes: lowBytes ?? bytes, highBytes: highBytes ?? bytes, at },
  };
}

export function launchBoundsOf(group: Group): LaunchBound[] {
  return group.series.flatMap((series) => launchBoundOf(series) ?? []);
}

/** What `launchBoundText` wants. @param over where it was seen: " over socket", or "" */
export function launchBoundWords({ smallest, meeting }: LaunchBound, over: string): LaunchBoundWords {
  const { bytes, pipelinedNs, launchNs, latencyNs, batch } = smallest;
  return {
    bytes,
    pipelinedNs,
    launchNs,
    latencyNs,
    batch,
    over,
    meeting:
      meeting === null
        ? null
        : {
            aboutBytes: meeting.aboutBytes,
            lowBytes: meeting.lowBytes,
            highBytes: meeting.highBytes,
            bytes: meeting.at.bytes,
            pipelinedNs: meeting.at.pipelinedNs,
            latencyNs: meeting.at.latencyNs,
          },
  };
}

/**
 * Once per run, for the series in which the launch outweighs the collective most; "" where the launch is hidden in all.
 * The sentences end in full stops.
 */
export function launchBoundSentence(groups: readonly Group[], micro: 'us' | 'µs' = 'us'): string {
  const excess = ({ smallest }: LaunchBound) => smallest.launchNs / smallest.latencyNs;
  const all = groups
    .filter(onDevice)
    .flatMap((group) => launchBoundsOf(group).map((bound) => ({ group, bound })));
  const [most] = all.toSorted((a, b) => excess(b.bound) - excess(a.bound));
  if (most === undefined) return '';
  const title = groups.length > 1 ? ` (${most.group.title})` : '';
  const over = most.group.series.length > 1 ? ` over ${most.bound.series.name}` : '';
  return launchBoundText(launchBoundWords(most.bound, over + title), micro);
}
