import { availableParallelism } from 'node:os';
import path from 'node:path';
import type { ExplainedPoint } from '../../orchestration/explain/point.ts';
import { hostPlaceText } from '../../orchestration/hosts/again.ts';
import { addAll } from '../../results/collections.ts';
import { type Arrival, arrivalsIn, lateRankOf } from '../../results/explain/late-rank.ts';
import { recordedLoadOf } from '../../results/explain/recorded-load.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import {
  type CellRecord,
  dataOf,
  type ExplanationRecord,
  isCollective,
  isEngineName,
  type KnownBound,
  loadSetting,
  measuredOf,
  type PointPlan,
  type RunPlan,
  sideOf,
  skewOf,
  skewSetting,
  skewText,
  titleOf,
  transportOf,
  wholeNsOf,
} from '../../results/schema/index.ts';
import { StoreError } from '../../results/store/errors.ts';
import type { LoadedRun } from '../../results/store/types.ts';
import { newRunId } from '../../results/store/write.ts';
import { type ExitCode, exitCode } from '../../results/verdicts/exit-code.ts';
import { causesOf, collectivesOf } from '../../suites/engines/index.ts';
import type { OptionTexts } from '../../suites/explain/variants.ts';
import type { OptionValues } from '../../suites/options/option.ts';
import { duration, parseEach, size, sizeAllowed } from '../../suites/options/values.ts';
import { commandNamed, findCommand, type MeasuredCommand } from '../../suites/workloads/index.ts';
import { measuringSyntax } from '../line/measuring.ts';
import { readLine } from '../line/read.ts';
import { readOptions } from '../line/read-options.ts';
import { type OptionKey, optionRows } from '../options/index.ts';
import { ProgressLine, printNote } from '../terminal.ts';
import { defineCommand } from './command.ts';
import { runIds } from './completions.ts';
import { jsonOption, rootOption } from './options.ts';

/** Default time budget of `collbench explain`: seconds that all experiments together may take. */
export const usualBudgetS = 90;

const options = {
  at: {
    value: 'LIST',
    describe: 'Sizes to explain',
    defaultDescription: 'the smallest, a middle and the largest size of the run',
    allowed: sizeAllowed,
    coerce: parseEach(size),
  },
  budget: {
    value: 'TIME',
    describe: 'Time limit of all experiments',
    default: usualBudgetS,
    defaultDescription: '90s',
    allowed: 'a time from 1s to 24h, such as 90s or 10m',
    coerce: duration,
  },
  ...rootOption,
  ...jsonOption,
};

/** Options of the explained run that the experiments do not take over. Options about sizes and output are not taken over either. */
const ownOfRun: readonly string[] = [
  ...['launches', 'iters', 'precision', 'budget', 'waitQuiet', 'retryFlagged', 'seed'],
  ...['transport', 'beside', 'skew', 'skewRank'],
];
const isShared = (key: OptionKey): boolean =>
  !ownOfRun.includes(key) && !['Sizes', 'Output'].includes(optionRows[key].group ?? '');

/**
 * Longest time in ns of an operation that is explained if --at is not given. Experiments with longer operations take too long. If
 * all sizes take longer, only the smallest is explained.
 */
const longestNs = 3e8;

/**
 * Checks that the run of this plan can be explained: its workload and engine have experiments, it had two ranks or more and no
 * groups, and only a collective may use several hosts.
 * @param id id of the run, for the error
 * @throws Refusal if one of these conditions is not met
 */
export function requireExplainable(plan: RunPlan, id: string): void {
  const [, name = ''] = plan.command;
  const obstacles: [boolean, string][] = [
    [
      findCommand(name)?.workload.neededWork === undefined,
      `it measured ${name === '' ? 'another workload' : name}`,
    ],
    [causesOf(plan.engine).length === 0, `engine ${plan.engine} has no experiments`],
    [plan.hosts.length > 1 && !isCollective(name), 'its messages were between several hosts'],
    [plan.groups !== undefined, 'its ranks worked in groups'],
    [plan.ranks < 2, 'it had one rank'],
  ];
  const [, reason] = obstacles.find(([isThere]) => isThere) ?? [];
  if (reason !== undefined) throw refuse('explain-run', { run: id, reason });
}

/**
 * The smallest size, the size nearest to the geometric middle, and the largest size, each once; [] without sizes.
 * @param sizes bytes, ascending
 */
function threeOf(sizes: readonly number[]): number[] {
  const [first, last] = [sizes[0], sizes.at(-1)];
  if (first === undefined || last === undefined) return [];
  const middle = Math.sqrt(Math.max(1, first) * last);
  const nearest = sizes.reduce((a, b) =>
    Math.abs(Math.log(b / middle)) < Math.abs(Math.log(a / middle)) ? b : a,
  );
  return [...new Set([first, nearest, last])];
}

/**
 * Returns the options `typed`, changed so that they select one point. Where the user typed a list, as in `--window 1,64`, only the
 * point's own value remains.
 * @param typed texts of options by key, as the user typed them; they may be lists of values
 */
function withoutLists(command: MeasuredCommand, point: PointPlan, typed: OptionTexts): OptionTexts {
  const [, ...words] = command.workload.words(point);
  const { said } = readLine(measuringSyntax(command), words);
  const own = [...said.values()].filter(({ key }) => key in typed).map(({ key, text }) => [key, text]);
  return { ...typed, ...Object.fromEntries(own) };
}

/**
 * Arrival times of the ranks at operations back to back, for each point and transport of a run. The key has the indices of point
 * and transport in the plan: "3/0".
 */
async function arrivalsOfRun(run: LoadedRun): Promise<Map<string, Arrival[]>> {
  const found = new Map<string, Arrival[]>();
  for await (const block of run.blocks())
    addAll(found, `${block.point}/${block.transport}`, arrivalsIn(block));
  return found;
}

/**
 * Returns the points to explain, one list per series; a list may be empty. Series that were measured next to a load are left out. A
 * series is a transport with all parameters of the operation except its size.
 * @param arrivals arrival times of the ranks, by "POINT/TRANSPORT" (indices)
 * @param bounds known bounds of the time of each cell, from link rates and from recorded runs of similar machines
 * @param at sizes in bytes that the user named; undefined = smallest, middle and largest
 * @param typed options of the run that its experiments take over, as texts by key
 * @throws Refusal if a size in `at` was not measured
 */
function pointsOf(
  run: LoadedRun,
  arrivals: ReadonlyMap<string, readonly Arrival[]>,
  bounds: ReadonlyMap<CellRecord, KnownBound[]>,
  at: readonly number[] | undefined,
  typed: OptionTexts,
  command: MeasuredCommand,
): ExplainedPoint[][] {
  const { plan } = run.record;
  const environment = Object.fromEntries(
    Object.entries(run.record.environment).filter(([name, value]) => process.env[name] === value),
  );
  const hosts = (plan.launcher === undefined ? [] : plan.hosts).map((host) => ({
    name: host.name,
    ranks: host.ranks.length,
    text: hostPlaceText(host),
  }));
  const lacksSendrecv = isEngineName(plan.engine) && !collectivesOf(plan.engine).includes('sendrecv');
  const quiet = plan.transports.filter(({ settings = {} }) => !(loadSetting in settings));
  const measured = run.cells.flatMap((cell) => {
    const wholeNs = wholeNsOf(cell);
    const [payloadBytes, point] = [Number(cell.axes.bytes), plan.points[cell.point]];
    if (cell.status !== 'ok' || wholeNs === null || point === undefined || !(payloadBytes > 0)) return [];
    const title = titleOf(dataOf(cell.workload, plan.workloads), cell.axes);
    // Rare long operations, such as those with lost segments, raise `pipelined`, which is a mean, but not the median.
    const expectedNs = Math.max(wholeNs, measuredOf(cell, 'pipelined')?.value ?? 0);
    return [{ cell, point, payloadBytes, title, expectedNs }];
  });
  const titles = [...new Set(measured.map(({ title }) => title))];
  const each = quiet.flatMap((planned) => titles.map((title) => ({ planned, title })));
  return each.map(({ planned, title }) => {
    const { name, medium, settings = {} } = planned;
    const own = measured.filter(
      ({ cell, ...one }) => one.title === title && cell.transport === name && cell.medium === medium,
    );
    const known = new Map(own.toReversed().map((one) => [one.payloadBytes, one]));
    const sizes = [...known.keys()].sort((a, b) => a - b);
    const short = sizes.filter((bytes) => (known.get(bytes)?.expectedNs ?? 0) <= longestNs);
    const chosen = at ?? threeOf(short.length > 0 ? short : sizes.slice(0, 1));
    const unknown = chosen.find((bytes) => !known.has(bytes));
    if (unknown !== undefined) throw refuse('explain-size', { run: run.record.id, size: unknown, sizes });
    return chosen.flatMap((bytes): ExplainedPoint[] => {
      const one = known.get(bytes);
      if (one === undefined) return [];
      const { payloadBytes, expectedNs, point, cell } = one;
      const [hostNs, deviceNs] = [sideOf(cell, 'enqueue')?.value, wholeNsOf(cell) ?? expectedNs];
      const hasFlag = (wanted: string) => cell.flags.some((flag) => flag.name === wanted);
      return [
        {
          ...{
            payloadBytes,
            expectedNs,
            algorithm: cell.choice.algorithm,
            ...recordedLoadOf(cell),
            environment,
          },
          ...{ command: command.name, ranks: plan.ranks, medium, transport: transportOf(planned) },
          ...(lacksSendrecv ? { lacksSendrecv } : {}),
          ...{ hosts, evidence: cell.evidence, ...(cell.rails === undefined ? {} : { rails: cell.rails }) },
          ...(hasFlag('mps') ? { sharesGpu: 'mps' as const } : {}),
          ...(hasFlag('shared-gpu') ? { sharesGpu: 'turns' as const } : {}),
          ...(hostNs === undefined ? {} : { queueing: { hostNs, deviceNs } }),
          bounds: bounds.get(cell) ?? [],
          lateRank: lateRankOf(
            arrivals.get(`${cell.point}/${plan.transports.indexOf(planned)}`) ?? [],
            plan.ranks,
          ),
          series: titles.length > 1 ? `${name}, ${title}` : name,
          options: { ...withoutLists(command, point, typed), ...optionsOf(settings) },
        },
      ];
    });
  });
}

/** Options of a command line that measures a series with these settings of its transport. A skew becomes --skew and --skew-rank. */
function optionsOf({ [skewSetting]: text, ...settings }: Readonly<Record<string, string>>): OptionTexts {
  const skew = skewOf(text);
  if (skew === null) return settings;
  return { ...settings, skew: skewText({ ...skew, ranks: 0 }), skewRank: String(skew.ranks) };
}

/**
 * Explains a stored run by experiments, stores and prints the explanation, and writes the report of the run again, now with the
 * explanation. Without `run` it explains the newest run.
 * @returns exit code of the command: 0 = explained, 3 = wrong data, 5 = nothing could be measured, 130 = interrupted
 * @throws Refusal if the run cannot be explained; StoreError if it cannot be opened or the explanation cannot be stored
 */
export async function explainRun({
  run: name = 'last',
  at,
  budget,
  root,
  json,
}: OptionValues<typeof options> & { run?: string }): Promise<ExitCode> {
  const { openRun } = await import('../../results/store/read.ts');
  const { explainPoints } = await import('../../orchestration/explain/explain.ts');
  const { createFinding } = await import('../../results/store/findings.ts');
  const { InterruptHandler } = await import('../../orchestration/running/interrupt.ts');
  const { runTools } = await import('../run-tools.ts');
  const { printFinding, writeFindingPage } = await import('../finding.ts');
  const { reportOf } = await import('../report-of.ts');
  const { readMachine } = await import('../../orchestration/explain/machine.ts');
  const { knownBounds } = await import('../../reports/explanation/known-bounds.ts');
  const { referencesFor } = await import('../../results/reference-runs.ts');
  const measured = await openRun(name, root);
  requireExplainable(measured.record.plan, measured.record.id);
  const { plan, inventory } = measured.record;
  const [, operation = '', ...words] = plan.command;
  const command = commandNamed(operation);
  const { said } = readLine(measuringSyntax(command), words);
  const typed = Object.fromEntries(
    [...said.values()].filter(({ key }) => isShared(key)).map(({ key, text }) => [key, text]),
  );
  const bounds = knownBounds(measured, await referencesFor(measured.record));
  const series = pointsOf(measured, await arrivalsOfRun(measured), bounds, at, typed, command);
  const record: ExplanationRecord = {
    ...{ schemaVersion: 1, id: newRunId(), startedAt: new Date().toISOString(), run: measured.record.id },
    ...{ command: plan.command.slice(1), operation, ranks: plan.ranks },
    ...(at === undefined ? {} : { at }),
    ...{ series: [], ended: null, launches: 0, wrongLaunches: 0 },
  };
  const writer = await createFinding('explanation', record, operation, {
    root: path.dirname(measured.dir),
  });
  const progress = new ProgressLine();
  const interrupt = new InterruptHandler();
  const isHere = plan.launcher === undefined;
  const machine = {
    ...(isHere ? await readMachine() : { loads: [], maxBufferBytes: null }),
    cpus: Math.min(
      ...(isHere ? [availableParallelism()] : []),
      ...Object.values(inventory).map(({ cpuCount }) => cpuCount),
    ),
    ranks: Math.max(...plan.hosts.map(({ ranks }) => ranks.length)),
    numaNodes: Math.max(1, ...Object.values(inventory).map(({ numaNodes }) => numaNodes)),
  };
  try {
    await explainPoints(
      { series, causes: causesOf(plan.engine), machine, budgetS: budget, signal: interrupt.signal },
      record,
      { readOptions, run: runTools, root: writer.dir, note: (text) => progress.note(text) },
      { progress: (done, what) => progress.show(() => `${Math.round(100 * done)} % · ${what}`) },
      writer.update,
    );
  } finally {
    interrupt.release();
    progress.clear();
  }
  const explanation = { kind: 'explanation', dir: writer.dir, record } as const;
  await writeFindingPage(explanation);
  // The report of the run gets a chapter with this explanation.
  await reportOf([measured], measured.dir).catch((error: unknown) => {
    // The folder of the run may be read-only; the explanation is complete without the chapter.
    if (!(error instanceof StoreError)) throw error;
    printNote(`run ${measured.record.id} has no chapter about it: ${error.message}`);
  });
  await printFinding(explanation, json);
  const isOpen = record.series.every(({ sizes }) => sizes.length === 0);
  if (record.wrongLaunches > 0) return exitCode.wrongData;
  return record.ended === 'interrupted' ? exitCode.interrupted : isOpen ? exitCode.noVerdict : exitCode.ok;
}

export const explain = defineCommand({
  command: 'explain [run]',
  describe: 'Find out why a run is not faster, by experiments that remove suspected causes.',
  argument: {
    help: 'A run of a collective or of messages between ranks, by id, label or folder',
    shown: 'last',
  },
  examples: [
    ['collbench explain', 'three sizes of the last run'],
    ['collbench explain last --at 64K --budget 30s', 'one size, in half a minute'],
  ],
  options,
  offer: runIds,
  epilogue:
    'Every change of the command is measured in turn with the command itself, with new processes, and the parts of the time add up. The bound of a collective is the time in which two ranks alone exchange the bytes that each rank must send; that of messages, a put of the same messages through shared memory. Exit codes: 0 explained, whatever was found; 2 the run cannot be explained; 3 wrong data; 5 nothing could be measured; 130 interrupted',
  handler: async (said) => {
    process.exitCode = await explainRun(said);
  },
});
