import type { PredictedStep } from '../../reports/terminal/step-model.ts';
import type { StepTime } from '../../results/models/step-check.ts';
import { timeNs, ValueError } from '../../suites/options/values.ts';

/** Measured times of a training step, from option --measured: the name of a run, or times as typed, one per transport. */
export type StepTimesSource = { run: string } | { times: StepTime[] };

/**
 * Parses the value of --measured: step times by transport, such as "p2p=21.9ms,socket=44.2ms". A value without "=" is the name of a
 * run.
 * @throws ValueError if an item is not TRANSPORT=TIME, a time is 0, or a transport has two times
 */
export function measuredSteps(text: string): StepTimesSource {
  if (!text.includes('=')) return { run: text };
  const times = text.split(',').map((word): StepTime => {
    const [, transport, time = ''] = /^([^=]+)=(.+)$/.exec(word.trim()) ?? [];
    const ns = timeNs(time);
    if (transport === undefined || ns === null || ns === 0)
      throw new ValueError(`'${word.trim()}' is no TRANSPORT=TIME`);
    return { transport, medium: 'unknown', ns, lowNs: null, highNs: null };
  });
  const names = times.map(({ transport }) => transport);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw new ValueError(`'${twice}' has two times`);
  return { times };
}

export const predictedTime = ({ transport, medium, predicted, lowNs, highNs }: PredictedStep): StepTime => ({
  transport,
  medium,
  ns: predicted.stepNs,
  lowNs,
  highNs,
});

/**
 * Matches predicted and measured step times of training jobs by the name of the job. If no name matches, but there is exactly one
 * predicted and one measured job, these two are matched. [] if nothing matches.
 * @param predicted step times by job name, one per transport
 * @param measured the same, or the step times of a single job without a name
 */
export function pairJobs(
  predicted: ReadonlyMap<string, StepTime[]>,
  measured: ReadonlyMap<string, StepTime[]> | StepTime[],
): { job: string; predicted: StepTime[]; measured: StepTime[] }[] {
  const all = [...predicted].map(([job, times]) => ({ job, predicted: times }));
  const [only] = all;
  const one = measured instanceof Map ? [...measured.values()] : [measured as StepTime[]];
  const byName = measured instanceof Map ? measured : new Map<string, StepTime[]>();
  const named = all.flatMap((each) => {
    const times = byName.get(each.job);
    return times === undefined ? [] : [{ ...each, measured: times }];
  });
  if (named.length > 0 || all.length !== 1 || one.length !== 1 || only === undefined) return named;
  return [{ ...only, measured: one[0] ?? [] }];
}
