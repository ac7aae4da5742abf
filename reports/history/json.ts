import type { TimeLevel } from '../../results/history/levels.ts';
import { stateOf, unconfirmedStep } from '../../results/history/state.ts';
import type { Trend } from '../../results/history/trend.ts';
import type { TrendReport } from '../../results/history/trend-report.ts';
import { levelOf, pastStepText, trialOfTrend, unconfirmedStepText } from './texts.ts';

const figure = ({ log, interval, launches }: TimeLevel, unit: 'Ns' | 'Ratio') => ({
  [unit === 'Ns' ? 'timeNs' : 'ratio']: Math.exp(log),
  [`low${unit}`]: interval === null ? null : Math.exp(interval.low),
  [`high${unit}`]: interval === null ? null : Math.exp(interval.high),
  launches,
});

/**
 * Returns the history of one series, night by night, as object for --json: times in ns, ratios of times, nights oldest first.
 * Nights before `since` are left out.
 */
export function trendJson({ trend, explained, since }: TrendReport): object {
  const { group, series, regime, medium, title, kind, open, leftOut } = trend;
  const trial = trialOfTrend(trend);
  const dateOf = (i: number): string | null => trend.nights[i]?.night ?? null;
  return {
    type: 'trend',
    ...{ group, series, regime, medium, title, trial, kind },
    nights: trend.nights
      .filter(({ night }) => night >= since)
      .map((night) => ({
        night: night.night,
        ...figure(night.time, 'Ns'),
        ...(night.ratio === null ? {} : { ratioToAnchor: figure(night.ratio, 'Ratio') }),
        runs: night.runs.map(({ id }) => id),
        marks: [...night.notes, ...night.warnings],
        open: night.open,
      })),
    changes: explained.map(({ change, before, after, changed, machine }) => {
      const { night, foundNight, shift, p, rule, first, last, inAnchor } = change;
      return {
        ...{ night, foundNight, rule, p, inAnchor },
        ratio: Math.exp(shift),
        firstPossible: dateOf(first),
        lastPossible: dateOf(last),
        before: before.runs.at(-1)?.id ?? null,
        after: after.runs[0]?.id ?? null,
        changed,
        machineChanged: machine.changed,
      };
    }),
    modes: trend.modes.map(({ from, to, fast, slow, slowNights, switches }) => ({
      ...{ from: dateOf(from), to: dateOf(to - 1), slowNights, switches },
      ...{ fast: Math.exp(fast), slow: Math.exp(slow) },
    })),
    unconfirmed: unconfirmedJson(trend),
    sizes: stateOf(trend, since).sizes,
    past: stateOf(trend, since).past.map((step) => ({
      from: step.night,
      overSince: step.overNight,
      ratio: step.ratio,
      isSeenAgain: step.isSeenAgain,
      sentence: pastStepText(trend, step),
    })),
    open,
    leftOut,
  };
}

/**
 * Returns a change of time in the newest nights that is not proven yet, as an object for --json with the reason; null if there is
 * none.
 */
function unconfirmedJson(trend: Trend): object | null {
  const step = unconfirmedStep(trend, trend.segments.at(-1));
  return step === null
    ? null
    : {
        night: step.night,
        ratio: step.ratio,
        isSeenAgain: step.isSeenAgain,
        sentence: unconfirmedStepText(trend, step),
      };
}

/**
 * Returns a summary of the history of one series (its times night by night) as object for --json. Its times are in ns.
 * @param since first night (YYYY-MM-DD) whose confirmed change is reported; "" = all. An unconfirmed change is always reported
 */
export function listJson({ trend, explained }: TrendReport, since = ''): object {
  const { group, series, regime, medium, title, kind, nights, changes } = trend;
  const trial = trialOfTrend(trend);
  const last = nights.at(-1);
  const change = changes.findLast(({ night }) => night >= since);
  return {
    type: 'series',
    ...{ group, series, regime, medium, title, trial, kind },
    nights: nights.length,
    latest:
      last === undefined
        ? null
        : { night: last.night, ...figure(levelOf(last, trend), kind === 'time' ? 'Ns' : 'Ratio') },
    lastChange:
      change === undefined
        ? null
        : {
            ...{ night: change.night, ratio: Math.exp(change.shift), inAnchor: change.inAnchor },
            machineChanged: explained.find((one) => one.change === change)?.machine.changed ?? [],
          },
    unconfirmed: unconfirmedJson(trend),
  };
}
