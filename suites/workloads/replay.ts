import { refuse } from '../../results/refusals/refusal.ts';
import {
  collectives,
  computings,
  groupsOfJob,
  type Job,
  makesGroups,
  nameInValue,
  type PointPlan,
  type RunPlan,
  replay,
  replayAxes,
  setSizes,
} from '../../results/schema/index.ts';
import { jobsOf, keyOfJob, scaled, scriptOf, shippedJobs, totalsOf } from '../jobs/index.ts';
import { keepText, listOf, ValueError } from '../options/values.ts';
import type { WorkInput } from '../plan-input.ts';
import type { CollectiveValue, WorkloadPlanning } from './planning.ts';

const computers = listOf(computings);

/**
 * Parses a list of percentages such as "100,50,0", and removes repeated ones.
 * @throws ValueError if a word is not a whole number from 0 to 1000
 */
function percentsOf(text: string): number[] {
  const words = text.split(',').map((word) => word.trim());
  const wrong = words.find((word) => !/^\d{1,4}$/.test(word) || Number(word) > 1000);
  if (wrong !== undefined) throw new ValueError(`'${wrong}' is no percentage from 0 to 1000`);
  return [...new Set(words.map(Number))];
}

/**
 * Makes the points of one job: one per percentage, by which all its computation times are scaled. A job without computations is the
 * same at every percentage, so it gets one point with 0.
 * @param computing how ranks wait for the computation times: "device" leaves the CPU core free, "core" keeps it busy
 * @param percents percentages of the recorded computation times: 100 = as recorded, 0 = no computation
 * @param ranks number of all ranks, for the numbers of bytes
 */
function pointsOf(job: Job, computing: string, percents: readonly number[], ranks: number): PointPlan[] {
  return (job.hasTimes ? percents : [0]).map((computePercent) => {
    const script = scriptOf(scaled(job, computePercent));
    const axes = { job: keyOfJob(job), computing, computePercent, ...totalsOf(script, ranks) };
    return { workload: replay.name, axes: replayAxes.parse(axes), script };
  });
}

/**
 * Checks that the ranks can be divided into the groups that the job's calls use.
 * @param sizes numbers of ranks for which the job is planned; each is checked
 * @throws Refusal if one of these numbers of ranks cannot be divided
 */
function requireGroups({ name, items }: Job, sizes: readonly number[]): void {
  const groups = groupsOfJob(items);
  const ranks = sizes.find((one) => groups.some((group) => !makesGroups(group, one)));
  if (ranks !== undefined) throw refuse('job-groups', { job: name, groups, ranks });
}

/**
 * Checks that the root of each call is one of the ranks. Calls within a group of ranks are not checked.
 * @param sizes numbers of ranks for which the job is planned
 * @throws Refusal if a root is not one of the ranks
 */
function requireRoots({ name, items }: Job, sizes: readonly number[]): void {
  const roots = items.map((item) => (item.do === 'call' && item.group === undefined ? (item.root ?? 0) : 0));
  const [root, ranks] = [Math.max(0, ...roots), Math.min(...sizes)];
  if (root >= ranks) throw refuse('job-root', { job: name, root, ranks });
}

function points({ words, ...input }: WorkInput): Pick<RunPlan, 'points' | 'skipped'> {
  const ranks = Math.max(...setSizes(input));
  const percents = percentsOf(words.compute ?? '');
  const jobs = jobsOf(words.job ?? '');
  for (const job of jobs) {
    requireGroups(job, setSizes(input));
    requireRoots(job, setSizes(input));
  }
  const made = jobs.flatMap((job) =>
    computers(words.computing ?? '').flatMap((computing) => pointsOf(job, computing, percents, ranks)),
  );
  return { points: made, skipped: [] };
}

/**
 * Planning data (commands and options, points to measure, estimates of bytes and time) of a replay. It repeats the collectives of
 * one step of a job (recorded, or shipped with collbench) in their order. Computations only wait for their recorded time.
 */
export const replayPlanning: WorkloadPlanning = {
  row: replay,
  needs: ['collectives'],
  commands: [
    { name: 'replay', summary: 'the network operations of a job, step by step, without the job itself' },
  ],
  positional: 'job',
  options: {
    job: {
      value: 'LIST',
      describe:
        'Jobs to replay: a name, a job file, a recorded or imported run, or a trace of torch.profiler.',
      allowed: `${shippedJobs.map(({ name }) => name).join(', ')}; FILE, RUN, TRACE; all: all these names`,
      example: '--job resnet50,mobilenet_v3_large',
      default: 'resnet50,efficientnet_b0,mobilenet_v3_large',
      coerce: keepText(jobsOf),
    },
    compute: {
      value: 'LIST',
      describe: 'Computation time in percent of the recorded time, to model another GPU. 0: no computation.',
      allowed: 'whole numbers from 0 to 1000, with commas between',
      example: '--compute 100,50,0',
      default: '100',
      coerce: keepText(percentsOf),
    },
    computing: {
      value: 'LIST',
      describe:
        'device: computation leaves the core free, as on a GPU. core: it occupies one core of each rank.',
      allowed: `${computings.join(', ')} or both with a comma between`,
      example: '--computing core',
      default: 'device',
      coerce: keepText(computers),
    },
  },
  unusedOptions: ['dtype', 'op', 'root', 'inPlace', 'min', 'max', 'factor', 'step', 'sizes'],
  collectiveNeeds({ job }) {
    const calls = jobsOf(job ?? '').flatMap(({ items }) => items.filter((item) => item.do === 'call'));
    return calls.flatMap(({ collective, dtype, op, group }): CollectiveValue[] => [
      ...(group === undefined ? [] : [{ key: 'members' as const, word: 'groups of ranks' }]),
      { key: 'collective', word: collective },
      { key: 'dtype', word: dtype },
      ...(collectives[collective].reduces ? [{ key: 'op' as const, word: op ?? 'sum' }] : []),
    ]);
  },
  points,
  pointFor(point, ranks) {
    const axes = { ...point.axes, ...totalsOf(point.script ?? '', ranks) };
    return { ...point, axes };
  },
  words({ axes }) {
    const { job, computing, computePercent } = replayAxes.parse(axes);
    return ['replay', nameInValue(job), '--computing', computing, '--compute', String(computePercent)];
  },
  refuses: (_command, ranks) => (ranks < 2 ? 'needs 2 ranks or more' : null),
  isReducing: () => true,
  checkedRanks: ({ ranks }) => ranks,
  bufferBytes: ({ axes, ranks }) => 2 * ranks * replayAxes.parse(axes).bytes,
  wireBytes: ({ axes }) => replayAxes.parse(axes).sentBytes,
  linkBytes: ({ axes, ranks }) => replayAxes.parse(axes).sentBytes / Math.max(1, ranks),
  fixedNs: ({ axes }) => replayAxes.parse(axes).computeNs,
};
