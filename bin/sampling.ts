// How a run samples, from the options: until the figures are precise, or as many as were asked for.
import type { SamplingPlan } from '../results/schema/index.ts';
import { CommandError } from './exit.ts';
import type { Said } from './measuring-options.ts';
import type { OptionKey, Options } from './options/index.ts';

export const usualLaunches = 3;
/** Their processes wait beside those that measure: more would be felt. */
const mostLaunches = 6;
const mostProcesses = 64;
/** Of the budget, for one cell: 6 s of the usual 2 minutes, shared by its launches. */
const slotShare = 1 / 20;

/** What of a run decides about its sampling. */
export interface Crew {
  ranks: number;
  transports: number;
  hosts: number;
  hasGroups: boolean;
  /** Inside this process: its threads share what the others need. */
  inProcess: boolean;
}

/** @param seed drawn, where none was asked for */
export function samplingOf(options: Options, crew: Crew, seed: number, attest: boolean): SamplingPlan {
  const launches = options.launches ?? usualLaunches;
  const isAdaptive = options.iters === null && options.precision !== null && !crew.hasGroups;
  return {
    launches,
    warmup: options.warmup,
    iterations: options.iters,
    batch: options.batch,
    check: options.check,
    timeoutS: options.timeout,
    seed,
    ...(attest ? { attest } : {}),
    ...(isAdaptive
      ? {
          adaptive: {
            precision: options.precision as number,
            budgetS: options.budget,
            slotS: (options.budget * slotShare) / launches,
            maxLaunches: options.launches ?? affordableLaunches(options, crew),
          },
        }
      : {}),
  };
}

/** A start of GPUs, or of ranks on other machines, costs more than it tells. */
function affordableLaunches({ engine }: Options, { ranks, transports, hosts, inProcess }: Crew): number {
  if (engine !== 'cpu' || hosts > 1 || inProcess) return usualLaunches;
  const bearable = Math.floor(mostProcesses / (ranks * transports));
  return Math.max(usualLaunches, Math.min(mostLaunches, bearable));
}

/** @throws CommandError fixed counts and a precision were both asked for */
export function requireOneSampling(command: string, { precision }: Options, said: Said): void {
  const where = (key: OptionKey): string => said.get(key)?.where ?? `--${key}`;
  const asked =
    said.has('precision') && precision !== null ? 'precision' : said.has('budget') ? 'budget' : null;
  if (asked === null) return;
  const [text, key] = [said.get(asked)?.text, asked] as const;
  if (said.has('iters')) {
    throw new CommandError(
      `${where(key)} ${text} and ${where('iters')} both say how many samples there are`,
      [
        '  allowed: --iters for a fixed number, or --precision with --budget',
        `Next: collbench ${command} --${key} ${text}`,
      ],
    );
  }
  if (said.has('groups')) {
    throw new CommandError(`${where(key)} ${text}: with --groups the number of samples is fixed`, [
      '  groups that work at the same time must do the same: leave it out, or say --iters',
    ]);
  }
  if (precision === null) {
    throw new CommandError(`${where(key)} ${text} says nothing where ${where('precision')} is off`, [
      '  it is the time for reaching a precision: leave out one of them',
    ]);
  }
}
