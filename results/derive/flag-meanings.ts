import { loadFlagMeanings } from './metrics/index.ts';

/** Meaning of each flag, printed once per report. Unknown flags are printed by name. */
export const flagMeanings: Record<string, string> = {
  late: 'more than 5 % of the isolated samples missed the common start',
  skew: 'the ranks did not start together',
  'clock-unsure':
    'the clocks of the hosts are known no better than 5 % of the isolated time: the pipelined time, half a round trip of pingpong included, needs no common clock',
  unsteady: 'the times still drifted half-way through a launch',
  'timer-limited': 'reading the clock takes more than 5 % of the timed span',
  oversubscribed:
    'more ranks than processor cores that they may use; hardware threads of one core count once',
  'few-launches': 'fewer launches were measured than planned',
  'launches-close':
    'launches were measured one right after another; they are counted as differing by twice what they show',
  'groups-apart': 'the groups worked side by side for less than half of the time',
  interrupted: 'the run was stopped before this configuration was complete',
  'network-busy': 'the network interface carried more than the run can cause',
  ...loadFlagMeanings,
};
