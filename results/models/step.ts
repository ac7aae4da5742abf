import { groupWord, type JobItem } from '../schema/index.ts';
import type { SizePoint } from './points.ts';

/**
 * Predicted durations in one training step of a job, ns: the whole step; the part of it spent waiting for collectives; and the sum
 * of the collectives' times.
 */
export interface StepTimes {
  stepNs: number;
  /** Part of the step in which nothing is computed, because computation waits for collectives to end. */
  exposedNs: number;
  collectivesNs: number;
}

type StepCall = Extract<JobItem, { do: 'call' }>;

/**
 * Computes the time of a job's training step without measuring it. Collective k of a group of ranks starts when the program has
 * issued it and collective k-1 of the group has ended. A `wait`, and the step itself, end when all collectives issued so far have
 * ended. That computations and collectives slow each other down is not included.
 * @param items computations, calls and waits of the step, in the program's order
 * @param timeNs returns the time of a call without concurrent work, ns
 */
export function stepTimes(items: readonly JobItem[], timeNs: (call: StepCall) => number): StepTimes {
  let [now, exposedNs, collectivesNs] = [0, 0, 0];
  const busyUntil = new Map<string, number>();
  const wait = () => {
    const end = Math.max(now, ...busyUntil.values());
    exposedNs += end - now;
    now = end;
  };
  for (const item of items) {
    if (item.do === 'compute') now += item.ns;
    else if (item.do === 'wait') wait();
    else {
      const ns = timeNs(item);
      const group = item.group === undefined ? '' : groupWord(item.group);
      busyUntil.set(group, Math.max(now, busyUntil.get(group) ?? 0) + ns);
      collectivesNs += ns;
    }
  }
  wait();
  return { stepNs: now, exposedNs, collectivesNs };
}

/**
 * Returns the time of a collective at any size in ns. Between measured sizes, log time is interpolated linearly in log size. Above
 * the largest size its bandwidth is used, below the smallest size its time. Null without points.
 * @param points by ascending size
 * @param bytes payload
 * @param side 0 = the value; -1 and 1 = the lower and the upper end of its 95 % interval, if there is one
 */
export function interpolateTime(
  points: readonly SizePoint[],
  bytes: number,
  side: -1 | 0 | 1 = 0,
): number | null {
  const at = ({ timeNs, half }: SizePoint): number => timeNs * Math.exp(side * (half ?? 0));
  const above = points.findIndex((point) => point.bytes >= bytes);
  const [low, high] = above < 0 ? [points.at(-1), undefined] : [points[above - 1], points[above]];
  if (low === undefined) return high === undefined ? null : at(high);
  if (high === undefined) return at(low) * (bytes / low.bytes);
  const share = Math.log(bytes / low.bytes) / Math.log(high.bytes / low.bytes);
  return at(low) * (at(high) / at(low)) ** share;
}
